# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Measures the HTTP layer beside the libraries below it and other clients, and prints medians beside the aims.

Every client makes the same exchanges with the same server, the one in C of this folder, in alternation. A run counts
only if every exchange had the right answer. Scripts/bench-http.sh builds what this needs and calls it.
"""

import argparse
import atexit
import functools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Peers"))
from report import (  # noqa: E402
    add_result_arguments, print_conditions, result, rounds, row, server, spread, write_results,
)

PARTS = ["layer", "gathering", "lone", "encoding", "clients"]
CALLERS = 64
BELOW = "async-http-client"
# As many as there are connections to one host, so that no exchange waits for a connection.
CONNECTIONS = 8
# The window ends in another task: a few changes of thread.
TASK_SWITCHES_US = 100
WIDE = (34, 12, 12, 16, 14)
ORDER = '{"symbol":"SWFT","quantity":100,"price":187.25,"isBuy":true}'
CALL = '{"jsonrpc":"2.0","id":%d,"method":"echo","params":' + ORDER + "}"


class Clients:
    """Command lines of the clients. A name is `CLIENT WAY`, or a way of http-probe alone."""

    def __init__(self, options, url):
        self.url = url
        self.probe = options.probe
        self.runtimes = {
            "fetch": ["node", f"{options.sources}/fetch_client.mjs"],
            "httpx": [options.python, f"{options.sources}/httpx_client.py"],
        }
        # wrk is not on every system, and only shows what the server could do.
        self.wrk = options.wrk
        self.quick = options.quick

    def command(self, name, concurrency, count):
        client, way = name.split() if " " in name else ("", name)
        return [*self.runtimes.get(client, [self.probe]), way, self.url, str(concurrency), str(count)]

    def run(self, name, concurrency, count, *flags):
        """Returns the measurements of `count` exchanges."""
        line = json.loads(output([*self.command(name, concurrency, int(count)), *flags]).splitlines()[-1])
        if line["calls"] != int(count):
            sys.exit(f"{name} made {line['calls']} of {count} exchanges")
        return line

    def instructions(self, name, concurrency, count):
        """Returns the instructions of one more exchange, without those for starting and connecting."""
        few, many = (counted(self.command(name, concurrency, number)) for number in (count // 4, count))
        return (many[0] - few[0]) / (count - count // 4)


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {' '.join(command)}")
    return done.stdout


@functools.cache
def counter():
    """Returns a command that counts instructions in user mode, the form of its output, and whether it is slow. Not every
    processor of a virtual machine counts for perf. valgrind counts as well, about fifty times slower."""
    perf, found = ["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),"
    done = subprocess.run([*perf, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0 and re.search(found, done.stderr, re.MULTILINE):
        return perf, found, False
    print("perf does not count here: valgrind does", file=sys.stderr)
    return ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)", True


@functools.cache
def stripped(program):
    """Returns a copy of a program without the debug information, which valgrind 3.19 cannot read."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    copy = os.path.join(folder.name, os.path.basename(program))
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def counted(command):
    """Runs a command. Returns its instructions in user mode, and its output."""
    prefix, pattern, is_slow = counter()
    if is_slow:
        command = [stripped(command[0]), *command[1:]]
    done = subprocess.run([*prefix, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    found = re.search(pattern, done.stderr, re.MULTILINE)
    if done.returncode or not found:
        sys.exit(f"status {done.returncode} or no count: {' '.join([*prefix, *command])}\n{done.stderr}")
    return int(found.group(1)), done.stdout


def layer(clients, options):
    """What `HTTPSession` and `JSONRPCHTTPClient` add to async-http-client."""
    pairs = [("get", "raw-get", 1.15), ("post", "raw-post", 1.15), ("call", "raw-call", None)]
    # The transport turns the spans of async-http-client off unless a tracer is installed, so both are shown.
    parts = {"transport-get": "raw-get", "untraced-get": "raw-get", "untraced-post": "raw-post"}
    base = {name: raw for ours, raw, _ in pairs for name in (raw, ours)} | parts
    names = list(base)
    is_slow = counter()[2]
    count = 800 if is_slow else 4_000 if options.quick else 20_000
    print(f"\nInstructions in user mode and mallocs of one exchange, {CONNECTIONS} in flight (lower is better)")
    number = min(options.rounds, 3) if is_slow else options.rounds
    values = rounds(clients, names, number, lambda clients, name: clients.instructions(name, CONNECTIONS, count))
    found = {
        name: clients.run(name, CONNECTIONS, 2_000, "--allocations")["mallocs_per_call"] for name in names
    }
    row(["", "median", "to raw", "spread", "mallocs"], WIDE)
    medians = {name: statistics.median(values[name]) for name in names}
    for name in names:
        ratio = medians[name] / medians[base[name]]
        row([name, f"{medians[name]:.0f}", f"{ratio:.3f}", spread(values[name]), f"{found[name]:.1f}"], WIDE)
    part = f"{CONNECTIONS} exchanges in flight, costs of one"
    return [
        line
        for ours, raw, aim in pairs
        for line in (
            result(part, ours, "instructions", medians[ours], BELOW, medians[raw], "lower", aim),
            result(part, ours, "allocations", found[ours], BELOW, found[raw], "lower"),
        )
    ]


def gathering(clients, options):
    names = ["call", "gathered-call"]
    count = 10_000 if options.quick else 100_000
    print(f"\n{CALLERS} callers, one POST per call and gathered calls: calls per second (higher is better)")
    values = rounds(
        clients, names, options.rounds,
        lambda clients, name: clients.run(name, CALLERS, count if name == "gathered-call" else count // 4))
    medians = table(names, values)
    return [
        result(
            f"{CALLERS} callers", "gathered calls", "calls/s", medians["gathered-call"], "ours, a POST for each call",
            medians["call"], aim=5)
    ]


def table(names, values):
    """Prints rates and processor time. Returns the median rates."""
    row(["", "median", "CPU us/call", "spread", "p50 us"], WIDE)
    medians = {}
    for name in names:
        rates = [line["calls_per_second"] for line in values[name]]
        medians[name] = statistics.median(rates)
        used = statistics.median(line["processor_us_per_call"] for line in values[name])
        p50 = statistics.median(line["p50_us"] for line in values[name])
        row([name, f"{medians[name]:.0f}", f"{used:.1f}", spread(rates), f"{p50:.0f}"], WIDE)
    return medians


def lone(clients, options):
    """What a call waits that finds no others to share a POST with."""
    # A sleep ends late by what the timers of the system take, so a window of 1 ms is compared with a sleep of 1 ms.
    base = {"call": None, "gathered-call": "call", "slept-call-1ms": None, "gathered-call-1ms": "slept-call-1ms"}
    print("\nOne call at a time: median latency in microseconds (lower is better)")
    values = rounds(
        clients, list(base), options.rounds,
        lambda clients, name: clients.run(name, 1, 300 if options.quick else 3_000)["p50_us"])
    medians = {name: statistics.median(values[name]) for name in base}
    row(["", "median", "beyond", "spread"], WIDE)
    for name in base:
        beyond = f"{medians[name] - medians[base[name]]:.0f}" if base[name] else ""
        row([name, f"{medians[name]:.0f}", beyond, spread(values[name])], WIDE)
    return [
        result(
            "One call at a time", f"gathering, time beyond its window of {window}", "µs",
            medians[name] - medians[base[name]], better="lower", aim=TASK_SWITCHES_US)
        for name, window in (("gathered-call", 0), ("gathered-call-1ms", "1 ms"))
    ]


def encoding(clients, options):
    sizes = [1, 10, 100, 1000, 10_000]
    print("\nInstructions for each byte of a batch's body, by the number of its members (lower is better)")
    columns = (34, 10, 10, 10, 10, 10)
    row(["members", *map(str, sizes)], columns)
    outcome = []
    for kind in ("encode-notifications", "encode-calls"):
        found = []
        for size in sizes:
            repeats = max(4, (20_000 if options.quick else 100_000) // size)
            few = counted([options.probe, kind, "-", str(size), str(repeats // 4)])
            many = counted([options.probe, kind, "-", str(size), str(repeats)])
            bytes_made = json.loads(many[1])["bytes"] * (repeats - repeats // 4)
            found.append((many[0] - few[0]) / bytes_made)
        row([kind, *(f"{value:.1f}" for value in found)], columns)
        outcome.append(
            result(
                "Encoding of a batch", f"{kind.replace('-', ' ')}, a byte of 10 000 members", "instructions", found[-1],
                "ours, 100 members", found[2], "lower", 1.15))
    return outcome


def other_clients(clients, options):
    outcome = []
    for way in ("get", "post", "call"):
        print(f"\n{CALLERS} callers, {way}: exchanges per second (higher is better)")
        names = [way, f"raw-{way}", f"url-session-{way}", f"fetch {way}", f"httpx {way}"]
        if way == "call":
            names.insert(1, "gathered-call")
        share = {"fetch": 0.5, "httpx": 0.1, "url": 0.5, "gathered": 4}
        count = 4_000 if options.quick else 40_000
        values = rounds(
            clients, names, options.rounds,
            lambda clients, name: clients.run(name, CALLERS, count * share.get(re.split("[ -]", name)[0], 1)))
        medians = table(names, values)
        limits(clients, way)
        for name, peer in ((f"raw-{way}", BELOW), (f"fetch {way}", "fetch for Node"), (f"httpx {way}", "httpx")):
            outcome.append(
                result(
                    f"{CALLERS} callers", way, "exchanges/s", medians[way], peer, medians[name], line="ours", at=way))
    return outcome


def limits(clients, way):
    """Prints what the server carries when wrk asks it."""
    if not clients.wrk:
        row(["the server's limit", "not measured: no wrk"], WIDE)
        return
    bodies = {
        "get": {"the server's limit, by wrk": (1, None)},
        "post": {"the server's limit, by wrk": (1, ORDER)},
        "call": {
            "the server's limit, by wrk": (1, CALL % 1),
            f"the same in arrays of {CALLERS}": (CALLERS, "[" + ",".join(CALL % n for n in range(CALLERS)) + "]"),
        },
    }
    path = {"get": "/repos/swift/nio", "post": "/echo", "call": "/rpc"}[way]
    for name, (members, body) in bodies[way].items():
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            if body:
                script.write(f'wrk.method = "POST"\nwrk.body = {json.dumps(body)}\n')
                script.write('wrk.headers["Content-Type"] = "application/json"\n')
            script.flush()
            seconds = "1s" if clients.quick else "3s"
            text = output([clients.wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", script.name, clients.url + path])
        if "Non-2xx" in text:
            sys.exit(f"wrk got errors from the server: {text}")
        row([name, f"{members * float(re.search(r'Requests/sec: +([0-9.]+)', text).group(1)):.0f}"], WIDE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True, help="the http-probe program")
    parser.add_argument("--server", required=True, help="the compiled server.c")
    parser.add_argument("--python", default=sys.executable, help="a Python with httpx")
    parser.add_argument("--wrk", help="the wrk program, which measures the server's limit")
    parser.add_argument("--rounds", type=int, help="the default is 5, and 1 with --quick")
    parser.add_argument("--quick", action="store_true", help="fewer exchanges, for a run of less than a minute")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--check", action="store_true", help="exit with status 1 if an aim is not met")
    add_result_arguments(parser)
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    options.sources = os.path.dirname(os.path.abspath(__file__))
    print_conditions(options)
    measurements = dict(zip(PARTS, [layer, gathering, lone, encoding, other_clients]))
    outcome = []
    with server([options.server], scheme="http") as url:
        clients = Clients(options, url.rstrip("/"))
        for part in options.only or PARTS:
            outcome += measurements[part](clients, options)
    write_results(
        options, "http", outcome, f"medians of {options.rounds} rounds", ["Swift", "async-http-client", "Node"])
    missed = [f"{row['name']} ({row['unit']})" for row in outcome if row["met"] is False]
    print(f"\n{'all aims met' if not missed else 'NOT met: ' + '; '.join(missed)}")
    if missed and options.check:
        sys.exit(1)


main()
