# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "io"; see tests/local.mk.
