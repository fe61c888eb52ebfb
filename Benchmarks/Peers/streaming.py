# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Measures notifications: our consumer beside one for Node, round trips beside a load, and the memory of idle things.

The server is in Swift, with this library, in a process of its own. Scripts/bench-streaming.sh builds what this needs and
calls it. A run counts only if every notification came, in its order.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

from report import add_result_arguments, print_conditions, result, rounds, row, server, spread, write_results

STREAM, ONE, MANY, NODE = "a stream", "1 subscription", "100 subscriptions", "Node ws"


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {' '.join(command)}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def throughput(options, url):
    count = str(options.notifications)
    commands = {
        STREAM: [options.probe, "stream", url, count],
        ONE: [options.probe, "subscriptions", url, count, "1"],
        MANY: [options.probe, "subscriptions", url, count, "100"],
        NODE: ["node", f"{options.sources}/ws_consumer.mjs", url, count],
    }
    print("\nnotifications with two integers: per second (higher is better), processor time each (lower is better)")
    values = rounds(commands, list(commands), options.rounds, lambda commands, name: run(commands[name]))
    rates = {name: [line["notifications_per_second"] for line in values[name]] for name in commands}
    used = {name: statistics.median(line["processor_us_per_notification"] for line in values[name]) for name in commands}
    medians = {name: statistics.median(rates[name]) for name in commands}
    row(["", "median", "it/Node", "spread", "CPU us each"])
    for name in commands:
        row([name, f"{medians[name]:.0f}", f"{medians[name] / medians[NODE]:.2f}", spread(rates[name]), f"{used[name]:.2f}"])
    part = "Notifications with two integers"
    return [
        result(part, STREAM, "notifications/s", medians[STREAM], NODE, medians[NODE], aim=3, line=STREAM, at=STREAM),
        result(part, ONE, "notifications/s", medians[ONE], NODE, medians[NODE], line=ONE, at=ONE),
        result(part, f"{STREAM}, the rate itself", "notifications/s", medians[STREAM], aim=1_000_000),
        result(
            part, f"time, {MANY}", "µs", 1e6 / medians[MANY], f"ours, {ONE}", 1e6 / medians[ONE], "lower", 1.2),
        result(part, f"processor time, {MANY}", "µs", used[MANY], f"ours, {ONE}", used[ONE], "lower", 1.2),
    ]


def round_trips(options, url):
    print("\none call each millisecond: latency in microseconds (lower is better)")
    rates = {"without a load": 0, "100 000 notifications/s": 100_000}
    values = rounds(
        rates, list(rates), options.rounds,
        lambda rates, name: run([options.probe, "round-trips", url, "2000", str(rates[name])]))
    p99 = {name: statistics.median(line["latency_us"]["p99"] for line in values[name]) for name in rates}
    row(["", "p50", "p99", "", "per second"])
    for name in rates:
        p50 = statistics.median(line["latency_us"]["p50"] for line in values[name])
        came = statistics.median(line["notifications_per_second"] for line in values[name])
        row([name, f"{p50:.0f}", f"{p99[name]:.0f}", "", f"{came:.0f}"])
    idle, loaded = p99.values()
    return [
        result(
            "A call each millisecond", "p99 of the latency, beside 100 000 notifications/s", "µs", loaded,
            "ours, without them", idle, "lower", 3)
    ]


def memory(options, url):
    print("\nheap of the client for each idle thing, in bytes, of 1000 (lower is better)")
    found = {
        kind: run([options.probe, "memory", url, kind, "1000"])["bytes_each"]
        for kind in ("session", "call", "subscription")
    }
    for kind, size in found.items():
        row([kind, f"{size}"])
    return [
        result("Heap of idle things", name, "KB", found[kind] / 1000, better="lower")
        for kind, name in (
            ("session", "a client with its session"), ("call", "a call in flight, with its task"),
            ("subscription", "a subscription"),
        )
    ]


PARTS = {"throughput": throughput, "round-trips": round_trips, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True, help="the stream-probe program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--notifications", type=int, default=1_000_000, help="notifications in one run")
    parser.add_argument("--only", choices=PARTS, action="append")
    add_result_arguments(parser)
    options = parser.parse_args()
    options.sources = os.path.dirname(os.path.abspath(__file__))
    print_conditions(options)
    outcome = []
    with server([options.probe, "serve"]) as url:
        for part in options.only or PARTS:
            outcome += PARTS[part](options, url)
    write_results(options, "streaming", outcome, f"medians of {options.rounds} rounds", ["Swift", "Node"])


main()
