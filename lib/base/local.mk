# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/base.
