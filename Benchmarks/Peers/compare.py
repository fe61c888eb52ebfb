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
from report import (
    add_result_arguments, allow_descriptors, print_conditions, result, rounds, row, server, spread, write_results,
)

MEBIBYTE = 1 << 20
OTHERS = "Other workloads"
LARGE_RESULT = 64 * MEBIBYTE
PARTS = [
    "throughput", "latency", "depth", "connections", "coder", "allocations", "batches", "large", "listener", "idle",
    "accepting", "engines",
]

OURS = "a task for each call"
ON_LOOP = "a task for each call, on the event loop"
MANY = "results(of:)"
MANY_ON_LOOP = "results(of:), on the event loop"
TWO_LOOPS = "two event loops"
TOOL = "jsonrpc bench"
WRITING_MANY, WRITING_ONE, NODE = "C, coalescing", engines.C, engines.NODE
INTEGERS = [1, 2]
# With a struct on our side, as most programs have it: arrays of integers take a short cut in the coder.
ORDER = {"symbol": "SWFT", "quantity": 100, "price": 187.25, "isBuy": True}


class Clients:
    """Command lines of the clients which take a workload."""

    def __init__(self, options):
        peers = options.peers
        # name: (command, share of the number of calls, so that every client runs about as long)
        self.commands = {
            OURS: ([options.probe], 1),
            ON_LOOP: ([options.probe, "--on-event-loop"], 1),
            engines.OTHER: ([options.probe, engines.OPTION], 0.25),
            engines.OTHER_ON_LOOP: ([options.probe, engines.OPTION, "--on-event-loop"], 0.25),
            MANY: ([options.probe, "--results"], 2),
            MANY_ON_LOOP: ([options.probe, "--results", "--on-event-loop"], 2),
            TOOL: (None, 2),
            WRITING_MANY: ([f"{peers}/lws-client-coalescing"], 1),
            WRITING_ONE: ([f"{peers}/lws-client-plain"], 0.25),
            NODE: (["node", f"{options.sources}/ws_client.mjs"], 0.15),
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
    names = [OURS, ON_LOOP, MANY, MANY_ON_LOOP, TOOL, WRITING_MANY, WRITING_ONE, NODE]
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
        row([name, f"{medians[name]:.0f}", f"{medians[OURS] / medians[name]:.2f}", spread(rates[name]), used])
    part = "256 calls in flight on one connection"
    return [
        result(part, f"{name}, {kind}", "calls/s", medians[name], peer, medians[peer], aim=aim, line=name, at=kind)
        for name, peer, aim in (
            (OURS, NODE, 4), (ON_LOOP, NODE, 6), (MANY, NODE, 10), (MANY_ON_LOOP, NODE, 10),
            (MANY, WRITING_MANY, 0.5), (MANY_ON_LOOP, WRITING_MANY, 0.5), (MANY, WRITING_ONE, None),
        )
    ]


def latency(clients, url, options):
    names = [OURS, ON_LOOP, TOOL, WRITING_ONE, NODE]
    print("\n1 call in flight: median latency in microseconds (lower is better)")
    calls = {WRITING_ONE: 4, NODE: 1 / 0.15}  # The same number for each.
    values = rounds(
        clients, names, options.rounds,
        lambda clients, name: clients.run(
            name, url, "echo", INTEGERS, 1, options.calls / 25 * calls.get(name, 1))["latency_us"]["p50"],
    )
    medians = {name: statistics.median(values[name]) for name in names}
    row(["", "median", "ours/it"])
    for name in names:
        row([name, f"{medians[name]:.1f}", f"{medians[OURS] / medians[name]:.2f}", "  " + spread(values[name])])
    return [
        result(
            "One call in flight, median latency", name, "µs", medians[name], peer, medians[peer], "lower", aim,
            line=name, at="1 in flight")
        for name, peer, aim in ((OURS, WRITING_ONE, 1.25), (ON_LOOP, WRITING_ONE, 1.25), (OURS, NODE, None))
    ]


def coders(clients, url, options):
    print("\n256 calls in flight on one connection, params and results coded by: calls per second (higher is better)")
    ways = {
        "Foundation": (OURS, ("--foundation",)),
        "WireJSON": (OURS, ()),
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
        result(
            "256 calls in flight, by coder", f"{name}, coded by WireJSON", "calls/s", medians[f"WireJSON{place}"],
            "ours, coded by Foundation", medians[f"Foundation{place}"])
        for name, place in ((OURS, ""), (ON_LOOP, ", on loop"))
    ]


def large_results(clients, options):
    names = [OURS, WRITING_ONE]
    print(f"\n{LARGE_RESULT // MEBIBYTE} MiB results, one at a time: MiB per second, and peak memory")
    with server([f"{options.peers}/lws-server"]) as url:
        values = rounds(
            clients, names, options.rounds,
            lambda clients, name: clients.run(
                name, url, "blob", [LARGE_RESULT], 1, 4 * (4 if name != OURS else 1)),
        )
    rate = {
        name: statistics.median(LARGE_RESULT / MEBIBYTE * line["calls_per_second"] for line in values[name])
        for name in names
    }
    peak = {name: statistics.median(line["peak_rss_bytes"] for line in values[name]) for name in names}
    row(["", "MiB/s", "peak MiB"])
    for name in names:
        row([name, f"{rate[name]:.0f}", f"{peak[name] / MEBIBYTE:.0f}"])
    size = f"{LARGE_RESULT // MEBIBYTE} MiB"
    return [
        result(OTHERS, f"results of {size}", "MiB/s", rate[OURS], WRITING_ONE, rate[WRITING_ONE], aim=0.5),
        result(
            OTHERS, f"peak memory with a result of {size}", "MiB", peak[OURS] / MEBIBYTE, "the size of the result",
            LARGE_RESULT / MEBIBYTE, "lower", 3),
    ]


def depth(clients, url, options):
    widths = [100, 256, 1000, 10_000, 100_000]
    print("\ngrowing numbers of calls in flight: calls per second (higher is better), CPU per call (lower is better)")
    names = (OURS, ON_LOOP, MANY, MANY_ON_LOOP)
    lines = {(name, width): [] for name in names for width in widths}
    for turn in range(options.rounds):
        for width in widths if turn % 2 == 0 else reversed(widths):
            for name in names:
                count = max(options.calls, 4 * width)
                lines[name, width].append(clients.run(name, url, "echo", INTEGERS, width, count))

    def median(name, width, figure):
        return statistics.median(line[figure] for line in lines[name, width])

    columns = (42, 10, 10, 10, 10, 10)
    row(["in flight", *(str(width) for width in widths)], columns)
    for name in names:
        row([name, *(f"{median(name, width, 'calls_per_second'):.0f}" for width in widths)], columns)
        row(["  CPU us per call", *(f"{median(name, width, 'processor_us_per_call'):.2f}" for width in widths)], columns)
    aims = {(ON_LOOP, 1000): 0.9} | {(name, width): 0.9 for name in (MANY, MANY_ON_LOOP) for width in (1000, 10_000)}
    used = {width: median(OURS, width, "processor_us_per_call") for width in widths}
    return [
        result(
            "Growing numbers of calls in flight", f"{name}, {width} in flight", "calls/s",
            median(name, width, "calls_per_second"), *(
                () if width == 256 else ("ours, 256 in flight", median(name, 256, "calls_per_second"))),
            aim=aims.get((name, width)), line=name, at=width)
        for name in names for width in widths
    ] + [
        result(
            OTHERS, "processor time of a call, 100 000 tasks", "µs", used[100_000], "ours, 100 tasks", used[100],
            "lower", 1.5)
    ]


def connections(clients, url, options):
    numbers = [1, 100, 1000, 4000]
    print("\none call in flight on each connection: calls per second (higher is better), CPU per call (lower is better)")
    ways = {
        OURS: (OURS, "--connections={}"),
        ON_LOOP: (ON_LOOP, "--connections={}"),
        TWO_LOOPS: (OURS, "--connections={}", "--loops=2"),
        NODE: (NODE, "{}"),
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

    columns = (42, 10, 10, 10, 10)
    row(["connections", *(str(number) for number in numbers)], columns)
    for way in ways:
        row([way, *(f"{median(way, number, 'calls_per_second'):.0f}" for number in numbers)], columns)
        row(["  CPU us per call", *(f"{median(way, number, 'processor_us_per_call'):.2f}" for number in numbers)], columns)
    ours = [way for way in ways if way != NODE]
    return [
        result(
            f"One call in flight on each connection, {title}", f"{way}, {number} connection{'s' * (number > 1)}", unit,
            median(way, number, figure), NODE, median(NODE, number, figure), better,
            1 if title == "throughput" and number == 1000 else None, line=way, at=number)
        for title, figure, unit, better in (
            ("throughput", "calls_per_second", "calls/s", "higher"),
            ("processor time", "processor_us_per_call", "µs per call", "lower"),
        )
        for way in ours for number in numbers
    ] + [
        result(
            OTHERS, f"processor time of a call, {way}, 4000 connections", "µs",
            median(way, 4000, "processor_us_per_call"), "ours, 100 connections",
            median(way, 100, "processor_us_per_call"), "lower", 2)
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
                OURS, url, "echo", INTEGERS, ways[way][0], options.calls / 5, *ways[way][1])["calls_per_second"],
        )
    medians = {way: statistics.median(values[way]) for way in ways}
    row(["", "median", "", "spread"])
    for way in ways:
        row([way, f"{medians[way]:.0f}", "", spread(values[way])])
    single, together = medians.values()
    return [
        result(
            OTHERS, f"{size} calls as one array, server for Node", "calls/s", together,
            f"ours, {size} single messages", single, aim=3)
    ]


def allocations(clients, url, options):
    print("\nmallocs per call, whole process (counted by a check-tested interposer)")
    found = {}
    for name, aim in ((OURS, 5), (MANY, 3)):
        for width in (1, 256, 10_000):
            line = clients.run(name, url, "echo", INTEGERS, width, max(options.calls // 10, 4 * width), "--allocations")
            found[name, width, aim] = line["mallocs_per_call"]
            row([f"{name}, {width} in flight", f"{line['mallocs_per_call']:.2f}"])
    return [
        result(
            "Allocations", f"{name}, {width} in flight", "per call", value, better="lower", aim=aim)
        for (name, width, aim), value in found.items()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the jsonrpc tool")
    parser.add_argument("--probe", required=True, help="the session-probe program")
    parser.add_argument("--peers", required=True, help="the folder with the compiled C programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=500_000, help="calls of the faster clients in one run")
    parser.add_argument("--only", choices=PARTS, action="append")
    add_result_arguments(parser)
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
            outcome += scaling.ten_active(clients, options, [OURS, ON_LOOP])
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
        outcome += engines.both(clients, options, [OURS, ON_LOOP])
    write_results(
        options, "session", outcome, f"medians of {options.rounds} rounds", ["Swift", "libwebsockets", "Node"])


main()
