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

from report import print_conditions, rounds, row, server, spread, verdict

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
    return [
        verdict("a stream, millions per second", medians[STREAM] / 1e6, 1, True),
        verdict("a stream / Node ws", medians[STREAM] / medians[NODE], 3, True),
        verdict("time of 100 subscriptions / of 1", medians[ONE] / medians[MANY], 1.2, False),
        verdict("processor time of 100 subscriptions / of 1", used[MANY] / used[ONE], 1.2, False),
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
    return [verdict("p99 beside the load / without", loaded / idle, 3, False)]


def memory(options, url):
    print("\nheap of the client for each idle thing, in bytes, of 1000 (lower is better)")
    found = {
        kind: run([options.probe, "memory", url, kind, "1000"])["bytes_each"]
        for kind in ("session", "call", "subscription")
    }
    for kind, size in found.items():
        row([kind, f"{size}"])
    return [{"what": f"bytes for a {kind}", "value": size} for kind, size in found.items()]


PARTS = {"throughput": throughput, "round-trips": round_trips, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True, help="the stream-probe program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--notifications", type=int, default=1_000_000, help="notifications in one run")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--json", help="also write the ratios to this file")
    options = parser.parse_args()
    options.sources = os.path.dirname(os.path.abspath(__file__))
    print_conditions(options)
    outcome = []
    with server([options.probe, "serve"]) as url:
        for part in options.only or PARTS:
            outcome += PARTS[part](options, url)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(outcome, file, indent=2)


main()
