#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Finds the code samples in README, DocC articles and doc comments that no build compiles.

A sample of three lines or more has to stand, line by line and in order, in a file that the build compiles: a snippet, an
example or a test. Blank lines, comments, imports and indentation do not
count. A line with an ellipsis (…) stands for any lines.
"""

import pathlib
import re
import sys

COMPILED = ["Snippets", "Examples", "Tests"]
FENCE = re.compile(r"^\s*```(\w*)\s*$")


def normalized(lines):
    """Returns the lines that count, without indentation and trailing comments."""
    kept = []
    for line in lines:
        line = re.sub(r"\s+//\s.*$", "", line).strip()
        if line and not line.startswith(("//", "import ")):
            kept.append(re.sub(r"\s+", " ", line))
    return kept


def samples(path):
    """Yields the line number and the lines of each Swift sample in a file."""
    is_source = path.suffix == ".swift"
    language, number, body = None, 0, []
    for index, line in enumerate(path.read_text().splitlines(), 1):
        if is_source:
            match = re.match(r"^\s*/// ?(.*)$", line)
            if not match:
                language, body = None, []
                continue
            line = match.group(1)
        fence = FENCE.match(line)
        if not fence:
            if language is not None:
                body.append(line)
        elif language is None:
            language, number, body = fence.group(1), index, []
        else:
            if language == "swift":
                yield number, body
            language, body = None, []


def stands_in(sample, text):
    """Tells whether the lines of a sample follow each other in a text, with anything in the place of an ellipsis."""
    parts, part = [], []
    for line in sample:
        if "…" in line:
            parts.append(part)
            part = []
        else:
            part.append(line)
    parts.append(part)
    parts = [part for part in parts if part]
    return matches(parts, text, 0)


def matches(parts, text, start):
    if not parts:
        return True
    part = parts[0]
    return any(
        text[at:at + len(part)] == part and matches(parts[1:], text, at + len(part))
        for at in range(start, len(text) - len(part) + 1)
    )


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    compiled = [
        normalized(path.read_text().splitlines())
        for folder in COMPILED for path in sorted((root / folder).rglob("*.swift")) if ".build" not in path.parts
    ]
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "Sources").rglob("*.md"))]
    documents += sorted((root / "Sources").rglob("*.swift"))
    found, failures = 0, 0
    for path in documents:
        for number, body in samples(path):
            sample = normalized(body)
            if len(sample) < 3:
                continue
            found += 1
            if not any(stands_in(sample, text) for text in compiled):
                failures += 1
                print(f"{path.relative_to(root)}:{number}: this sample is in no snippet, example or test", file=sys.stderr)
    if found < 20:
        sys.exit(f"check-samples: only {found} samples found: is this the package's root?")
    print(f"check-samples: {found} samples, {failures} of them in no compiled file", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
