# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "kits"; see tests/local.mk.

include $(srcdir)/tests/kit_files.mk
