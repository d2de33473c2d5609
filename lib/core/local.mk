# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/core.

lib_libheddle_la_SOURCES += \
  lib/core/account.c lib/core/account.h \
  lib/core/array.c lib/core/array.h lib/core/array_small.h \
  lib/core/available.c \
  lib/core/backend.c \
  lib/core/cache.c lib/core/cache.h \
  lib/core/cgroup.c lib/core/cgroup.h \
  lib/core/config.c lib/core/config.h \
  lib/core/context.c lib/core/context.h lib/core/context_query.c \
  lib/core/device.c \
  lib/core/dispatch.h \
  lib/core/dtype.c \
  lib/core/dtype_limits.c \
  lib/core/error.c \
  lib/core/fallback.c lib/core/fallback.h \
  lib/core/fast_path.c \
  lib/core/flight.c \
  lib/core/fuse.c lib/core/fuse.h \
  lib/core/fuse_graph.h \
  lib/core/fuse_run.c \
  lib/core/host_api.c \
  lib/core/host_data.c \
  lib/core/ladder.c lib/core/ladder.h \
  lib/core/lifecycle.c lib/core/lifecycle.h \
  lib/core/log.c lib/core/log.h \
  lib/core/magazine.h \
  lib/core/memory.c lib/core/memory.h \
  lib/core/module.c \
  lib/core/op_names_2.c \
  lib/core/op_numbers.c lib/core/op_numbers.h \
  lib/core/place.c lib/core/place.h \
  lib/core/permits.c lib/core/permits.h \
  lib/core/plan.c lib/core/plan.h \
  lib/core/pool.c lib/core/pool.h \
  lib/core/random_stream.c lib/core/random_stream.h \
  lib/core/records.c \
  lib/core/registry.c lib/core/registry.h lib/core/registry_internal.h \
  lib/core/region.c lib/core/region.h \
  lib/core/root.c \
  lib/core/run.c lib/core/run.h \
  lib/core/sanitized.h \
  lib/core/scope.c lib/core/scope.h lib/core/scope_slot.c \
  lib/core/settle.c lib/core/settle.h \
  lib/core/spec.c \
  lib/core/stack.c \
  lib/core/stats.c lib/core/stats.h \
  lib/core/stream.c \
  lib/core/submit.c lib/core/submit.h \
  lib/core/supports.c \
  lib/core/thread.c \
  lib/core/ticket.c lib/core/ticket.h \
  lib/core/tls.c lib/core/tls.h \
  lib/core/transfer.c lib/core/transfer.h \
  lib/core/usage.c \
  lib/core/uses.c lib/core/uses.h \
  lib/core/version.c
