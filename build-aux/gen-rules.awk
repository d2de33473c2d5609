# SPDX-License-Identifier: BSD-3-Clause
# The manual's lists of operations with and without a rule for their derivative.
#
#   awk -f gen-rules.awk  ops.def rules.def

function fill(words, n,    k) {
  for (k = 1; k <= n; k++)
    printf "@code{%s}%s\n", words[k], k < n ? "," : "."
}
FILENAME ~ /ops\.def$/ && /^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(/ {
  split($0, part, /[(,] */)
  id[++ids] = part[2]
  name[part[2]] = part[3]
  # what makes bool or integers, or takes nothing else, is a constant
  domain = $0
  match(domain, /"[a-z]*", [A-Z_]+/)
  split(substr(domain, RSTART + 1, RLENGTH - 1), word, /", /)
  constant[part[2]] = word[2] == "BOOL" || word[2] == "INDEX" || word[1] !~ /[fc]/
}
FILENAME ~ /rules\.def$/ && /^HED_(RULE|PARTS|ZERO)[A-Z0-9_]*\([A-Z0-9_]+[,)]/ {
  split($0, part, /[(,)] */)
  kind[part[2]] = part[1] == "HED_ZERO" ? "zero" : "rule"
}
END {
  for (k = 1; k <= ids; k++) {
    i = id[k]
    if (kind[i] == "rule") with[++n_with] = name[i]
    else if (kind[i] == "zero") zero[++n_zero] = name[i]
    else if (!constant[i]) without[++n_without] = name[i]
  }
  print "These have a rule:"
  fill(with, n_with)
  print "\nThe derivative of these is 0 almost everywhere, so that their results are constants:"
  fill(zero, n_zero)
  print "\nThese have none yet; of those that draw numbers, make arrays or answer with integers nothing is to be had, and asking is no"
  print "error either:"
  fill(without, n_without)
}
