#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Writes the tables of Benchmarks/Results.md, and draws its charts, from the JSON of benchmarks in Benchmarks/Results.

  Scripts/bench-report.py            writes all of them again
  Scripts/bench-report.py --check    fails if a table or a chart is not what this script makes of the JSON

A section of Results.md between `<!-- results: NAME -->` and `<!-- end -->` is made from NAME.json. Charts are the SVG
files beside it, NAME.svg and NAME~dark.svg. The form of the JSON is described in Benchmarks/Peers/report.py.
"""

import itertools
import json
import math
import pathlib
import re
import sys

from picture import DARK, LIGHT, Picture, update

WIDTH = 860
# Charts by benchmark: name, kind, figure, parts, title. The figure is `ours`, beside that of the peers, or `ratio`.
CHARTS = {
    "session": [
        ("session-throughput", "bars", "ours", ["256 calls in flight on one connection"],
         "256 calls in flight on one connection"),
        ("session-depth", "growth", "ours", ["Growing numbers of calls in flight"],
         "Calls in flight on one connection"),
        ("session-connections", "growth", "ours", ["One call in flight on each connection, throughput"],
         "Connections, with one call in flight on each"),
    ],
    "streaming": [
        ("streaming", "bars", "ours", ["Notifications with two integers"], "Notifications taken by one consumer"),
    ],
    "codec": [
        ("codec", "bars", "ratio", ["Decoding", "Encoding"], "The codec by document: speed-up over Foundation"),
        ("codec-validation", "bars", "ratio", ["Validation"],
         "Validation by document: speed beside that of simdjson’s DOM"),
    ],
    "http": [("http", "bars", "ours", ["64 callers"], "HTTP exchanges with 64 callers")],
    "jsonapi": [
        ("jsonapi", "growth", "ratio", ["Reading a compound document"],
         "Included resources in a document: speed-up of typed resources"),
    ],
    "grpc": [
        ("grpc-calls", "bars", "ours", ["Calls of 32 bytes"],
         "Calls of 32 bytes by number in flight, beside grpc-swift-2"),
        ("grpc-large", "bars", "ours", ["Echo of 1 MiB"], "Echo of 1 MiB, beside grpc-swift-2"),
    ],
}
OURS = ["blue", "purple", "green", "amber"]
PEERS = ["red", "faint", "line", "ink"]


def number(figure):
    """Returns a figure with two decimals or three significant digits: 0.36, 7.2, 12.3, 107 000."""
    if figure is None:
        return "–"
    if abs(figure) < 1000:
        return f"{figure if abs(figure) < 0.1 else round(figure, 2):.3g}"
    figure = round(figure, 2 - math.floor(math.log10(abs(figure))))
    return f"{figure:,.0f}".replace(",", " ") if figure >= 10_000 else f"{figure:.0f}"


def code(text):
    """Marks what is code in the name of a row, and groups the digits of large numbers."""
    text = re.sub(r"\b\d{5,}\b", lambda digits: number(int(digits[0])), text)
    return re.sub(r"@\w+|\[Int\]|\w+\(\w+:\)", r"`\g<0>`", text)


def table(part, rows):
    """Returns the table of a part. The columns are the same in each."""
    units = {row["unit"] for row in rows}
    shared = units.pop() if len(units) == 1 else None
    title = f"{part}, {shared}" if shared else part
    lines = [f"| {title} | Ours | Peer | Ratio | Better | Aim |", "|---|---|---|---|---|---|"]
    for row in rows:
        def figure(key):
            return number(row[key]) + ("" if shared or row[key] is None else f" {row['unit']}")
        peer = "" if row["peer"] is None else row["peer"] + ("" if row["theirs"] is None else " " + figure("theirs"))
        ratio = "" if row["peer"] is None else number(row["ratio"])
        aim = "" if row["aim"] is None else number(row["aim"]) + ("" if row["met"] else " **missed**")
        name = code(row["name"]) + (f" ({row['note']})" if "note" in row else "")
        lines.append(f"| {name} | {figure('ours')} | {code(peer)} | {ratio} | {row['better']} | {aim} |")
    return "\n".join(lines)


def parts(run):
    """Returns {part: rows} in the order of the run."""
    found = {}
    for row in run["rows"]:
        found.setdefault(row["part"], []).append(row)
    return found


def described(run):
    machine = run["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    load = "" if machine["load"] is None else f", load {machine['load']} at the start"
    return (
        f"`{run['command']}`, {run['date']}, commit {run['commit']}: {run['statistic']}. {machine['processor']}, "
        f"{machine['processors']} processors, {machine['architecture']}, {machine['system']}{load}; {versions}."
        + (f" {run['note']}" if "note" in run else ""))


def section(run, drawn):
    """Returns the text of a section: the conditions, its charts and its tables."""
    pictures = [
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="Results/{name}~dark.svg">'
        f'<img alt="{title}" src="Results/{name}.svg"></picture>'
        for name, title in drawn
    ]
    tables = [table(part, rows) for part, rows in parts(run).items()]
    return "\n\n".join([described(run), *pictures, *tables])


class Chart(Picture):
    """A chart with its title, and the unit and the run below it."""

    def __init__(self, height, title, unit, better, run, colours, hint=""):
        super().__init__(WIDTH, height, title, colours)
        self.text(16, 26, title, bold=True, size=15)
        machine = f"{run['machine']['processor']}, {run['machine']['processors']} processors"
        self.text(16, 46, f"{unit}, {better} is better{hint}", "faint", size=12)
        self.text(WIDTH - 16, 46, f"{run['date']}, commit {run['commit']}, {machine}", "faint", "end", size=11)


def bars(title, rows, kind, run, colours):
    """Returns a chart with bars: ours beside those of the peers, for each document or kind of params."""
    groups = {}
    for row in rows:
        entries = groups.setdefault(row["at"], {})
        if kind == "ratio":
            entries[row["line"], True] = row["ratio"]
        else:
            entries[row["line"], True] = row["ours"]
            if not (row["peer"] or "ours").startswith("ours"):
                entries[row["peer"], False] = row["theirs"]
    most = max(value for entries in groups.values() for value in entries.values())
    named = len(groups) > 1 or any(len(entries) > 1 for entries in groups.values())
    left = max([len(name) for entries in groups.values() for name, _ in entries] if named else [0]) * 6.6 + 32
    height = 70 + sum(26 + 22 * len(entries) for entries in groups.values())
    hint = "; dashed: as fast as the peer" if kind == "ratio" else "; blue: this package"
    chart = Chart(height, title, unit_of(rows, kind), rows[0]["better"], run, colours, hint)
    y, scale = 62, (WIDTH - left - 90) / most
    for group, entries in groups.items():
        chart.text(16, y + 16, str(group), bold=True, size=12)
        y += 24
        # Ours first, each from the greatest on.
        for (name, is_ours), value in sorted(entries.items(), key=lambda entry: (not entry[0][1], -entry[1])):
            chart.text(left - 8, y + 13, name, anchor="end", size=12)
            chart.bar(round(left, 1), y + 2, round(max(value * scale, 1), 1), 15, "blue" if is_ours else "line")
            end = round(left + value * scale + 6, 1)
            # A number stands at the right of the dashed line, not across it.
            if kind == "ratio" and left + scale - 36 < end < left + scale + 6:
                end = round(left + scale + 6, 1)
            chart.text(end, y + 14, number(value), "ink" if is_ours else "faint", size=12)
            y += 22
        y += 2
    if kind == "ratio":
        x = round(left + scale, 1)
        chart.line((x, 60), (x, height - 8), colour="red", dashed=True)
    return chart


def growth(title, rows, kind, run, colours):
    """Returns a chart with lines over a number of calls, connections or resources."""
    lines = {}
    for row in rows:
        at = int(row["at"])
        if kind == "ratio":
            lines.setdefault((f"beside {row['peer']}", True), {})[at] = row["ratio"]
        else:
            lines.setdefault((row["line"], True), {})[at] = row["ours"]
            if not (row["peer"] or "ours").startswith("ours"):
                lines.setdefault((row["peer"], False), {})[at] = row["theirs"]
    lines = {name: points for name, points in lines.items() if len(points) > 1}
    chart = Chart(410, title, unit_of(rows, kind), rows[0]["better"], run, colours)
    left, right, top, bottom = 80, WIDTH - 24, 114, 374
    ats = sorted({at for points in lines.values() for at in points})
    most = max(value for points in lines.values() for value in points.values())
    step = next(s for s in steps() if most / s <= 6)
    ceiling = math.ceil(most / step) * step
    low, high = math.log(ats[0]), math.log(ats[-1])

    def place(at, value):
        x = left + 10 + (math.log(at) - low) / (high - low) * (right - left - 30)
        return round(x, 1), round(bottom - value / ceiling * (bottom - top), 1)

    for index in range(round(ceiling / step) + 1):
        y = place(ats[0], index * step)[1]
        chart.line((left, y), (right, y), colour="edge", width=1)
        chart.text(left - 8, y + 4, number(index * step), "faint", "end", size=12)
    for at in ats:
        chart.text(place(at, 0)[0], bottom + 20, number(at), "faint", "middle", size=12)
    x, y, colour = 16, 70, {True: itertools.cycle(OURS), False: itertools.cycle(PEERS)}
    for (name, is_ours), points in lines.items():
        own = next(colour[is_ours])
        placed = [place(at, points[at]) for at in sorted(points)]
        chart.line(*placed, colour=own, dashed=not is_ours, width=2)
        for point in placed:
            chart.dot(*point, own)
        width = 46 + len(name) * 6.6
        if x + width > WIDTH:
            x, y = 16, y + 18
        chart.line((x, y), (x + 22, y), colour=own, dashed=not is_ours, width=2)
        chart.text(x + 28, y + 4, name, size=12)
        x = round(x + width, 1)
    return chart


def steps():
    """Yields 0.5, 1, 2, 5, 10 and so on: distances between the lines of a grid."""
    for power in itertools.count(-1):
        for factor in (1, 2, 5):
            yield factor * 10.0 ** power


def unit_of(rows, kind):
    return "Ratio" if kind == "ratio" else rows[0]["unit"][0].upper() + rows[0]["unit"][1:]


def charts(run):
    """Yields the name, the title and a function for each chart that the figures of a run are enough for."""
    for name, kind, figure, wanted, title in CHARTS.get(run["benchmark"], []):
        rows = [row for part in wanted for row in parts(run).get(part, []) if "at" in row and row[figure] is not None]
        if figure == "ours":
            rows = [row for row in rows if (row["peer"] or "ours").startswith("ours") or row["theirs"] is not None]
        draw = bars if kind == "bars" else growth
        if len({row["at"] for row in rows}) > (1 if kind == "growth" else 0):
            yield name, title, lambda colours, d=draw, t=title, r=rows, f=figure: d(t, r, f, run, colours).svg()


def main():
    results = pathlib.Path(__file__).resolve().parent.parent / "Benchmarks/Results"
    texts, sections = {}, {}
    for file in sorted(results.glob("*.json")):
        run, drawn = json.loads(file.read_text()), []
        for name, title, draw in charts(run):
            drawn.append((name, title))
            texts[results / f"{name}.svg"] = draw(LIGHT)
            texts[results / f"{name}~dark.svg"] = draw(DARK)
        sections[file.stem] = section(run, drawn)
    page = results.parent / "Results.md"

    def replaced(match):
        text = sections.pop(match[1], "No run of this benchmark has been published yet.")
        return f"<!-- results: {match[1]} -->\n{text}\n<!-- end -->"

    texts[page] = re.sub(r"<!-- results: (\S+) -->\n.*?<!-- end -->", replaced, page.read_text(), flags=re.DOTALL)
    unread = [f"Results.md has no section for {name}.json" for name in sections]
    unread += [f"no chart is drawn as {path.name}" for path in results.glob("*.svg") if path not in texts]
    if unread:
        sys.exit("bench-report: " + "; ".join(unread))
    update(texts, "bench-report")


main()
