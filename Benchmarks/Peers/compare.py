# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs our client and others against the same server, in turn, and prints medians and ratios, beside the aims.

The server is the one in C of this folder, which answers faster than any of the clients asks. Scripts/bench-session.sh
builds what this needs and calls it. Every client prints one line of JSON; a run counts only if it made the calls that
were asked for, without an error. How costs grow with the number of connections is in scaling.py; our listener is the
server there. Both engines of ours are compared in engines.py.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

import engines
import scaling
from report import allow_descriptors, print_conditions, rounds, row, server, spread, verdict

MEBIBYTE = 1 << 20
LARGE_RESULT = 64 * MEBIBYTE
PARTS = [
    "throughput", "latency", "depth", "connections", "coder", "allocations", "batches", "large", "listener", "idle",
    "accepting", "engines",
]

ON_LOOP = "ours, on its event loop"
MANY = "ours, results(of:)"
MANY_ON_LOOP = "ours, results(of:), on its event loop"
INTEGERS = [1, 2]
# With a struct on our side, as most programs have it: arrays of integers take a short cut in the coder.
ORDER = {"symbol": "SWFT", "quantity": 100, "price": 187.25, "isBuy": True}


class Clients:
    """Command lines of the clients which take a workload."""

    def __init__(self, options):
        peers = options.peers
        # name: (command, share of the number of calls, so that every client runs about as long)
        self.commands = {
            "ours": ([options.probe], 1),
            ON_LOOP: ([options.probe, "--on-event-loop"], 1),
            engines.OTHER: ([options.probe, engines.OPTION], 0.25),
            engines.OTHER_ON_LOOP: ([options.probe, engines.OPTION, "--on-event-loop"], 0.25),
            MANY: ([options.probe, "--results"], 2),
            MANY_ON_LOOP: ([options.probe, "--results", "--on-event-loop"], 2),
            "ours (jsonrpc bench)": (None, 2),
            "C, coalescing": ([f"{peers}/lws-client-coalescing"], 1),
            "C, one write per message": ([f"{peers}/lws-client-plain"], 0.25),
            "Node ws": (["node", f"{options.sources}/ws_client.mjs"], 0.15),
        }
        self.tool = options.tool

    def run(self, name, url, method, params, concurrency, count, *flags):
        command, share = self.commands[name]
        count = max(int(count * share), 1)
        if command is None:
            words = (
                [f"{name}={json.dumps(value)}" for name, value in params.items()]
                if isinstance(params, dict) else [json.dumps(param) for param in params]
            )
            command = [self.tool, "bench", url, method, *words, "--json"]
            command += ["--concurrency", str(concurrency), "--requests", str(count)]
        else:
            command = [*command, url, method, json.dumps(params), str(concurrency), str(count), *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{name} ended with status {done.returncode}: {' '.join(command)}")
        line = json.loads(done.stdout.strip().splitlines()[-1])
        if line["errors"] or line["calls"] != count:
            sys.exit(f"{name} made {line['calls']} of {count} calls, {line['errors']} of them errors")
        return line


def throughput(clients, url, options):
    return [
        line
        for params, kind in ((INTEGERS, "[Int]"), (ORDER, "a struct"))
        for line in throughput_of(clients, url, options, params, kind)
    ]


def throughput_of(clients, url, options, params, kind):
    names = [
        "ours", ON_LOOP, MANY, MANY_ON_LOOP, "ours (jsonrpc bench)", "C, coalescing", "C, one write per message",
        "Node ws",
    ]
    print(f"\n256 calls in flight on one connection, params and result {kind}: calls per second (higher is better)")
    values = rounds(
        clients, names, options.rounds,
        lambda clients, name: clients.run(name, url, "echo", params, 256, options.calls),
    )
    rates = {name: [line["calls_per_second"] for line in values[name]] for name in names}
    medians = {name: statistics.median(rates[name]) for name in names}
    row(["", "median", "ours/it", "spread", "CPU us/call"])
    for name in names:
        used = [line["processor_us_per_call"] for line in values[name] if "processor_us_per_call" in line]
        used = f"{statistics.median(used):.2f}" if used else ""
        row([name, f"{medians[name]:.0f}", f"{medians['ours'] / medians[name]:.2f}", spread(rates[name]), used])
    return [
        verdict(f"{kind}: {name} / {peer}", medians[name] / medians[peer], bound, True)
        for name, peer, bound in (
            ("ours", "Node ws", 4), (ON_LOOP, "Node ws", 6), (MANY, "Node ws", 10), (MANY_ON_LOOP, "Node ws", 10),
            (MANY, "C, coalescing", 0.5), (MANY_ON_LOOP, "C, coalescing", 0.5),
        )
    ]


def latency(clients, url, options):
    names = ["ours", ON_LOOP, "ours (jsonrpc bench)", "C, one write per message", "Node ws"]
    print("\n1 call in flight: median latency in microseconds (lower is better)")
    calls = {"C, one write per message": 4, "Node ws": 1 / 0.15}  # The same number for each.
    values = rounds(
        clients, names, options.rounds,
        lambda clients, name: clients.run(
            name, url, "echo", INTEGERS, 1, options.calls / 25 * calls.get(name, 1))["latency_us"]["p50"],
    )
    medians = {name: statistics.median(values[name]) for name in names}
    row(["", "median", "ours/it"])
    for name in names:
        row([name, f"{medians[name]:.1f}", f"{medians['ours'] / medians[name]:.2f}", "  " + spread(values[name])])
    return [
        verdict(f"{name} / C one write", medians[name] / medians["C, one write per message"], 1.25, False)
        for name in ("ours", ON_LOOP)
    ]


def coders(clients, url, options):
    print("\n256 calls in flight on one connection, params and results coded by: calls per second (higher is better)")
    ways = {
        "Foundation": ("ours", ("--foundation",)),
        "WireJSON": ("ours", ()),
        "Foundation, on loop": (ON_LOOP, ("--foundation",)),
        "WireJSON, on loop": (ON_LOOP, ()),
    }
    values = rounds(
        clients, list(ways), options.rounds,
        lambda clients, way: clients.run(
            ways[way][0], url, "echo", INTEGERS, 256, options.calls / 2, *ways[way][1])["calls_per_second"],
    )
    medians = {way: statistics.median(values[way]) for way in ways}
    row(["", "median", "", "spread"])
    for way in ways:
        row([way, f"{medians[way]:.0f}", "", spread(values[way])])
    return [
        {"what": f"WireJSON / Foundation{place}", "ratio": medians[f"WireJSON{place}"] / medians[f"Foundation{place}"]}
        for place in ("", ", on loop")
    ]


def large_results(clients, options):
    names = ["ours", "C, one write per message"]
    print(f"\n{LARGE_RESULT // MEBIBYTE} MiB results, one at a time: MiB per second, and peak memory")
    with server([f"{options.peers}/lws-server"]) as url:
        values = rounds(
            clients, names, options.rounds,
            lambda clients, name: clients.run(
                name, url, "blob", [LARGE_RESULT], 1, 4 * (4 if name != "ours" else 1)),
        )
    rate = {
        name: statistics.median(LARGE_RESULT / MEBIBYTE * line["calls_per_second"] for line in values[name])
        for name in names
    }
    peak = {name: statistics.median(line["peak_rss_bytes"] for line in values[name]) for name in names}
    row(["", "MiB/s", "peak MiB"])
    for name in names:
        row([name, f"{rate[name]:.0f}", f"{peak[name] / MEBIBYTE:.0f}"])
    return [
        verdict("rate, ours / plain lws", rate["ours"] / rate["C, one write per message"], 0.5, True),
        verdict("peak memory / size of the result", peak["ours"] / LARGE_RESULT, 3, False),
    ]


def depth(clients, url, options):
    widths = [100, 256, 1000, 10_000, 100_000]
    print("\ngrowing numbers of calls in flight: calls per second (higher is better), CPU per call (lower is better)")
    names = ("ours", ON_LOOP, MANY, MANY_ON_LOOP)
    lines = {(name, width): [] for name in names for width in widths}
    for turn in range(options.rounds):
        for width in widths if turn % 2 == 0 else reversed(widths):
            for name in names:
                count = max(options.calls, 4 * width)
                lines[name, width].append(clients.run(name, url, "echo", INTEGERS, width, count))

    def median(name, width, figure):
        return statistics.median(line[figure] for line in lines[name, width])

    columns = (38, 10, 10, 10, 10, 10)
    row(["in flight", *(str(width) for width in widths)], columns)
    for name in names:
        row([name, *(f"{median(name, width, 'calls_per_second'):.0f}" for width in widths)], columns)
        row(["  CPU us per call", *(f"{median(name, width, 'processor_us_per_call'):.2f}" for width in widths)], columns)
    rates = {width: median(ON_LOOP, width, "calls_per_second") for width in widths}
    many = {(name, width): median(name, width, "calls_per_second") for name in (MANY, MANY_ON_LOOP) for width in widths}
    used = {width: median("ours", width, "processor_us_per_call") for width in widths}
    return [
        verdict(f"{ON_LOOP}, 1000 in flight / 256", rates[1000] / rates[256], 0.9, True),
        *(
            verdict(f"{name}, {width} in flight / 256", many[name, width] / many[name, 256], 0.9, True)
            for name in (MANY, MANY_ON_LOOP) for width in (1000, 10_000)
        ),
        verdict("CPU per call, 100 000 in flight / 100", used[100_000] / used[100], 1.5, False),
    ]


def connections(clients, url, options):
    numbers = [1, 100, 1000, 4000]
    print("\none call in flight on each connection: calls per second (higher is better), CPU per call (lower is better)")
    ways = {
        "ours": ("ours", "--connections={}"),
        ON_LOOP: (ON_LOOP, "--connections={}"),
        "ours, two event loops": ("ours", "--connections={}", "--loops=2"),
        "Node ws": ("Node ws", "{}"),
    }
    lines = {(way, number): [] for way in ways for number in numbers}
    for turn in range(options.rounds):
        for number in numbers if turn % 2 == 0 else reversed(numbers):
            for way, (name, *flags) in ways.items():
                flags = [flag.format(number) for flag in flags]
                count = max(options.calls / 5, 20 * number) / clients.commands[name][1] * (0.3 if "Node" in name else 1)
                lines[way, number].append(clients.run(name, url, "echo", INTEGERS, 1, count, *flags))

    def median(way, number, figure):
        return statistics.median(line[figure] for line in lines[way, number])

    columns = (38, 10, 10, 10, 10)
    row(["connections", *(str(number) for number in numbers)], columns)
    for way in ways:
        row([way, *(f"{median(way, number, 'calls_per_second'):.0f}" for number in numbers)], columns)
        row(["  CPU us per call", *(f"{median(way, number, 'processor_us_per_call'):.2f}" for number in numbers)], columns)
    ours = [way for way in ways if way != "Node ws"]
    return [
        verdict(
            f"1000 connections: {way} / Node ws",
            median(way, 1000, "calls_per_second") / median("Node ws", 1000, "calls_per_second"), 1, True)
        for way in ours
    ] + [
        verdict(
            f"{way}: CPU per call, 4000 connections / 100, all active",
            median(way, 4000, "processor_us_per_call") / median(way, 100, "processor_us_per_call"), 2, False)
        for way in ours
    ]


def batches(clients, options):
    size = 100
    print(f"\n{size} calls in flight, against a server for Node which answers each message by itself: calls per second")
    ways = {"one by one": (size, ()), f"as arrays of {size}": (1, (f"--batch={size}",))}
    with server(["node", f"{options.sources}/ws_server.mjs"]) as url:
        values = rounds(
            clients, list(ways), options.rounds,
            lambda clients, way: clients.run(
                "ours", url, "echo", INTEGERS, ways[way][0], options.calls / 5, *ways[way][1])["calls_per_second"],
        )
    medians = {way: statistics.median(values[way]) for way in ways}
    row(["", "median", "", "spread"])
    for way in ways:
        row([way, f"{medians[way]:.0f}", "", spread(values[way])])
    single, together = medians.values()
    return [verdict("arrays / one by one", together / single, 3, True)]


def allocations(clients, url, options):
    print("\nmallocs per call, whole process (counted by a check-tested interposer)")
    found = {}
    for name, bound in (("ours", 5), (MANY, 3)):
        for width in (1, 256, 10_000):
            line = clients.run(name, url, "echo", INTEGERS, width, max(options.calls // 10, 4 * width), "--allocations")
            found[name, width, bound] = line["mallocs_per_call"]
            row([f"{name}, {width} in flight", f"{line['mallocs_per_call']:.2f}"])
    return [
        verdict(f"{name}: mallocs per call, {width} in flight", value, bound, False)
        for (name, width, bound), value in found.items()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the jsonrpc tool")
    parser.add_argument("--probe", required=True, help="the session-probe program")
    parser.add_argument("--peers", required=True, help="the folder with the compiled C programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=500_000, help="calls of the faster clients in one run")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--json", help="also write the ratios to this file")
    options = parser.parse_args()
    options.sources = os.path.dirname(os.path.abspath(__file__))
    clients = Clients(options)
    parts = options.only or PARTS
    for part in parts:
        allow_descriptors(scaling.DESCRIPTORS.get(part, 0), part)
    print_conditions(options)
    outcome = []
    with server([f"{options.peers}/lws-server"]) as url:
        if "throughput" in parts:
            outcome += throughput(clients, url, options)
        if "latency" in parts:
            outcome += latency(clients, url, options)
        if "depth" in parts:
            outcome += depth(clients, url, options)
        if "connections" in parts:
            outcome += connections(clients, url, options)
            outcome += scaling.ten_active(clients, options, ["ours", ON_LOOP])
        if "coder" in parts:
            outcome += coders(clients, url, options)
        if "allocations" in parts:
            outcome += allocations(clients, url, options)
    if "batches" in parts:
        outcome += batches(clients, options)
    if "large" in parts:
        outcome += large_results(clients, options)
    if "listener" in parts:
        outcome += scaling.listener(clients, options)
    if "idle" in parts:
        outcome += scaling.idle(options)
    if "accepting" in parts:
        outcome += scaling.accepting(options)
    if "engines" in parts:
        outcome += engines.both(clients, options, ["ours", ON_LOOP])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(outcome, file, indent=2)


main()
