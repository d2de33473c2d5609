# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "cli"; see tests/local.mk.
