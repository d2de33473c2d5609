# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "base"; see tests/local.mk.
