# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "runtime"; see tests/local.mk.
