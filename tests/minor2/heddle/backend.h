// SPDX-License-Identifier: BSD-3-Clause
/* The plug-in interface 1.2 as far as the modules here use it: layouts and numbers as they were, in a header that stays.
 * heddle/op_list.h is made from the list of operations of that time (tests/op_lists.sh). */
#ifndef HEDDLE_BACKEND_H
#define HEDDLE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HED_API __attribute__((visibility("default")))

enum { HED_ABI_MAJOR = 1, HED_ABI_MINOR = 2, HED_MAX_NDIM = 16, HED_ID_FLOAT32 = 11 };
enum { HED_OK = 0, HED_E_INVAL = -1, HED_E_NOMEM = -2, HED_E_UNSUPPORTED = -8, HED_E_ASYNC = -28 };
enum { HED_PLUGIN_HOST_MEMORY = 1 };

typedef enum hed_op {
#include <heddle/op_list.h>
  HED_OP_COUNT_
} hed_op;

typedef struct hed_view {
  void *data;
  int32_t dtype, ndim;
  int64_t dim[HED_MAX_NDIM], stride[HED_MAX_NDIM];
} hed_view;

typedef struct hed_call {
  uint32_t struct_size;
  int32_t op, n_in, n_out;
  const hed_view *const *in;
  const hed_view *const *out;
  const void *params;
  int32_t compute, max_threads;
  uint64_t *ticket;
  const uint64_t *wait_for;
  int32_t n_wait_for;
  int64_t flat;
} hed_call;

typedef int32_t (*hed_op_fn)(void *state, const hed_call *call);

typedef struct hed_op_entry {
  const char *name;
  hed_op_fn fn;
  uint32_t dtypes;
} hed_op_entry;

typedef struct hed_fused_step {
  int32_t op, compute, dtype, n_in, in[3], out;
  const void *params;
} hed_fused_step;

typedef struct hed_fused_call {
  uint32_t struct_size;
  int32_t n_in, n_out, n_steps;
  const hed_view *const *in;
  const hed_view *const *out;
  const hed_fused_step *step;
  int32_t max_threads, ndim;
  const int64_t *dim;
} hed_fused_call;

typedef struct hed_host_api {
  uint32_t struct_size, abi_major, abi_minor, n_ops;
  int32_t (*fail)(int32_t status, const char *format, ...);
  void *(*alloc)(size_t bytes, size_t align);
  void (*free)(void *p);
  int32_t (*threads_acquire)(int32_t want);
  void (*threads_release)(int32_t got);
  void **(*thread_slot)(const void *plugin);
  void (*log)(int32_t level, const char *subsystem, const char *format, ...);
} hed_host_api;

typedef struct hed_plugin {
  uint32_t struct_size, abi_major, abi_minor, n_ops;
  const char *name, *version;
  const hed_op_entry *ops;
  uint32_t flags;
  int32_t (*probe)(char *why, size_t cap);
  int32_t (*devices)(void);
  int32_t (*init)(const hed_host_api *host, int32_t device, void **state);
  int32_t (*resolve)(void *state, int32_t dtype, void *out);
  void (*describe)(void *state, char *buf, size_t cap);
  int32_t (*alloc)(void *state, size_t bytes, void **out);
  void (*free)(void *state, void *p);
  int32_t (*copy_in)(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
  int32_t (*copy_out)(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
  int32_t (*wait)(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
  int64_t (*fft_good_size)(void *state, int64_t n);
  size_t (*trim)(void *state, size_t want, int32_t level);
  void (*thread_exit)(void *state, void *slot);
  void (*fork_child)(void *state);
  int32_t (*fft_plan_make)(void *state, const hed_call *call, void **plan);
  void (*fft_plan_free)(void *state, void *plan);
  int32_t (*fft_wisdom_export)(void *state, char **text, size_t *size);
  int32_t (*fft_wisdom_import)(void *state, const char *text, size_t size);
  int32_t dlpack_device;
  int32_t (*done)(void *state, uint64_t ticket);
  int32_t (*memory)(void *state, void *out);
  int32_t (*fuse)(void *state, const hed_fused_call *call);
} hed_plugin;

#endif
