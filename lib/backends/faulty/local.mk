# SPDX-License-Identifier: BSD-3-Clause
# The faulty backend: a module built for `make check` only.  -rpath makes libtool build it shared
# although it is never installed.  Its version script shows what tests steer it with, too.

check_LTLIBRARIES += tests/backends/faulty.la
tests_backends_faulty_la_SOURCES = lib/backends/faulty/faulty.h \
  lib/backends/faulty/blocks.c \
  lib/backends/faulty/check.c \
  lib/backends/faulty/control.c \
  lib/backends/faulty/copy.c \
  lib/backends/faulty/elements.c \
  lib/backends/faulty/exchange.c \
  lib/backends/faulty/fate.c \
  lib/backends/faulty/fuse.c \
  lib/backends/faulty/index.c \
  lib/backends/faulty/job.c \
  lib/backends/faulty/kernels.c \
  lib/backends/faulty/memory.c \
  lib/backends/faulty/pinned.c \
  lib/backends/faulty/plugin.c \
  lib/backends/faulty/queue.c \
  lib/backends/faulty/submit.c \
  lib/backends/faulty/thread.c
tests_backends_faulty_la_LIBADD = $(reference_kernels_lib) $(hed_base_lib) -lm
tests_backends_faulty_la_LDFLAGS = -rpath /nowhere -module -avoid-version -shared \
  $(HED_SHLIB_LDFLAGS) -Wl,-z,now $(HED_FAULTY_MAP_LDFLAGS) $(HED_SANITIZE_FLAGS)
EXTRA_DIST += lib/backends/faulty/faulty.map
