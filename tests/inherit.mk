# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "inherit"; see tests/local.mk.
