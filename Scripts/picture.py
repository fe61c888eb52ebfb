# swift-jsonrpc · SPDX-License-Identifier: MIT
"""What the scripts that draw pictures share: colours, a picture as SVG, and files that must be up to date."""

import html
import sys

LIGHT = {
    "ink": "#1f2328", "faint": "#57606a", "line": "#6e7781", "box": "#f6f8fa", "edge": "#d0d7de", "page": "#ffffff",
    "blue": "#0969da", "purple": "#8250df", "green": "#1a7f37", "red": "#cf222e", "amber": "#9a6700",
    "blueBox": "#ddf4ff", "purpleBox": "#fbefff", "greenBox": "#dafbe1", "redBox": "#ffebe9", "amberBox": "#fff8c5",
}
DARK = {
    "ink": "#e6edf3", "faint": "#9da7b1", "line": "#8b949e", "box": "#161b22", "edge": "#3d444d", "page": "#000000",
    "blue": "#58a6ff", "purple": "#bc8cff", "green": "#3fb950", "red": "#f85149", "amber": "#d29922",
    "blueBox": "#0c2d6b", "purpleBox": "#3c1e70", "greenBox": "#033a16", "redBox": "#5d0f12", "amberBox": "#4b2900",
}
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace"


class Picture:
    """A picture in the colours of one theme. Coordinates are pixels."""

    def __init__(self, width, height, title, colours):
        self.size, self.title, self.colours, self.parts = (width, height), title, colours, []

    def box(self, x, y, width, height, *lines, colour=None, mono=False, size=13, dashed=False):
        """A box with lines of text in its middle."""
        fill = self.colours[colour + "Box" if colour else "box"]
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" '
            f'stroke="{self.colours[colour or "edge"]}"{dash}/>')
        top = y + height / 2 - (len(lines) - 1) * (size + 4) / 2 + size * 0.36
        for index, line in enumerate(lines):
            self.text(x + width / 2, round(top + index * (size + 4), 1), line, anchor="middle", mono=mono, size=size)

    def text(self, x, y, text, colour="ink", anchor="start", mono=False, size=13, bold=False):
        style = (f' font-family="{MONO}"' if mono else "") + (' font-weight="600"' if bold else "")
        self.parts.append(
            f'<text x="{x}" y="{y}" fill="{self.colours[colour]}" text-anchor="{anchor}" font-size="{size}"{style}>'
            f"{html.escape(text)}</text>")

    def arrow(self, *points, colour="line", dashed=False):
        """A line through points, with a head at its end."""
        self.line(*points, colour=colour, dashed=dashed, end=f' marker-end="url(#{colour})"')

    def line(self, *points, colour="line", dashed=False, end="", width=1.5):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{self.colours[colour]}" stroke-width="{width}"{dash}{end}/>')

    def bar(self, x, y, width, height, colour):
        fill = self.colours[colour]
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" fill="{fill}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{self.colours[colour]}"/>')

    def svg(self):
        width, height = self.size
        heads = "".join(
            f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{self.colours[name]}"/></marker>'
            for name in ["line", "blue", "purple", "green", "red", "amber"] if any(f"url(#{name})" in p for p in self.parts))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-labelledby="title" font-family="{SANS}">\n<title id="title">{html.escape(self.title)}</title>\n'
            f"<defs>{heads}</defs>\n" + "\n".join(self.parts) + "\n</svg>\n")


def update(texts, script):
    """Writes {path: text}; or with --check, fails if a file has another text."""
    if "--check" not in sys.argv:
        for path, text in texts.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return
    stale = [path.name for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if stale:
        sys.exit(f"{script}: run Scripts/{script}.py again for " + ", ".join(stale))
