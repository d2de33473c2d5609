# SPDX-License-Identifier: BSD-3-Clause
# Sources of lib/core: a list per room, bottom up.  A room includes those before it.

# process: what a process and a thread have before there is a backend
lib_libheddle_la_SOURCES += \
  %D%/process/cache.c %D%/process/cache.h %D%/process/cgroup.c %D%/process/cgroup.h %D%/process/config.c %D%/process/config.h \
  %D%/process/error.c %D%/process/log.c %D%/process/log.h %D%/process/place.c %D%/process/place.h %D%/process/pools.h \
  %D%/process/sanitized.h %D%/process/tls.c %D%/process/tls.h %D%/process/version.c %D%/process/words.c

# ops: the list of operations as data
lib_libheddle_la_SOURCES += \
  %D%/ops/host_reads.def %D%/ops/op_names_2.c %D%/ops/op_numbers.c %D%/ops/op_numbers.h %D%/ops/op_rows.h \
  %D%/ops/ops_info.c

# modules: plug-ins: found, opened, their devices
lib_libheddle_la_SOURCES += \
  %D%/modules/module.c %D%/modules/query.c %D%/modules/records.c %D%/modules/registry.c %D%/modules/registry.h \
  %D%/modules/registry_internal.h

# profile: what threads did, for who asks for it
lib_libheddle_la_SOURCES += \
  %D%/profile/buffer.c %D%/profile/events.c %D%/profile/events.h %D%/profile/flows.c %D%/profile/flows.h \
  %D%/profile/notes.c %D%/profile/nvtx.c %D%/profile/nvtx.h %D%/profile/probe.h %D%/profile/profile.h \
  %D%/profile/raw.h %D%/profile/session.c %D%/profile/session.h \
  %D%/profile/sink.c %D%/profile/sink.h %D%/profile/ticks.h %D%/profile/write.c %D%/profile/write.h

# context: who executes, for which thread
lib_libheddle_la_SOURCES += \
  %D%/context/account.c %D%/context/account.h %D%/context/context.c %D%/context/context.h %D%/context/context_query.c \
  %D%/context/dtype.c %D%/context/permits.c %D%/context/permits.h %D%/context/random_stream.c %D%/context/random_stream.h \
  %D%/context/region.c %D%/context/region.h %D%/context/root.c %D%/context/spec.c %D%/context/stack.c %D%/context/thread.c

# stream: what was submitted, what is over
lib_libheddle_la_SOURCES += \
  %D%/stream/stream.c %D%/stream/ticket.c %D%/stream/ticket.h

# memory: storage, pools, the ladder
lib_libheddle_la_SOURCES += \
  %D%/memory/available.c %D%/memory/flight.c %D%/memory/ladder.c %D%/memory/ladder.h %D%/memory/magazine.h %D%/memory/memory.c \
  %D%/memory/memory.h %D%/memory/pool.c %D%/memory/pool.h %D%/memory/storage.h %D%/memory/usage.c %D%/memory/uses.c \
  %D%/memory/uses.h

# array: handles on storage, and when their elements are there
lib_libheddle_la_SOURCES += \
  %D%/array/array.c %D%/array/array.h %D%/array/array_small.h %D%/array/dtype_limits.c %D%/array/scope.c %D%/array/scope.h \
  %D%/array/scope_slot.c %D%/array/settle.c %D%/array/settle.h %D%/array/submit.c %D%/array/submit.h %D%/array/transfer.c \
  %D%/array/transfer.h

# record: what was called on variables, for gradients
lib_libheddle_la_SOURCES += \
  %D%/record/arena.c %D%/record/arena.h %D%/record/body.h %D%/record/capture.c %D%/record/capture.h %D%/record/notes.c \
  %D%/record/record.c %D%/record/record.h %D%/record/rules.def

# dispatch: the way of one call
lib_libheddle_la_SOURCES += \
  %D%/dispatch/dispatch.h %D%/dispatch/fallback.c %D%/dispatch/fallback.h %D%/dispatch/fast_path.c %D%/dispatch/plan.c \
  %D%/dispatch/plan.h %D%/dispatch/run.c %D%/dispatch/run.h

# fuse: several calls in one pass
lib_libheddle_la_SOURCES += \
  %D%/fuse/fuse.c %D%/fuse/fuse.h %D%/fuse/fuse_graph.h %D%/fuse/fuse_run.c

# outside: seen from outside, and all parts at once
lib_libheddle_la_SOURCES += \
  %D%/outside/backend.c %D%/outside/device.c %D%/outside/host_api.c %D%/outside/host_data.c %D%/outside/lifecycle.c \
  %D%/outside/lifecycle.h %D%/outside/stats.c %D%/outside/supports.c
