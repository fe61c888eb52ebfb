#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Prints what Autobahn|Testsuite found, as a table.

report.py INDEX.JSON COUNT AGENT [CASE...]: fails when a case of this agent or its closing handshake failed, but for the
named cases, or when there are not COUNT cases.
"""

import json
import sys

RESULTS = ["OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED", "FAILED"]
SECTIONS = {
    1: "Framing",
    2: "PING and PONG",
    3: "Reserved bits",
    4: "Opcodes",
    5: "Fragmentation",
    6: "UTF-8 handling",
    7: "Closing",
    9: "Limits and performance",
    10: "Miscellaneous",
    12: "permessage-deflate, mixed payloads",
    13: "permessage-deflate, parameters",
}


def order(name):
    return [int(part) for part in name.split(".")]


def main(path, expected, agent, *allowed):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)[agent]
    counts, endings, remarks, failures = {}, {}, [], 0
    for name in sorted(cases, key=order):
        result, ending = cases[name]["behavior"], cases[name]["behaviorClose"]
        # Any result that is not known here counts as a failure.
        known = result if result in RESULTS else "FAILED"
        row = counts.setdefault(order(name)[0], dict.fromkeys(RESULTS, 0))
        row[known] += 1
        endings[ending] = endings.get(ending, 0) + 1
        bad_ending = ending not in ("OK", "INFORMATIONAL")
        failures += (known == "FAILED" or bad_ending) and name not in allowed
        if known != "OK" or bad_ending:
            remarks.append(f"{name:10} {result:14} closing: {ending}")

    print(f"{agent:44}" + "".join(f"{result:>15}" for result in RESULTS))
    for section in sorted(counts):
        title = f"{section:>2} {SECTIONS.get(section, '')}"
        print(f"{title:44}" + "".join(f"{counts[section][result]:>15}" for result in RESULTS))
    totals = {result: sum(row[result] for row in counts.values()) for result in RESULTS}
    print(f"{'All':44}" + "".join(f"{totals[result]:>15}" for result in RESULTS))
    print("Closing: " + ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items())))
    if remarks:
        print("\nCases that are not OK:\n" + "\n".join(remarks))

    if len(cases) != int(expected):
        print(f"report: {expected} cases were run, and {len(cases)} have a result", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
