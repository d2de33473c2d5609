#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# heddle completion: bash, where it is there, completes commands and options with what the script says.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
mkdir "$tmp/bin" && printf '#!/bin/sh\nexec "%s" "$@"\n' "$HEDDLE_TOOL" >"$tmp/bin/heddle" && chmod +x "$tmp/bin/heddle"
PATH=$tmp/bin:$PATH
export PATH
for shell in bash zsh fish; do
  heddle completion $shell >"$tmp/$shell" 2>"$tmp/err"
  is "$? $(wc -c <"$tmp/err" | tr -d ' ')" '0 0' "for $shell"
  if command -v $shell >/dev/null; then
    $shell -n "$tmp/$shell"
    ok $? "$shell can parse it"
  else
    skip "no $shell"
  fi
done
heddle completion csh >/dev/null 2>"$tmp/err"
is "$? $(grep -c 'bash, zsh, fish' "$tmp/err")" '2 1' 'a shell that there is none for'
if command -v bash >/dev/null; then
  # complete WORDS: what is proposed for the last one
  complete() { bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heddle; echo ${COMPREPLY[@]}' "$tmp/bash" "$@"; }
  is "$(complete heddle mat)" match 'a command'
  is "$(complete heddle '' | tr ' ' '\n' | grep -cxE 'info|simulate|template|match|peaks|refine|merge|convert|bench')" 9 \
    'all of them'
  is "$(complete heddle peaks --min-d)" --min-distance 'an option'
  is "$(complete heddle peaks --caller ma)" maximum 'the value of an option'
  is "$(complete heddle peaks --caller = t)" tiles 'after an equals sign'
  is "$(complete heddle config set num)" num_threads 'a setting'
  is "$(complete heddle bench sor)" sort 'a suite'
  touch "$tmp/some.file"
  is "$(cd "$tmp" && complete heddle peaks some)" some.file 'a file'
else
  skip 'no bash'
fi
done_testing
