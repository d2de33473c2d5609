# SPDX-License-Identifier: BSD-3-Clause
# Manual and man page.
