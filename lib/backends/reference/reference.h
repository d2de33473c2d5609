// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend: every kernel of ops.def in plain C, one thread, host memory. L1.
 *
 * It is what every other backend is compared with and what runs where another has no kernel, so it is written to be
 * right at a glance. State is the table of host services (the backend keeps nothing else). Kernels trust shapes and
 * dtypes of their views; the caller checked them. Operands may have any strides.
 */
#ifndef HED_BACKENDS_REFERENCE_H
#define HED_BACKENDS_REFERENCE_H

#include <heddle/kernel.h>

extern const struct hed_plugin ref_plugin;

/* Head of the kernel of a row: int32_t ref_NAME(void *state, const hed_call *call). reference/kernels.h declares all. */
#define REF_KERNEL(name)                                       \
  int32_t ref_##name(void *state, const hed_call *call);       \
  int32_t ref_##name(void *state, const hed_call *call)

/* hed_plugin.workspace; and what a real transform of all axes of REAL takes of it. */
size_t ref_workspace(void *state, const hed_call *call);
size_t ref_fft_workspace(const hed_view *real);

static inline const hed_host_api *ref_host(void *state)
{
  return state;
}

#endif
