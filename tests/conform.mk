# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "conform"; see tests/local.mk.
