# SPDX-License-Identifier: BSD-3-Clause
# Other names of operations as assignments of a linker script: ops.def in.
function alias(a, b) { print "hed_" a " = hed_" b ";" }
/^HED_ALIAS/ {
  split($0, w, /[(,) ]+/)
  alias(w[2], w[3])
  if (/^HED_ALIAS_(INTO|BINARY)/) alias(w[2] "_into", w[3] "_into")
  if (/^HED_ALIAS_BINARY/) {
    alias(w[2] "_scalar", w[3] "_scalar")
    alias("scalar_" w[2], "scalar_" w[3])
    alias(w[2] "_scalar_into", w[3] "_scalar_into")
    alias("scalar_" w[2] "_into", "scalar_" w[3] "_into")
  }
}
