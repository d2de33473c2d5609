/* SPDX-License-Identifier: BSD-3-Clause */
/* Search in what sections.js lists, [title, address, text] each: all words have to be there; titles count before text. */
"use strict";

function rank(section, words) {
  const title = section[0].toLowerCase(), text = section[2].toLowerCase();
  let sum = 0;
  for (const w of words) {
    if (title === w || title === "hed_" + w) sum += 100;
    else if (title.startsWith(w) || title.startsWith("hed_" + w)) sum += 20;
    else if (title.includes(w)) sum += 10;
    else if (text.includes(w)) sum += 1;
    else return 0;
  }
  return sum;
}

function around(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (at > 0 ? "… " : "") + text.slice(at, at + 180) + (at + 180 < text.length ? " …" : "");
}

function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return sections.map(s => [rank(s, words), s]).filter(r => r[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 40)
    .map(([, s]) => ({ title: s[0], address: s[1], text: around(s[2], words[0]) }));
}

document.addEventListener("DOMContentLoaded", () => {
  const nav = document.createElement("nav"), input = document.createElement("input"), found = document.createElement("ul");
  nav.className = "site";
  nav.innerHTML = '<a href="index.html">Heddle</a>';
  input.type = "search";
  input.placeholder = "Search the manual";
  input.setAttribute("aria-label", "Search the manual");
  found.id = "found";
  nav.append(input);
  document.body.prepend(nav, found);
  input.addEventListener("input", () => {
    found.replaceChildren(...search(input.value).map(r => {
      const li = document.createElement("li"), a = document.createElement("a"), text = document.createElement("small");
      a.href = r.address;
      a.textContent = r.title;
      text.textContent = r.text;
      li.append(a, text);
      return li;
    }));
  });
});
