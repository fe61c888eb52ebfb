#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Checks that the suites and the tests that Development/Origins.md names exist, at the paths that it gives."""

import pathlib
import re
import sys

NAME = re.compile(r"`((?:\w+/)*\w+Tests)(?:\.(\w+))?`")


def complaint(path, test):
    """Returns what is wrong with a name such as `A/BTests.test`, or None."""
    if any(pathlib.Path("Tests").glob(f"*/{path}/")):
        return None
    files = list(pathlib.Path("Tests").rglob(path.split("/")[-1] + ".swift"))
    if "/" in path:
        files = [file for file in files if "/".join(file.parts[2:]) == path + ".swift"]
    if not files:
        return "there is no such suite"
    if test and not any(re.search(rf"func {test}\b", file.read_text()) for file in files):
        return "the suite has no such test"
    return None


origins = pathlib.Path("Development/Origins.md")
failed = False
for number, line in enumerate(origins.read_text().splitlines(), 1):
    for path, test in NAME.findall(line):
        if reason := complaint(path, test):
            print(f"{origins}:{number}: {path}{'.' + test if test else ''}: {reason}", file=sys.stderr)
            failed = True
sys.exit(failed)
