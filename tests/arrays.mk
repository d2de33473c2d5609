# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "arrays"; see tests/local.mk.
