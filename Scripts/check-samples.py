#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Finds the code samples in README, DocC articles and doc comments that no build compiles.

A sample of three lines or more has to stand, line by line and in order, in a file that the build compiles: a snippet, an
example or a test. Blank lines, comments, imports and indentation do not
count. A line with an ellipsis (…) stands for any lines.

A sample whose paragraph names main.swift has to be, with its indentation, one of the programs that run-samples.py runs.

A sample in one of the languages of FILES has to be that file, without comments at its beginning.
"""

import pathlib
import re
import runpy
import sys

COMPILED = ["Snippets", "Examples", "Tests"]
FILES = {
    "dockerfile": "Dockerfile", "ini": "example.service", "nginx": "nginx.conf", "haproxy": "haproxy.cfg",
}
FENCE = re.compile(r"^\s*```(\w*)\s*$")


def normalized(lines, keeps_indentation=False):
    """Returns the lines that count, without indentation and trailing comments."""
    kept = []
    for line in lines:
        line = re.sub(r"\s+//\s.*$", "", line).rstrip()
        indentation = line[:len(line) - len(line.lstrip())] if keeps_indentation else ""
        line = line.strip()
        if line and not line.startswith(("//", "import ")):
            kept.append(indentation + re.sub(r"\s+", " ", line))
    return kept


def samples(path):
    """Yields the language, the line number, the lines and the paragraph before of each sample in a file."""
    is_source = path.suffix == ".swift"
    language, number, body, paragraph, is_blank = None, 0, [], [], True
    for index, line in enumerate(path.read_text().splitlines(), 1):
        if is_source:
            match = re.match(r"^\s*/// ?(.*)$", line)
            if not match:
                language, body, paragraph = None, [], []
                continue
            line = match.group(1)
        fence = FENCE.match(line)
        if not fence:
            if language is not None:
                body.append(line)
            elif line.strip():
                # A paragraph ends where the next one begins.
                paragraph = paragraph + [line] if not is_blank else [line]
            is_blank = not line.strip()
        elif language is None:
            language, number, body = fence.group(1), index, []
        else:
            if language == "swift" or language in FILES:
                yield language, number, body, " ".join(paragraph)
            language, body, paragraph = None, [], []


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


def is_file(root, language, body):
    """Tells whether a sample is the file of its language."""
    lines = (root / "Examples" / "Deploying" / FILES[language]).read_text().splitlines()
    while language == "dockerfile" and lines[0].startswith("#"):
        lines.pop(0)
    return lines == body


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    compiled = [
        normalized(path.read_text().splitlines())
        for folder in COMPILED for path in sorted((root / folder).rglob("*.swift")) if ".build" not in path.parts
    ]
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "Sources").rglob("*.md"))]
    documents += sorted((root / "Sources").rglob("*.swift"))
    programs = [
        normalized((root / "Snippets" / f"{name}.swift").read_text().splitlines(), keeps_indentation=True)
        for name in runpy.run_path(str(root / "Scripts" / "run-samples.py"))["PROGRAMS"]
    ]
    found, failures = 0, 0
    for path in documents:
        for language, number, body, paragraph in samples(path):
            if language != "swift":
                if not is_file(root, language, body):
                    failures += 1
                    print(f"{path.relative_to(root)}:{number}: this is not {FILES[language]} of Examples/Deploying", file=sys.stderr)
                continue
            if "main.swift" in paragraph and normalized(body, keeps_indentation=True) not in programs:
                failures += 1
                print(
                    f"{path.relative_to(root)}:{number}: this main.swift is no program of run-samples.py",
                    file=sys.stderr)
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
