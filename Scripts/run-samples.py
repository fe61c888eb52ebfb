#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs the built snippets that articles tell the reader to put into a main.swift.

  Scripts/run-samples.py [folder of the built programs, .build/debug]

Programs that call a server get the URL of one that this script starts. Scripts/install-test-peers.sh installs the servers.

Code at the top level of a program is isolated to the main actor, so it can fail where the same code in a function does
not. check-samples.py makes sure that each such sample is one of these programs.
"""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Each program, the beginning of what it prints, and the signal that it is sent then.
PROGRAMS = {
    "FirstProgram": [("6 42", None)],
    "FirstServer": [("Serving on ws://127.0.0.1:", signal.SIGINT), ("Serving on ws://127.0.0.1:", signal.SIGTERM)],
    "PrometheusMetrics": [("# TYPE jsonrpc_client_active gauge", None)],
    "UntilInterrupted": [("Connected to ws://", signal.SIGINT), ("Connected to ws://", signal.SIGTERM)],
    "SecureProgram": [("sum: 6\nstatus: 401\n", None)],
    "FirstHTTPCall": [("aria2 1.", None)],
    "FirstHTTPAPI": [("swift has 69000 stars\n404 Not Found\n", None)],
    "FirstJSONAPI": [
        (
            "Article 01 by Dan\nArticle 02 by Yehuda\nArticle 03 by Dan\nFour minutes has the id 26\n"
            "There is no article 1000000.\n",
            None,
        )
    ],
}
LIMIT = 60
ROOT = pathlib.Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def running(command, is_ready, url):
    """Runs a server, and gives its URL, which is made from the line that says that the server is ready."""
    # A pipe as the standard input: the peers end when it does.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            for line in server.stdout:
                if is_ready in line:
                    yield url(line)
                    return
            raise RuntimeError(f"{command[0]} ended before it was ready")
        finally:
            server.kill()


def peer(script):
    """Runs a server of Scripts/peers."""
    return running(
        [ROOT / ".tools/python/bin/python", ROOT / "Scripts/peers" / script], "listening on port",
        lambda line: f"http://127.0.0.1:{line.split()[-1]}")


def aria2():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-conf", "--enable-rpc", f"--rpc-listen-port={port}", "--disable-ipv6", "--enable-color=false"]
    return running(
        ["aria2c", *options, f"--stop-with-process={os.getpid()}"], f"listening on TCP port {port}",
        lambda line: f"http://127.0.0.1:{port}/jsonrpc")


# The servers of the programs that call one.
SERVERS = {
    "FirstHTTPCall": aria2,
    "FirstHTTPAPI": lambda: peer("repositories_server.py"),
    "FirstJSONAPI": lambda: peer("articles_server.py"),
}


# The commands that make the files that programs read, as the articles give them.
FILES = {
    "SecureProgram": [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-keyout", "key.pem", "-out",
        "cert.pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ],
}


def failure(name, command, line, number):
    """Runs a program in a folder of its own, and returns what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        if name in FILES:
            subprocess.run(FILES[name], cwd=folder, check=True, capture_output=True)
        return failure_in(folder, command, line, number)


def failure_in(folder, command, line, number):
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
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
    folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / ".build" / "debug"
    failures = 0
    for name, runs in PROGRAMS.items():
        for line, number in runs:
            with SERVERS[name]() if name in SERVERS else contextlib.nullcontext() as url:
                why = failure(name, [folder / name, *([url] if url else [])], line, number)
            if why:
                failures += 1
                sent = f" after {signal.Signals(number).name}" if number else ""
                print(f"run-samples: Snippets/{name}.swift{sent}: {why}", file=sys.stderr)
    print(f"run-samples: {len(PROGRAMS)} programs, {failures} failures", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
