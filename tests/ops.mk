# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "ops"; see tests/local.mk.
