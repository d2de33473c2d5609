// SPDX-License-Identifier: BSD-3-Clause
/* What a module for devices has of the layer: dev_open, and the members of hed_plugin that are the same for all. L1. */
#ifndef HED_DEVICE_MODULE_H
#define HED_DEVICE_MODULE_H

#include "backends/device/fuse/fuse.h"
#include "backends/device/rows/rows.h"

#define DEV_MEMBERS \
  .flags = HED_PLUGIN_STREAMS | HED_PLUGIN_HOST_SCALARS | HED_PLUGIN_FUSE_DEVICE | HED_PLUGIN_CHECKS_INDICES, \
  .ops = dev_ops, .resolve = dev_resolve, .fuse = dev_fuse, .describe = dev_describe, .alloc = dev_alloc, .free = dev_free, \
  .copy_in = dev_copy_in, .copy_out = dev_copy_out, .copy_in_async = dev_copy_in_async, .copy_peer = dev_copy_peer, \
  .pinned_alloc = dev_pinned_alloc, .pinned_free = dev_pinned_free, .wait = dev_wait, .done = dev_done, .memory = dev_memory, \
  .trim = dev_trim, .thread_exit = dev_thread_exit, .fork_child = dev_fork_child, .stream = dev_stream_number, \
  .stream_native = dev_stream_native, .stream_adopt = dev_stream_adopt, .stream_select = dev_stream_select, \
  .stream_after = dev_stream_after, .after_stream = dev_after_stream

#endif
