#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs the built snippets that articles tell the reader to put into a main.swift.

  Scripts/run-samples.py [folder of the built programs, .build/debug]

Code at the top level of a program is isolated to the main actor, so it can fail where the same code in a function does
not. check-samples.py makes sure that each such sample is one of these programs.
"""

import pathlib
import signal
import subprocess
import sys
import time

# Each program, the beginning of the first line that it prints, and the signal that it is sent then.
PROGRAMS = {
    "FirstProgram": [("6 42", None)],
    "FirstServer": [("Serving on ws://127.0.0.1:", signal.SIGINT), ("Serving on ws://127.0.0.1:", signal.SIGTERM)],
    "PrometheusMetrics": [("# TYPE jsonrpc_client_active gauge", None)],
    "UntilInterrupted": [("Connected to ws://", signal.SIGINT), ("Connected to ws://", signal.SIGTERM)],
}
LIMIT = 60


def failure(program, line, number):
    """Runs a program, and returns what is wrong with it."""
    with subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            if number is not None:
                wait_until_handled(process, number)
                process.send_signal(number)
            output, errors = process.communicate(timeout=LIMIT)
        except (subprocess.TimeoutExpired, TimeoutError):
            process.kill()
            output, errors = process.communicate()
            return f"it did not end within {LIMIT} s: {output}{errors}"
    if process.returncode != 0:
        return f"it ended with {process.returncode}: {output}{errors}"
    if not output.startswith(line):
        return f"it printed {output!r}, not {line!r}"
    return None


def wait_until_handled(process, number):
    """Waits until a process has a handler of a signal. Before, the signal would end it."""
    end = time.monotonic() + LIMIT
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
        if int(caught, 16) >> (number - 1) & 1:
            return
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / ".build" / "debug"
    failures = 0
    for name, runs in PROGRAMS.items():
        for line, number in runs:
            why = failure(folder / name, line, number)
            if why:
                failures += 1
                sent = f" after {signal.Signals(number).name}" if number else ""
                print(f"run-samples: Snippets/{name}.swift{sent}: {why}", file=sys.stderr)
    print(f"run-samples: {len(PROGRAMS)} programs, {failures} failures", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
