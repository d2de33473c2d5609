# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "cpu"; see tests/local.mk.
