# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Measures the engine over libwebsockets beside the own engine, C on plain libwebsockets, and Node, over TCP and TLS."""

import os
import statistics
import subprocess
import tempfile

import scaling
from report import result, row, server

OPTION = "--engine=libwebsockets"
OTHER = "ours, libwebsockets"
OTHER_ON_LOOP = "ours, libwebsockets, on its event loop"
C = "C, one write per message"
NODE = "Node ws"
PARAMS = [1, 2]
WIDTHS = [1, 256, 1000, 4000]
COLUMNS = (40, 12, 10, 10, 10)


def both(clients, options, own):
    """One connection with 1 to 4000 calls in flight, then connections without calls. `own` has the own engine."""
    ways = [*own, OTHER, OTHER_ON_LOOP, C, NODE]
    outcome = in_flight(clients, options, ways, "plain")
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key],
            check=True, stderr=subprocess.DEVNULL)
        # The certificate is its own authority. OpenSSL reads the first of these variables, Node the second.
        os.environ["SSL_CERT_FILE"] = os.environ["NODE_EXTRA_CA_CERTS"] = certificate
        outcome += in_flight(clients, options, ways, "TLS", certificate, key)
        del os.environ["SSL_CERT_FILE"], os.environ["NODE_EXTRA_CA_CERTS"]
    return outcome + scaling.ten_active(clients, options, [own[0], OTHER], has_aims=False)


def in_flight(clients, options, ways, name, *files):
    print(f"\none connection, {name}: latency of a call (lower is better), calls per second (higher is better), "
          "CPU us per call (lower is better)")
    lines = {(way, width): [] for way in ways for width in WIDTHS}
    with server([f"{options.peers}/lws-server", *files], "wss" if files else "ws") as url:
        for turn in range(options.rounds):
            for width in WIDTHS if turn % 2 == 0 else reversed(WIDTHS):
                for way in ways:
                    share = clients.commands[way][1]
                    count = options.calls / 25 / share if width == 1 else max(options.calls / 2, 4 * width / share)
                    lines[way, width].append(clients.run(way, url, "echo", PARAMS, width, count))

    def median(way, width, figure):
        return statistics.median(figure(line) for line in lines[way, width])

    def rate(way, width):
        return median(way, width, lambda line: line["calls_per_second"])

    def latency(way):
        return median(way, 1, lambda line: line["latency_us"]["p50"])

    row(["in flight", "1", *(str(width) for width in WIDTHS[1:])], COLUMNS)
    for way in ways:
        row([way, f"{latency(way):.1f} us", *(f"{rate(way, width):.0f}" for width in WIDTHS[1:])], COLUMNS)
        used = (median(way, width, lambda line: line["processor_us_per_call"]) for width in WIDTHS)
        row(["  CPU us per call", *(f"{time:.2f}" for time in used)], COLUMNS)
    return [
        line
        for way in (OTHER, OTHER_ON_LOOP)
        for line in (
            result(
                "Engine over libwebsockets", f"{name}, 256 in flight, {way}", "calls/s", rate(way, 256), NODE,
                rate(NODE, 256), aim=1.5),
            result(
                "Engine over libwebsockets", f"{name}, median latency, {way}", "µs", latency(way), C, latency(C),
                "lower", 1.15),
        )
    ]
