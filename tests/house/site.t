#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual as pages (make html): every link leads somewhere, every page has a title, none is wider than a phone, search finds.
# reads: doc/ build-aux/ include/
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
why=$("$srcdir/tests/changed" "$0") || skip_all "$why"
command -v makeinfo >/dev/null || skip_all 'no makeinfo'
command -v python3 >/dev/null || skip_all 'no python3'
pages=$builddir/doc/heddle.html

# The make that runs this test has its own jobs and settings; this one has none of them.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$builddir" html >"$tmp/log" 2>&1
ok $? 'make html' || cat "$tmp/log"
none "$(python3 "$srcdir/tests/house/site.py" links "$pages")" 'links, titles and words for pictures'

cp -r "$pages" "$tmp/red"
sed -i 's/href="Threads.html"/href="Threat.html"/; s/alt="Four[^"]*"//; s/<title>[^<]*/<title>/' "$tmp/red/Contexts.html"
is "$(python3 "$srcdir/tests/house/site.py" links "$tmp/red" | cut -d' ' -f1-3 | sort -u | tr '\n' ';')" \
  'Contexts.html has no;Contexts.html: Threat.html leads;Contexts.html: stack.svg has;' 'what is wrong is noticed'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { skip 'no Chromium'; done_testing; exit; }
look() { # FOLDER: what the script of measure.html says
  python3 "$srcdir/tests/house/site.py" measure "$1"
  HOME=$tmp timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
    --user-data-dir="$tmp/browser" --virtual-time-budget=60000 --dump-dom "file://$(cd "$1" && pwd)/measure.html" 2>/dev/null |
    sed -n 's/.*data-said="\([^"]*\)".*/\1/p'
}
sed -i 's/<div class="chapter"/<div style="width: 500px">x<\/div>&/' "$tmp/red/Memory.html"
is "$(look "$tmp/red" | sed 's/ is [0-9]*//')" 'Memory.html wide; search: hed_add' 'one wide page is noticed, and search finds hed_add'
rm -f "$tmp/red/Memory.html" "$tmp/red/measure.html"
is "$(look "$tmp/red")" 'search: hed_add' 'no other page is wider than a phone'
done_testing
