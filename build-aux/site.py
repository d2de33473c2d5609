# SPDX-License-Identifier: BSD-3-Clause
"""What makeinfo's HTML pages lack: their sections as sections.js, in which search.js looks; figures that were not made go.

    site.py FOLDER
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

HEADINGS = {"h1", "h2", "h3", "h4"}


class Sections(HTMLParser):
    """A section begins with a heading, or with a definition in the list of functions; both have an id or follow a span that has."""

    def __init__(self, page):
        super().__init__()
        self.page, self.found, self.anchor, self.title, self.skip = page, [], "", None, 0

    def begin(self, anchor):
        self.found.append(["", f"{self.page}#{anchor}" if anchor else self.page, []])
        self.title = []

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id", "")
        if tag in ("style", "script", "title"):
            self.skip += 1
        elif tag in HEADINGS:
            self.begin(name or self.anchor)
        elif tag == "dt" and name.startswith("index-hed"):
            self.begin(name)
        elif name:
            self.anchor = name

    def handle_endtag(self, tag):
        if tag in ("style", "script", "title"):
            self.skip -= 1
        elif self.title is not None and (tag in HEADINGS or tag == "dt"):
            text = " ".join("".join(self.title).replace("¶", "").split())
            name = re.search(r"\bhed_\w+(?= *\()", text) if tag == "dt" else None
            self.found[-1][0] = name.group() if name else text
            self.found[-1][2].append(text if name else "")
            self.title = None

    def handle_data(self, data):
        if self.skip:
            return
        if self.title is not None:
            self.title.append(data)
        elif self.found:
            self.found[-1][2].append(data)


def without_missing_figures(page):
    def kept(figure):
        return figure.group() if (page.parent / figure.group(1)).exists() else ""

    text = page.read_text(encoding="utf-8")
    shown = re.sub(r'<p class="figure"><img src="([^"]+)".*?</p>\n', kept, text)
    if shown != text:
        page.write_text(shown, encoding="utf-8")
    return shown


def main(folder):
    all_sections = []
    for page in sorted(folder.glob("*.html")):
        parser = Sections(page.name)
        parser.feed(without_missing_figures(page))
        all_sections += [[title, address, " ".join(" ".join(text).split())] for title, address, text in parser.found if title]
    if not all_sections:
        sys.exit(f"{folder}: no page has a section")
    lines = ",\n".join(json.dumps(s, ensure_ascii=False) for s in all_sections)
    (folder / "sections.js").write_text(f"const sections = [\n{lines}\n];\n", encoding="utf-8")


main(Path(sys.argv[1]))
