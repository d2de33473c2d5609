# SPDX-License-Identifier: BSD-3-Clause
# The backends, the library's own and the modules.
#
# A backend NAME is a folder lib/backends/NAME, whose local.mk adds NAME to hed_host_backends (its arrays are in host memory,
# and what devices lack may run there) or hed_device_backends, which are known by name also where their module was not built,
# and two lines: its include below, and in configure.ac the macro that looks for what it needs.

hed_host_backends =
hed_device_backends =

include $(srcdir)/lib/backends/reference/local.mk
include $(srcdir)/lib/backends/cpu/local.mk
include $(srcdir)/lib/backends/faulty/local.mk
include $(srcdir)/lib/backends/device/kernels/local.mk
