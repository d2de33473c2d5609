// SPDX-License-Identifier: BSD-3-Clause
/* A module whose rows share one function, which call->op tells apart: built against lists of operations that are not the
 * host's (tests/op_lists.sh), it computes something else when it is told another list's numbers. L5.
 *
 * Arrays of float32 with one axis. NAME is its name. With NO_ABS, its list has no abs. With DEVICE, memory of its own,
 * where power fails after it was submitted. With MINOR, that interface, which has no names.
 */
#include <heddle/backend.h>
#ifndef MINOR
#include <heddle/op_names.h>
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, VALUES = 16 }; /* elements, and values of a fused call */

static const hed_host_api *host;
static const hed_plugin plugin;

static int32_t unknown(int32_t op)
{
  return host->fail(HED_E_INVAL, "%s was told to do operation %d", NAME, (int)op);
}

/* X, with A and B, of N elements; false: no operation of those here. */
static bool compute(int32_t op, int64_t n, float *x, const float *a, const float *b)
{
  int64_t at = 0;
  for (int64_t i = 0; i < n; i++)
    switch (op) {
    case HED_OP_ADD: x[i] = a[i] + b[i]; break;
    case HED_OP_SUBTRACT: x[i] = a[i] - b[i]; break;
    case HED_OP_MULTIPLY: x[i] = a[i] * b[i]; break;
    case HED_OP_MAXIMUM: x[i] = fmaxf(a[i], b[i]); break;
    case HED_OP_MOD: x[i] = a[i] - b[i] * floorf(a[i] / b[i]); break;
    case HED_OP_POWER: x[i] = powf(a[i], b[i]); break;
    case HED_OP_NEGATIVE: x[i] = -a[i]; break;
    case HED_OP_EXP: x[i] = expf(a[i]); break;
#ifndef NO_ABS
    case HED_OP_ABS: x[i] = fabsf(a[i]); break;
#endif
    case HED_OP_SUM: x[0] = i ? x[0] + a[i] : a[i]; break;
    case HED_OP_ARGMAX:
      at = a[i] > a[at] ? i : at;
      memcpy(x, &at, sizeof at);
      break;
    default: return false;
    }
  return true;
}

static int64_t size(const hed_view *v)
{
  return v->ndim == 1 ? v->dim[0] : 1;
}

static void put(const hed_view *out, int32_t op, const float *x)
{
  memcpy(out->data, x, op == HED_OP_ARGMAX ? sizeof(int64_t) : (size_t)size(out) * sizeof *x);
}

static bool simple(const hed_view *v)
{
  return v->dtype == HED_ID_FLOAT32 && v->ndim == 1 && v->dim[0] <= MOST && v->stride[0] == sizeof(float);
}

#ifdef DEVICE
static uint64_t issued, failed;
static int32_t failed_op;
#endif

static int32_t work(void *state, const hed_call *call)
{
  (void)state;
  for (int32_t k = 0; k < call->n_in; k++)
    if (!simple(call->in[k]))
      return HED_E_UNSUPPORTED;
  if (!host->thread_slot(&plugin))
    return host->fail(HED_E_INVAL, "%s has nothing of its own in this thread", NAME);
  float x[MOST] = { 0 };
  if (!compute(call->op, size(call->in[0]), x, call->in[0]->data, call->in[call->n_in - 1]->data))
    return unknown(call->op);
  put(call->out[0], call->op, x);
#ifdef DEVICE
  *call->ticket = ++issued;
  if (call->op == HED_OP_POWER) {
    failed = issued;
    failed_op = call->op;
  }
#endif
  return HED_OK;
}

#ifdef DEVICE
static int32_t allocate(void *state, size_t bytes, void **out)
{
  (void)state;
  return (*out = malloc(bytes ? bytes : 1)) ? HED_OK : HED_E_NOMEM;
}

static void release(void *state, void *p)
{
  (void)state;
  free(p);
}

/* Views of one axis at most, without gaps; the tickets are those of work that is done. */
static int32_t copy(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  (void)state, (void)wait_for, (void)n;
  memcpy(dst->data, src->data, (size_t)size(src) * sizeof(float));
  return HED_OK;
}

static int32_t wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  (void)state;
  if (ticket != failed)
    return HED_OK;
  *op = failed_op;
  snprintf(text, cap, "as it was meant to");
  return HED_E_ASYNC;
}
#else
static int32_t fuse(void *state, const hed_fused_call *call)
{
  float value[VALUES][MOST];
  const int64_t n = call->dim[0];
  (void)state;
  if (call->ndim != 1 || n > MOST || call->n_in + call->n_steps > VALUES)
    return unknown(-1);
  for (int32_t k = 0; k < call->n_in; k++)
    for (int64_t i = 0; i < n; i++)
      memcpy(&value[k][i], (const char *)call->in[k]->data + i * call->in[k]->stride[0], sizeof(float));
  for (int32_t k = 0; k < call->n_steps; k++) {
    const hed_fused_step *s = &call->step[k];
    float *x = value[call->n_in + k];
    if (!compute(s->op, n, x, value[s->in[0]], value[s->in[s->n_in - 1]]))
      return unknown(s->op);
    if (s->out >= 0)
      put(call->out[s->out], s->op, x);
  }
  return HED_OK;
}
#endif

static int32_t probe(char *why, size_t cap)
{
  (void)why, (void)cap;
  return 1;
}

static int32_t init(const hed_host_api *api, int32_t device, void **state)
{
  (void)device;
  host = api;
  *state = NULL;
  return HED_OK;
}

#define ROW(name) { name, work, 1u << HED_ID_FLOAT32 }

/* Some are of one list only: the host reports them. */
static const hed_op_entry ops[] = {
  ROW("add"), ROW("subtract"), ROW("multiply"), ROW("maximum"), ROW("mod"), ROW("power"), ROW("negative"), ROW("abs"),
  ROW("exp"), ROW("sum"), ROW("argmax"), ROW("exponential"), ROW("zeroth"), { NULL, NULL, 0 },
};

static const hed_plugin plugin = {
  .struct_size = sizeof plugin,
  .abi_major = HED_ABI_MAJOR,
#ifdef MINOR
  .abi_minor = MINOR,
#else
  .abi_minor = HED_ABI_MINOR,
  .op_names = hed_op_names,
#endif
  .n_ops = HED_OP_COUNT_,
  .name = NAME,
  .version = "1",
  .ops = ops,
  .probe = probe,
  .init = init,
#ifdef DEVICE
  .alloc = allocate,
  .free = release,
  .copy_in = copy,
  .copy_out = copy,
  .wait = wait,
#else
  .flags = HED_PLUGIN_HOST_MEMORY,
  .fuse = fuse,
#endif
};

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor)
{
  (void)minor;
  return major == HED_ABI_MAJOR ? &plugin : NULL;
}
