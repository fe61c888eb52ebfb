# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Measures how processor time grows with the number of connections: of a client, of our listener, of idle sessions."""

import contextlib
import os
import select
import socket
import statistics
import subprocess
import sys
import time

from report import processor_seconds, result, rounds, row, server, started

# Beside the connections, each program has a few descriptors of its own.
DESCRIPTORS = {"connections": 4200, "listener": 1200, "idle": 10_200, "accepting": 9_300, "engines": 4200}
# Each session sends one PING in this time, by default. It is also the time for which idle sessions are measured.
PING_INTERVAL = 20
PARAMS = [1, 2]
COLUMNS = (38, 10, 10, 10)
PART = "Processor time and numbers of connections"
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@contextlib.contextmanager
def connected(port, number):
    """Opens connections without calls, one after the other. They count only if all of them are open until the end."""
    ended = select.poll()
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
            connection.sendall(HANDSHAKE)
            answer = connection.recv(4096)
            if not answer.startswith(b"HTTP/1.1 101 "):
                sys.exit(f"the server refused a connection: {answer!r}")
            ended.register(connection, select.POLLRDHUP)
        yield
        if ended.poll(0):
            sys.exit("the server has closed connections that were to stay open")


def ten_active(clients, options, ways, has_aims=True):
    """Ten calls in flight, one on each of ten connections, beside connections without calls. Our listener serves them:
    the server in C waits with poll(2), so its answers take the longer the more connections it has."""
    numbers = [10, 100, 4000]
    print("\none call in flight on each of ten connections, others connected: CPU us per call, peak MiB (lower is better)")
    values = {(way, number): [] for way in ways for number in numbers}
    with server([options.probe, "serve"]) as url:
        for turn in range(options.rounds):
            for number in numbers if turn % 2 == 0 else reversed(numbers):
                flags = ["--connections=10", *([f"--idle={number - 10}"] if number > 10 else [])]
                for way in ways:
                    line = clients.run(way, url, "echo", PARAMS, 1, options.calls / 5, *flags)
                    values[way, number].append((line["processor_us_per_call"], line["peak_rss_bytes"] / (1 << 20)))
    medians = {key: statistics.median(used for used, _ in values[key]) for key in values}
    peaks = {key: statistics.median(peak for _, peak in values[key]) for key in values}
    row(["connected in all", *(str(number) for number in numbers)], COLUMNS)
    for way in ways:
        row([way, *(f"{medians[way, number]:.2f}" for number in numbers)], COLUMNS)
        row(["  peak MiB", *(f"{peaks[way, number]:.0f}" for number in numbers)], COLUMNS)
    if not has_aims:
        return []
    return [
        result(
            PART, f"a call, {way}, ten active of 4000 connections", "µs", medians[way, 4000],
            f"ours, ten active of {number}", medians[way, number], "lower", 1.15)
        for way in ways for number in (10, 100)
    ]


def listener(clients, options):
    """The processor time of `jsonrpc serve` for the calls of one client, alone and beside connections without calls."""
    print("\njsonrpc serve, one call in flight on one connection: its CPU us per call (lower is better)")
    client, numbers = "C, one write per message", [0, 900]
    count = options.calls / 10 / clients.commands[client][1]

    def measure(clients, number):
        # Otherwise the line that it writes to standard error would be in the table.
        with started([options.tool, "serve", "--port", "0"], stderr=subprocess.DEVNULL) as (pid, port):
            warm_up(port)
            with connected(port, number):
                before = processor_seconds(pid)
                line = clients.run(client, f"ws://127.0.0.1:{port}/", "echo", PARAMS, 1, count)
                return (processor_seconds(pid) - before) * 1e6 / line["calls"]

    alone, beside = table("other connections", numbers, rounds(clients, numbers, options.rounds, measure), 2)
    return [
        result(
            PART, "a call, in the listener, beside 900 idle connections", "µs", beside, "ours, no others", alone,
            "lower", 1.15)
    ]


def idle(options):
    """The processor time of a process with idle sessions, whose keepalive runs. The listener sends no PINGs itself."""
    print(f"\nidle sessions, a PING each {PING_INTERVAL} s: CPU of the client, % of one processor (lower is better)")
    numbers = [1000, 10_000]

    def measure(url, number):
        with started([options.probe, "idle", url, str(number)]) as (pid, _):
            time.sleep(1)  # The last connections settle.
            before, start = processor_seconds(pid), time.monotonic()
            time.sleep(PING_INTERVAL)
            percent = (processor_seconds(pid) - before) / (time.monotonic() - start) * 100
            if len(os.listdir(f"/proc/{pid}/fd")) < number:
                sys.exit(f"fewer than {number} sessions stayed connected")
            return percent

    with server([options.probe, "serve"]) as url:
        _, most = table("sessions", numbers, rounds(url, numbers, options.rounds, measure), 3)
    return [result(PART, "a process with 10 000 idle sessions", "% of a processor", most, better="lower", aim=1)]


def accepting(options):
    """The processor time of our listener, in a process of its own for each run, for connections that stay open."""
    print("\nconnections opened one after the other, all kept: CPU us of the listener for each (lower is better)")
    numbers = [1000, 3000, 9000]

    def measure(options, number):
        with started([options.probe, "serve"]) as (pid, port):
            warm_up(port)
            before = processor_seconds(pid)
            with connected(port, number):
                return (processor_seconds(pid) - before) * 1e6 / number

    least, _, most = table("connections", numbers, rounds(options, numbers, options.rounds, measure), 1)
    return [result(PART, "an accepted connection, of 9000", "µs", most, "ours, of 1000", least, "lower", 1.2)]


def warm_up(port):
    """Lets a listener do once what it does with the first connection only."""
    with connected(port, 1):
        pass


def table(title, numbers, values, decimals):
    """Prints the median for each number, and returns the medians."""
    medians = [statistics.median(values[number]) for number in numbers]
    row([title, *(str(number) for number in numbers)], COLUMNS)
    row(["", *(f"{median:.{decimals}f}" for median in medians)], COLUMNS)
    return medians
