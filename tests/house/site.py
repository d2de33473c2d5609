# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the pages of a folder, a line each.

    site.py links FOLDER     links that lead nowhere, pages without a title, pictures without a word for those who do not see them
    site.py measure FOLDER   writes FOLDER/measure.html, whose script says which pages are wider than a phone, and whether search finds
"""

import sys
from html.parser import HTMLParser
from pathlib import Path

PHONE = 360

MEASURE = """<!DOCTYPE html><title>measure</title><body data-said="nothing"><script>
const pages = %s, said = [];
async function look(page) {
  const frame = document.createElement("iframe");
  frame.width = %d; frame.height = 800; frame.src = page;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const shown = frame.contentDocument.documentElement;
  if (shown.scrollWidth > %d) said.push(page + " is " + shown.scrollWidth + " wide");
  if (page === "index.html") {
    const input = frame.contentDocument.querySelector("input");
    input.value = "hed_add";
    input.dispatchEvent(new Event("input"));
    const first = frame.contentDocument.querySelector("#found a");
    said.push("search: " + (first ? first.textContent : "nothing"));
  }
  frame.remove();
}
(async () => { for (const p of pages) await look(p); document.body.dataset.said = said.join("; "); })();
</script>
"""


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.title, self.in_title, self.blind = set(), [], "", False, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.ids.update(a[k] for k in ("id", "name") if k in a and tag != "meta")
        self.in_title = tag == "title"
        if tag == "img" and not a.get("alt"):
            self.blind.append(a.get("src"))
        self.links += [a[k] for k in ("href", "src") if a.get(k)]

    def handle_data(self, data):
        self.title += data if self.in_title else ""

    def handle_endtag(self, tag):
        self.in_title = False


def links(folder):
    pages = {p.name: Page(p) for p in folder.glob("*.html")}
    for name, page in sorted(pages.items()):
        if not page.title.strip():
            print(f"{name} has no title")
        for picture in page.blind:
            print(f"{name}: {picture} has no words")
        for link in page.links:
            to, _, anchor = link.partition("#")
            if ":" in to:
                continue
            to = to or name
            if not (folder / to).exists() or (anchor and to in pages and anchor not in pages[to].ids):
                print(f"{name}: {link} leads nowhere")


def measure(folder):
    pages = sorted(p.name for p in folder.glob("*.html") if p.name != "measure.html")
    (folder / "measure.html").write_text(MEASURE % (pages, PHONE, PHONE), encoding="utf-8")


{"links": links, "measure": measure}[sys.argv[1]](Path(sys.argv[2]))
