# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Measures calls, streams and large messages of this package beside those of grpc-swift-2, and prints medians.

Client and server are in processes of their own, all of them the program grpc-probe of this folder. All ways run in
turn, and echo the same bytes. A run counts only if every answer was right. Scripts/bench-grpc.sh builds what this needs and
calls it.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Peers"))
from report import (  # noqa: E402
    add_result_arguments, print_conditions, processor_seconds, result, rounds, row, started, write_results,
)

PARTS = ["calls", "stream", "large"]
WIDTHS = [1, 64, 256]
COLUMNS = (44, 12, 12, 12, 10, 10)
# The window of HTTP/2 is 64 KiB in a server and 8 MiB in a client by default.
WINDOW, FRAME = "--window=8388608", "--frame=1048576"

OURS, MANY = "a task for each call", "results(of:)"
UNARY, AT_ONCE = "gRPC, unary", "gRPC, unary, no coalescing"
STREAM, STREAM_AT_ONCE = "gRPC, one stream", "gRPC, one stream, no coalescing"
BULK = "gRPC, one stream, in bulk"
NOTIFIED, SENT, SENT_BULK = "notifications", "gRPC, a server stream", "gRPC, a server stream, in bulk"
LARGE, LARGE_UNARY, LARGE_WIDE = "calls", "gRPC, unary", "gRPC, unary, windows of 8 MiB"
LARGE_FRAMES = "gRPC, unary, windows of 8 MiB, frames of 1 MiB"
LARGE_STREAM = "gRPC, one stream, windows of 8 MiB"
# name: (client, mode, options of client and server, share of the number of calls, so that all run about as long)
CALLS = {
    OURS: ("ours", "calls", (), 1), MANY: ("ours", "results", (), 2),
    UNARY: ("grpc", "calls", (), 0.05), AT_ONCE: ("grpc", "calls", ("--no-coalescing",), 0.05),
    STREAM: ("grpc", "bidirectional", (), 0.2),
    STREAM_AT_ONCE: ("grpc", "bidirectional", ("--no-coalescing",), 0.2),
    BULK: ("grpc", "bidirectional-bulk", (), 0.5),
}
STREAMS = {
    NOTIFIED: ("ours", "stream", (), 2), SENT: ("grpc", "stream", (), 0.5), SENT_BULK: ("grpc", "stream-bulk", (), 1),
}
LARGE_CALLS = {
    LARGE: ("ours", "large", (), 1), LARGE_UNARY: ("grpc", "large", (), 1), LARGE_WIDE: ("grpc", "large", (WINDOW,), 1),
    LARGE_FRAMES: ("grpc", "large", (WINDOW, FRAME), 1),
    LARGE_STREAM: ("grpc", "large-bidirectional", (WINDOW,), 1),
}


class Probe:
    """Starts servers, one for each set of options, and runs clients."""

    def __init__(self, program, stack):
        self.program, self.stack, self.servers = program, stack, {}

    def run(self, way, width, count):
        """Returns the measurements of a client, with the processor time of its server for each call."""
        client, mode, flags, share = way
        key = client, flags
        if key not in self.servers:
            self.servers[key] = self.stack.enter_context(started([self.program, f"serve-{client}", *flags]))
        pid, port = self.servers[key]
        count = max(int(count * share), 4 * width)
        command = [self.program, client, mode, str(width), str(count), f"--port={port}", *flags]
        before = processor_seconds(pid)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300)
        used = processor_seconds(pid) - before
        if done.returncode:
            sys.exit(f"status {done.returncode}: {' '.join(command)}")
        line = json.loads(done.stdout.strip().splitlines()[-1])
        line["server_us_per_call"] = used * 1e6 / line["exchanges"]
        return line

    def medians(self, ways, width, count, number):
        """Runs all ways in turn, prints their medians, and returns {name: {figure: median}}."""
        values = rounds(ways, list(ways), number, lambda ways, name: self.run(ways[name], width, count))
        row(["", "per second", "client us", "server us", "p50 us", "p99 us"], COLUMNS)
        found = {}
        for name in ways:
            lines = [line | {f"{share}_us": time for share, time in line.get("latency_us", {}).items()}
                     for line in values[name]]
            found[name] = {
                key: statistics.median(line[key] for line in lines)
                for key in ("calls_per_second", "processor_us_per_call", "server_us_per_call", "p50_us", "p99_us")
                if key in lines[0]
            }
            row([name, *(f"{figure:.{0 if figure > 1000 else 2}f}" for figure in found[name].values())], COLUMNS)
        return found


def calls(probe, options):
    found = {}
    for width in WIDTHS:
        print(f"\n{width} calls in flight, 32 bytes there and back")
        found[width] = probe.medians(CALLS, width, options.calls / (10 if width == 1 else 1), options.rounds)
    outcome = []

    def compare(part, name, figure, unit, better, width, ours, peers):
        for peer in peers:
            outcome.append(
                result(
                    part, f"{name}, {width} in flight", unit, found[width][ours][figure], peer,
                    found[width][peer][figure], better, line=ours, at=f"{width} in flight"))

    for width in WIDTHS:
        compare("Calls of 32 bytes", OURS, "calls_per_second", "calls/s", "higher", width, OURS,
                [UNARY, AT_ONCE, STREAM, STREAM_AT_ONCE, BULK])
        compare("Calls of 32 bytes", MANY, "calls_per_second", "calls/s", "higher", width, MANY, [STREAM, BULK])
    for figure, name in (("p50_us", "median"), ("p99_us", "p99")):
        for width in WIDTHS:
            compare("Latency of a call", name, figure, "µs", "lower", width, OURS, [UNARY, AT_ONCE, STREAM_AT_ONCE])
    for figure, side in (("processor_us_per_call", "client"), ("server_us_per_call", "server")):
        for width in (1, 256):
            compare(
                "Processor time of a call", side, figure, "µs", "lower", width, OURS, [UNARY, AT_ONCE, STREAM, BULK])
    return outcome


def stream(probe, options):
    print("\nmessages of 32 bytes from the server")
    found = probe.medians(STREAMS, 1, options.calls, options.rounds)
    return [
        result("Messages from the server", name, unit, found[NOTIFIED][figure], peer, found[peer][figure], better)
        for name, figure, unit, better in (
            ("rate", "calls_per_second", "messages/s", "higher"),
            ("processor time of a message, client", "processor_us_per_call", "µs", "lower"),
            ("processor time of a message, server", "server_us_per_call", "µs", "lower"),
        )
        for peer in (SENT, SENT_BULK)
    ]


def large(probe, options):
    outcome = []
    for width in (1, 4):
        print(f"\n{width} in flight, 1 MiB there and back")
        found = probe.medians(LARGE_CALLS, width, options.calls / 500, options.rounds)
        outcome += [
            result(
                "Echo of 1 MiB", f"{width} in flight", "MiB/s each way", found[LARGE]["calls_per_second"], peer,
                found[peer]["calls_per_second"], line=LARGE, at=f"{width} in flight")
            for peer in LARGE_CALLS if peer != LARGE
        ]
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True, help="the grpc-probe program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=300_000, help="calls of ours in one run")
    parser.add_argument("--only", choices=PARTS, action="append")
    add_result_arguments(parser)
    options = parser.parse_args()
    options.sources = os.path.dirname(os.path.abspath(__file__))
    print_conditions(options)
    measurements = dict(zip(PARTS, [calls, stream, large]))
    outcome = []
    with contextlib.ExitStack() as stack:
        probe = Probe(options.probe, stack)
        for part in options.only or PARTS:
            outcome += measurements[part](probe, options)
    write_results(
        options, "grpc", outcome, f"medians of {options.rounds} rounds",
        ["Swift", "grpc-swift-2", "grpc-swift-nio-transport", "swift-nio", "swift-nio-http2"])


main()
