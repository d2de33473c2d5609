# SPDX-License-Identifier: BSD-3-Clause
# `make installcheck`: see tests/install/run.t.

EXTRA_DIST += \
  tests/install/run.t \
  tests/install/10_programs.sh \
  tests/install/20_backend.sh \
  tests/install/30_mirror.sh \
  tests/install/40_lists.sh \
  tests/install/50_relay.sh \
  tests/install/60_cxx.sh \
  tests/install/65_wheel.py \
  tests/install/65_wheel.sh \
  tests/install/70_moved.sh \
  tests/install/backend.c \
  tests/install/hello.c \
  tests/install/hello.cc \
  tests/install/inherit.c \
  tests/install/kits.c \
  tests/install/use_backend.c \
  tests/install/use_lists.c \
  tests/install/use_mirror.c \
  tests/install/use_relay.c
installcheck-local:
	@test -z '$(DESTDIR)' || { echo 'make installcheck runs what is installed: no DESTDIR' >&2; exit 1; }
	env -i PATH="$$PATH" TMPDIR="$${TMPDIR:-/tmp}" LC_ALL=C \
	  CC='$(CC)' CXX='$(CXX)' HED_CXX17='$(HED_CXX17)' PKG_CONFIG='$(PKG_CONFIG)' \
	  PKG_CONFIG_PATH='$(pkgconfigdir)' libdir='$(libdir)' bindir='$(bindir)' version='$(PACKAGE_VERSION)' \
	  HEDDLE_TEST_SRCDIR='$(abs_top_srcdir)' PYTHON='$(HED_PYTHON)' $(SHELL) $(srcdir)/tests/install/run.t
