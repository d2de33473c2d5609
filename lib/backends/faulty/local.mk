# SPDX-License-Identifier: BSD-3-Clause
# The faulty backend: a module built for `make check` only.  It is linked as
# tests/backends/faulty.la (check_LTLIBRARIES); -rpath makes libtool build it shared although it
# is never installed: $(HED_MODULE_LDFLAGS) -rpath /nowhere $(HED_SANITIZE_FLAGS)
