# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs servers and clients in turn, and prints figures beside their aims. The comparisons of this package share it."""

import contextlib
import ctypes
import datetime
import os
import platform
import resource
import subprocess
import sys
import time


@contextlib.contextmanager
def started(command, **arguments):
    """Starts a program. Gives its process id, and the last number of the first line which it prints."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **arguments)
    try:
        line = process.stdout.readline()
        digits = "".join(c if c.isdigit() else " " for c in line).split()
        if not digits:
            sys.exit(f"{command[0]} is not ready, it printed {line!r}: {' '.join(command)}")
        yield process.pid, int(digits[-1])
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def server(command, scheme="ws"):
    """Starts a server, which prints its port, and gives its URL."""
    with started(command) as (_, port):
        yield f"{scheme}://127.0.0.1:{port}/"


def processor_seconds(pid):
    """Returns the processor time that another process has used, in the kernel too."""
    clock = ctypes.c_int()
    code = ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock))
    if code:
        sys.exit(f"the processor time of process {pid} cannot be read: {os.strerror(code)}")
    return time.clock_gettime(clock.value)


def allow_descriptors(number, part):
    """Raises the limit for open descriptors, for this process and the programs that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    except ValueError:
        sys.exit(
            f"the part '{part}' needs {number} descriptors, but the hard limit (ulimit -Hn) is {hard}: raise it, or "
            "name the other parts with --only")


def rounds(clients, names, number, measure):
    """Runs each client once per round, in an order which turns, and returns {name: [line, …]}."""
    values = {name: [] for name in names}
    for turn in range(number):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            values[name].append(measure(clients, name))
    return values


def row(cells, widths=(26, 10, 10, 18, 14)):
    print("  " + "".join(f"{cell:<{widths[0]}}" if i == 0 else f"{cell:>{widths[i]}}" for i, cell in enumerate(cells)))


def spread(values):
    return f"{min(values):.0f}-{max(values):.0f}"


def verdict(what, ratio, bound, at_least):
    """Returns the figure and says how it stands to its bound; a ratio above or below it is no failure of the run."""
    holds = ratio >= bound if at_least else ratio <= bound
    print(f"  {what}: {ratio:.2f} (aim: {'at least' if at_least else 'at most'} {bound}; {'met' if holds else 'NOT met'})")
    return {"what": what, "ratio": round(ratio, 3), "bound": bound, "met": holds}


def commit(options):
    """Returns the commit that is checked out, with a mark if files differ from it."""
    command = ["git", "-C", options.sources, "describe", "--always", "--dirty"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip() or "unknown"


def processor():
    """Returns the processor's name."""
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def print_conditions(options):
    """Prints what the figures depend on, above them."""
    load = os.getloadavg()[0]
    today = datetime.datetime.now(datetime.timezone.utc).date()
    print(f"{today}, commit {commit(options)}, {processor()}, {os.cpu_count()} processors, {platform.system()}")
    print(f"load {load:.1f} at the start, {options.rounds} rounds")
