// SPDX-License-Identifier: BSD-3-Clause
/* What a program is, in numbers and lines. L3. */
#include "base/dtype.h"
#include "base/shape.h"
#include "program/program.h"
#include <string.h>

hed_status hed_program_query(const hed_program *p, hed_program_info *out)
{
  hed_program_info q = { .struct_size = sizeof q };
  if (!p || !out)
    return hed_fail(HED_E_INVAL, "program_query: %s is NULL", p ? "out" : "p");
  const uint32_t size = out->struct_size < sizeof q ? out->struct_size : (uint32_t)sizeof q;
  if (size < 2 * sizeof(uint32_t))
    return hed_fail(HED_E_INVAL, "program_query: out->struct_size is %u", out->struct_size);
  const hed__capture *c = &p->capture;
  q.inputs = p->n;
  q.results = p->m;
  q.calls = c->n_calls;
  for (int32_t v = 0; v < c->n_values; v++) {
    const hed__captured *x = &c->value[v];
    q.numbers += x->kind == HED__VALUE_NUMBER;
    q.written += x->written && (x->kind == HED__VALUE_CONSTANT || x->kind == HED__VALUE_INPUT);
    if (x->kind == HED__VALUE_CONSTANT) {
      q.constants++;
      q.constant_bytes += hed__nbytes(x->array);
    }
  }
  for (int32_t s = 0; s < c->n_calls; s++) {
    q.draws += c->call[s]->draws;
    q.kernels += p->plan.kind[s] == HED__BY_KERNEL;
    q.views += p->plan.n_kernels && p->plan.kind[s] == HED__BY_NOTHING;
  }
  q.passes = p->plan.n_passes;
  q.block_bytes = p->plan.block;
  q.runs = atomic_load_explicit(&p->runs, memory_order_relaxed);
  q.called = atomic_load_explicit(&p->called, memory_order_relaxed);
  q.struct_size = out->struct_size;
  memcpy(out, &q, size);
  return HED_OK;
}

/* Is call S, a kernel, a step of a pass with others? */
static bool in_pass(const hed_program *p, int32_t s)
{
  for (int32_t k = 0; k < p->plan.n_steps; k++)
    for (int32_t i = 0; i < p->plan.step[k].pass; i++)
      if (p->plan.step[k + i].call == s)
        return true;
  return false;
}

/* How call S is run; REASON: why it is called. */
static const char *how(const hed_program *p, int32_t s, bool fused, char *reason, size_t size)
{
  const hed__called *q = p->capture.call[s];
  const hed_array *y = q->n_out && q->value[q->n_in] >= 0 ? p->capture.value[q->value[q->n_in]].array : NULL;
  const char *reads = hed__program_reads(q->op);
  if (p->plan.kind[s] == HED__BY_KERNEL)
    snprintf(reason, size, "%s of %s", in_pass(p, s) ? "step of a pass" : "kernel", q->launched->device->name);
  else if (p->plan.kind[s] == HED__BY_NOTHING && p->plan.n_kernels)
    snprintf(reason, size, "no step: a view");
  else if (fused)
    snprintf(reason, size, "call: in a fusion scope");
  else if (q->draws)
    snprintf(reason, size, "call: it draws");
  else if (y && !hed__is_pending(y) && !y->storage->device->host)
    snprintf(reason, size, "call: on %s", y->storage->device->name);
  else if (reads)
    snprintf(reason, size, "call: reads on the host: %s", reads);
  else if (q->kind == HED__CALL_VIEW ||
           (y && q->n_in && q->value[0] >= 0 && p->capture.value[q->value[0]].array->storage == y->storage))
    snprintf(reason, size, "call: a view that a call takes, or a result");
  else if (q->launched)
    snprintf(reason, size, "call: a number among its operands changes, and may not fit");
  else
    snprintf(reason, size, "call: not one launch of a kernel of its device");
  return reason;
}

hed_status hed_program_print(const hed_program *p, FILE *f)
{
  if (!p || !f)
    return hed_fail(HED_E_INVAL, "program_print: %s is NULL", p ? "f" : "p");
  const hed__capture *c = &p->capture;
  hed_program_info q = { .struct_size = sizeof q };
  char text[HED__SHAPE_TEXT], reason[160];
  int32_t depth = 0;
  hed_program_query(p, &q);
  fprintf(f, "program '%s': %d inputs, %d results, %d constants of %llu bytes, %d numbers; a block of %llu bytes\n", p->name, q.inputs,
          q.results, q.constants, (unsigned long long)q.constant_bytes, q.numbers, (unsigned long long)q.block_bytes);
  for (int32_t s = 0; s < c->n_calls; s++) {
    const hed__called *k = c->call[s];
    const hed_array *y = k->n_out && k->value[k->n_in] >= 0 ? c->value[k->value[k->n_in]].array : NULL;
    const char *name = k->kind == HED__CALL_FUNCTION ? hed_api_function_at(k->function)->symbol + 4
                       : k->kind == HED__CALL_FUSE   ? "fuse_begin"
                       : k->kind == HED__CALL_UNFUSE ? "fuse_end"
                       : k->kind == HED__CALL_VIEW   ? "view"
                                                     : hed_op_name(k->op);
    depth -= k->kind == HED__CALL_UNFUSE;
    fprintf(f, "%4d  %-20s  %-10s %-16s  %s\n", s, name, y ? hed__dtypes[y->view.dtype]->name : "",
            y ? hed__shape_text(y->view.ndim, y->view.dim, text, sizeof text) : "",
            k->kind == HED__CALL_FUSE || k->kind == HED__CALL_UNFUSE ? "" : how(p, s, depth > 0, reason, sizeof reason));
    depth += k->kind == HED__CALL_FUSE;
  }
  return ferror(f) ? hed_fail(HED_E_IO, "program_print: f does not take it") : HED_OK;
}
