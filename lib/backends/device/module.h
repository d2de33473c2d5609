// SPDX-License-Identifier: BSD-3-Clause
/* What a module for devices has of the layer: dev_open, and the members of hed_plugin that are the same for all. L1. */
#ifndef HED_DEVICE_MODULE_H
#define HED_DEVICE_MODULE_H

#include "backends/device/device.h"

enum { DEV_MOST_DEVICES = 16 /* of a backend */ };

/* A device on PORT and DEV, ready. NAME: the backend's. */
int32_t dev_open(const dev_port *port, void *dev, const hed_host_api *host, const hed_plugin *plugin, int32_t index,
                 dev_device **out);

#define DEV_MEMBERS \
  .flags = HED_PLUGIN_STREAMS | HED_PLUGIN_HOST_SCALARS | HED_PLUGIN_FUSE_DEVICE | HED_PLUGIN_CHECKS_INDICES, \
  .ops = dev_ops, .resolve = dev_resolve, .fuse = dev_fuse, .describe = dev_describe, .alloc = dev_alloc, .free = dev_free, \
  .copy_in = dev_copy_in, .copy_out = dev_copy_out, .copy_in_async = dev_copy_in_async, .copy_peer = dev_copy_peer, \
  .pinned_alloc = dev_pinned_alloc, .pinned_free = dev_pinned_free, .wait = dev_wait, .done = dev_done, .memory = dev_memory, \
  .trim = dev_trim, .thread_exit = dev_thread_exit, .fork_child = dev_fork_child, .stream = dev_stream_number, \
  .stream_native = dev_stream_native, .stream_adopt = dev_stream_adopt, .stream_select = dev_stream_select, \
  .stream_after = dev_stream_after, .after_stream = dev_after_stream, .forget = dev_forget, \
  .stream_release = dev_stream_release, .owns = dev_owns, .ending = dev_ending

extern const hed_op_entry dev_ops[];
int32_t dev_resolve(void *state, int32_t dtype, hed_plugin_resolution *out);
void dev_describe(void *state, char *buf, size_t cap);
int32_t dev_alloc(void *state, size_t bytes, void **out);
void dev_free(void *state, void *p);
int32_t dev_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t dev_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t dev_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                          int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket);
int32_t dev_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src, const uint64_t *wait_for,
                      int32_t n_wait_for, const uint64_t *after, int32_t n_after, const uint64_t *src_wait,
                      int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket);
int32_t dev_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
int32_t dev_done(void *state, uint64_t ticket);
int32_t dev_memory(void *state, hed_plugin_memory *out);
int32_t dev_pinned_alloc(void *state, size_t bytes, void **out);
void dev_pinned_free(void *state, void *memory);
size_t dev_trim(void *state, size_t want, int32_t level);
void dev_thread_exit(void *state, void *slot);
void dev_fork_child(void *state);
int32_t dev_stream_number(void *state);
int32_t dev_stream_native(void *state, void **handle);
int32_t dev_stream_adopt(void *state, void *handle);
int32_t dev_stream_select(void *state, int32_t stream);
void dev_stream_release(void *state, int32_t stream);
int32_t dev_owns(void *state, const void *p, size_t bytes);
void dev_ending(void *state);
int32_t dev_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n);
int32_t dev_after_stream(void *state, void *handle);
void dev_forget(void *state, uint64_t ticket);
int32_t dev_fuse(void *state, const hed_fused_call *call);

#endif
