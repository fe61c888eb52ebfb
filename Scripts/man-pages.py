#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Writes the manual pages of the tool: one of the tool, and one of each command.

  man-pages.py TOOL FOLDER DATE

Their text is that of TOOL's help, which TOOL prints as JSON. DATE (YYYY-MM-DD) is the date in the pages.
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys
import textwrap

ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}


def escaped(text):
    """Returns a text for roff, which prints these very characters, so that examples can be copied."""
    return "".join(
        ESCAPES.get(character, character if character.isascii() else f"\\[u{ord(character):04X}]") for character in text)


def line(text):
    """Returns a line of text. A period at its beginning would make it a request."""
    return "\\&" * text.startswith(".") + escaped(text)


def paragraphs(text):
    """Yields the lines of a help text. Its indented lines are printed as they are, such as examples and tables."""
    for block in re.split(r"\n\s*\n", text.rstrip()):
        yield ".P"
        for is_indented, group in itertools.groupby(block.split("\n"), key=lambda each: each.startswith(" ")):
            if is_indented:
                yield from [".RS 4", ".EX", *map(line, textwrap.dedent("\n".join(group)).split("\n")), ".EE", ".RE"]
            else:
                yield line(" ".join(group))


def placeholder(argument):
    return f"\\fI{escaped(argument['valueName'])}\\fP"


def term(argument):
    """Returns how an argument is written on a command line."""
    if argument["kind"] == "positional":
        return placeholder(argument)
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    names = ", ".join(f"\\fB{escaped(name)}\\fP" for name in sorted(names, key=len))
    return f"{names} {placeholder(argument)}" if argument["kind"] == "option" else names


def description(argument):
    """Returns what the help says of an argument."""
    notes = []
    if argument.get("allValues"):
        notes.append("values: " + ", ".join(argument["allValues"]))
    if argument.get("defaultValue"):
        notes.append("default: " + argument["defaultValue"])
    return " ".join([argument.get("abstract", ""), *([f"({'; '.join(notes)})"] if notes else [])]).strip()


def entries(arguments):
    for argument in arguments:
        yield from [".TP", term(argument), line(description(argument))]


def synopsis(name, arguments):
    words = [f"\\fB{escaped(name)}\\fP"]
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoptions\\fP]")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = placeholder(argument) + " ..." * argument["isRepeating"]
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def page(command, version, date):
    """Returns the name and the text of a command's page."""
    words = [*command.get("superCommands", []), command["commandName"]]
    name, shown = "-".join(words), [each for each in command["arguments"] if each["shouldDisplay"]]
    commands = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    abstract = command["abstract"].rstrip(".")
    lines = [
        ".\\\" Made by Scripts/man-pages.py from the help of the tool.",
        f".TH {escaped(name.upper())} 1 {date} \"jsonrpc {escaped(version)}\" \"swift\\-jsonrpc\"",
        # Words are neither hyphenated, since many are names, nor spaced out.
        ".nr HY 0", ".ad l",
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract[0].lower() + abstract[1:])}",
        ".SH SYNOPSIS",
    ]
    if commands:
        lines += ["\\fBjsonrpc\\fP \\fIcommand\\fP [\\fIoptions\\fP] [\\fIargument\\fP ...]", ".br"]
    lines.append(synopsis(" ".join(words), shown))
    lines.append(".SH DESCRIPTION")
    lines += list(paragraphs(command.get("discussion") or command["abstract"]))[1:]
    if commands:
        lines.append(".SH COMMANDS")
        for each in commands:
            lines += [".TP", f"\\fB{escaped(each['commandName'])}\\fP", line(each["abstract"])]
    positional = [each for each in shown if each["kind"] == "positional"]
    if positional:
        lines += [".SH ARGUMENTS", *entries(positional)]
    options = [each for each in shown if each["kind"] != "positional"]
    lines.append(".SH OPTIONS")
    # Those without a section first: a section cannot be closed.
    for section in dict.fromkeys([None, *(each.get("sectionTitle") for each in options)]):
        if section:
            lines.append(f".SS {escaped(section)}")
        lines += entries(each for each in options if each.get("sectionTitle") == section)
    others = [f"jsonrpc-{each['commandName']}" for each in commands] or ["jsonrpc"]
    ends = [","] * (len(others) - 1) + [""]
    lines += [".SH SEE ALSO", *(f".BR {escaped(each)} (1){end}" for each, end in zip(others, ends))]
    return name, "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tool, folder, date = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]

    def run(option):
        return subprocess.run([tool, option], check=True, capture_output=True, text=True, timeout=60).stdout

    described = json.loads(run("--experimental-dump-help"))
    if described["serializationVersion"] != 0:
        sys.exit(f"man-pages: unknown format of the help: version {described['serializationVersion']}")
    version = re.search(r"\d+\.\d+\.\d+\S*", run("--version")).group()
    folder.mkdir(parents=True, exist_ok=True)
    root = described["command"]
    for command in [root, *root["subcommands"]]:
        if command["shouldDisplay"] and command["commandName"] != "help":
            name, text = page(command, version, date)
            (folder / f"{name}.1").write_text(text)


if __name__ == "__main__":
    main()
