// SPDX-License-Identifier: BSD-3-Clause
/* From the axes of a call to launches: plan.c. L1. See dense.h for calls whose kernels want operands dense. */
#ifndef HED_DEVICE_LAUNCH_H
#define HED_DEVICE_LAUNCH_H

#include "backends/device/runtime/runtime.h"
#include "base/nest.h"
#include "base/shape.h"

enum { DEV_PLAN_AXES = 4 };

/* Operands of one shape in as few axes as there can be, the result first; strides in elements, 0 for single elements. */
typedef struct dev_plan {
  hed__nest nest;
  uint32_t single;             /* bit k: operand k, which is nest's k + 1 */
  dev_layout layout;
  int32_t inner;               /* axes that a launch does; those before are gone through by launches */
} dev_plan;

/* HED_E_UNSUPPORTED where a stride is no multiple of the element's size, or launches would be too many. HOST: bits of operands in
 * host memory. */
int32_t dev_plan_make(dev_plan *p, const dev_device *d, int32_t n, const hed_view *const *views, uint32_t host);
extern const char *const dev_layout_names[DEV_LAYOUTS];

/* What the launches of a plan share. */
typedef struct dev_map_args {
  uint32_t host;
  uint64_t value[3][2], param[4];
} dev_map_args;
int32_t dev_plan_launch(dev_submit *q, const dev_plan *p, const hed_view *const *views, void *entry,
                        const dev_map_args *args);

/* X, Y and Z items in groups of the device's size. */
void dev_launch_items(dev_launch *l, const dev_device *d, uint64_t x, uint64_t y, uint64_t z);
/* X elements, of which an item does dev_per_item(), in Y and Z rows: RUN of the kernels. */
void dev_launch_runs(dev_launch *l, const dev_device *d, uint64_t x, uint64_t y, uint64_t z);

/* ENTRY for ITEMS of them in x. */
int32_t dev_submit_items(dev_submit *q, void *entry, uint64_t items, int32_t n_pointers, void *const *pointer, const void *args,
                         size_t bytes);
/* BYTES from P on become 0. */
int32_t dev_submit_clear(dev_submit *q, void *p, size_t bytes);
/* A call without anything to do, after all that it waits for. */
int32_t dev_nothing_call(void *state, const hed_call *call);

/* V's element, in host memory, as it is stored with DTYPE. */
void dev_element_bits(const hed_view *v, int32_t dtype, uint64_t bits[2]);
/* X as kernels read numbers of arguments. */
uint64_t dev_number_bits(const dev_device *d, double x);

#endif
