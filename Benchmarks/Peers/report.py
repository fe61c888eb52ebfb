# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs servers and clients in turn, prints figures beside their aims, and writes them as JSON. All benchmarks share it.

The JSON of a run has the conditions (see `conditions`) and a list of rows (see `result`). Scripts/bench-report.py makes
the tables and charts of Benchmarks/Results.md from the files in Benchmarks/Results.
"""

import contextlib
import ctypes
import datetime
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time

# Commands that print the version of a program or library. Versions of packages are read from Package.resolved.
VERSIONS = {
    "Swift": ["swift", "--version"], "libwebsockets": ["pkg-config", "--modversion", "libwebsockets"],
    "Node": ["node", "--version"], "simdjson": ["dpkg-query", "-Wf${Version}", "libsimdjson-dev"],
}


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


def row(cells, widths=(40, 10, 10, 18, 14)):
    print("  " + "".join(f"{cell:<{widths[0]}}" if i == 0 else f"{cell:>{widths[i]}}" for i, cell in enumerate(cells)))


def spread(values):
    return f"{min(values):.0f}-{max(values):.0f}"


def result(
    part, name, unit, ours, peer=None, theirs=None, better="higher", aim=None, line=None, at=None, note=None, ratio=None
):
    """Returns a row of the results. Prints how the figure stands to its aim: a missed aim is no failure of the run.

    `part` is the title of the table. The ratio is ours divided by theirs, if there is a peer. `better` is the direction
    of both the unit and the ratio, `aim` the bound of the ratio, or without a peer that of `ours`. `line` and `at` are
    the place of the row in a chart: a name, and a number or a name on the other axis. `ratio` is for peers whose figure
    was not kept.
    """
    if theirs and ours is not None:
        ratio = ours / theirs
    figure = ours if peer is None else ratio
    met = None if aim is None else figure >= aim if better == "higher" else figure <= aim
    if aim is not None:
        beside = f" / {peer}" if peer else f", {unit}"
        print(f"  {name}{beside}: {figure:.2f} (aim: at {'least' if better == 'higher' else 'most'} {aim}; "
              f"{'met' if met else 'NOT met'})")
    row = {
        "part": part, "name": name, "unit": unit, "better": better, "ours": rounded(ours), "peer": peer,
        "theirs": rounded(theirs), "ratio": rounded(ratio), "aim": aim, "met": met,
    }
    return row | {key: value for key, value in (("line", line), ("at", at), ("note", note)) if value is not None}


def rounded(figure):
    """Returns a figure with four significant digits, more than any run repeats."""
    if figure is None:
        return None
    figure = float(f"{figure:.4g}")
    return int(figure) if figure.is_integer() else figure


def add_result_arguments(parser):
    parser.add_argument("--json", help="also write the results to this file; those in Benchmarks/Results are published")


def write_results(options, benchmark, rows, statistic, versions):
    """Writes the rows with the conditions of the run, if the options ask for it."""
    if options.json:
        with open(options.json, "w") as file:
            file.write(as_text(conditions(options, benchmark, statistic, versions), rows))


def as_text(described, rows):
    """Returns the JSON of a run, with a line for each row, so that differences can be read."""
    head = json.dumps(described, indent=2, ensure_ascii=False)[:-2]
    lines = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n  "rows": [\n{lines}\n  ]\n}}\n'


def conditions(options, benchmark, statistic, versions):
    """Returns what the figures depend on. BENCHMARK_COMMAND is the script that was called, with its arguments."""
    release = {}
    with contextlib.suppress(OSError):
        release = platform.freedesktop_os_release()
    return {
        "benchmark": benchmark, "date": today(), "commit": commit(options),
        "command": os.environ.get("BENCHMARK_COMMAND", " ".join(sys.argv)), "statistic": statistic,
        "machine": {
            "processor": processor(), "processors": os.cpu_count(), "architecture": platform.machine(),
            "system": release.get("PRETTY_NAME", platform.system()), "load": options.load,
        },
        "versions": {name: version(name, options) for name in versions},
    }


def version(name, options):
    """Returns the version of a program, a library or a package of Swift, or None if it cannot be found."""
    if name not in VERSIONS:
        # Each package of benchmarks resolves for itself.
        folder = options.sources if os.path.exists(f"{options.sources}/Package.swift") else f"{options.sources}/.."
        with contextlib.suppress(OSError), open(f"{folder}/Package.resolved") as file:
            pins = {pin["identity"]: pin["state"].get("version") for pin in json.load(file)["pins"]}
            return pins.get(name)
        return None
    try:
        text = subprocess.run(VERSIONS[name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except OSError:
        return None
    # The first version that Swift prints can be that of its driver.
    found = re.search(r"Swift version ([0-9.]+)", text) or re.search(r"([0-9]+(?:\.[0-9]+)+)", text)
    return found.group(1) if found else None


def commit(options):
    """Returns the commit that is checked out, with a mark if files other than earlier results differ from it."""
    def git(*words):
        command = ["git", "-C", options.sources, *words]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()

    changes = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)Benchmarks/Results*")
    return (git("describe", "--always") or "unknown") + ("-dirty" if changes else "")


def processor():
    """Returns the processor's name."""
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def today():
    return str(datetime.datetime.now(datetime.timezone.utc).date())


def print_conditions(options):
    """Prints what the figures depend on, above them, and keeps the load for the JSON."""
    options.load = round(os.getloadavg()[0], 1)
    print(f"{today()}, commit {commit(options)}, {processor()}, {os.cpu_count()} processors, {platform.system()}")
    print(f"load {options.load} at the start, {options.rounds} rounds")
