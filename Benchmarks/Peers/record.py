# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Runs a program that prints its own tables, then shows its aims and writes its results as the other benchmarks do.

The program appends a line of JSON to the file after `--rows` for each row: the arguments of `result` in report.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from report import add_result_arguments, print_conditions, result, write_results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", help="its name, which is that of the file in Benchmarks/Results")
    parser.add_argument("program")
    parser.add_argument("--versions", nargs="*", default=[], help="what to note the versions of, beside Swift")
    add_result_arguments(parser)
    options = parser.parse_args()
    options.sources = os.path.dirname(os.path.abspath(__file__))
    options.rounds = 5  # Measurement.swift of each program.
    print_conditions(options)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as rows:
        status = subprocess.run([options.program, "--rows", rows.name]).returncode
        if status:
            sys.exit(f"status {status}: {options.program}")
        print()
        outcome = [result(**json.loads(line)) for line in rows]
    write_results(
        options, options.benchmark, outcome, f"processor time, the least of {options.rounds} rounds",
        ["Swift", *options.versions])


main()
