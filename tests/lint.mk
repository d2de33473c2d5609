# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "lint"; see tests/local.mk.
