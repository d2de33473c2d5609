// SPDX-License-Identifier: BSD-3-Clause
/* faulty: host memory that copies of the device need not stage. L1. */
#include "backends/faulty/faulty.h"
#include "base/shape.h"
#include <string.h>

enum { MOST = 64 };
static struct {
  char *at;
  size_t bytes;
} block[MOST]; /* faulty_lock guards them */

int32_t faulty_pinned_alloc(void *state, size_t bytes, void **out)
{
  const faulty_device *d = state;
  const bool refuse = faulty_call(&faulty_state.pins, &faulty_state.fail_pinned);
  char *p = refuse ? NULL : d->host->alloc(bytes, 64);
  int k = 0;
  pthread_mutex_lock(&faulty_lock);
  while (k < MOST && block[k].at)
    k++;
  if (p && k < MOST) {
    block[k].at = p;
    block[k].bytes = bytes;
  }
  pthread_mutex_unlock(&faulty_lock);
  if (p && k < MOST) {
    *out = p;
    return HED_OK;
  }
  d->host->free(p);
  return d->host->fail(HED_E_NOMEM, "faulty:%d: no %zu bytes of pinned memory", (int)d->index, bytes);
}

void faulty_pinned_free(void *state, void *p)
{
  const faulty_device *d = state;
  atomic_fetch_add(&faulty_state.unpins, 1);
  pthread_mutex_lock(&faulty_lock);
  for (int k = 0; k < MOST; k++)
    if (block[k].at == p)
      block[k].at = NULL;
  pthread_mutex_unlock(&faulty_lock);
  d->host->free(p);
}

bool faulty_is_pinned(const hed_view *v)
{
  int64_t low, high;
  bool is = false;
  hed__view_extent(v, &low, &high);
  pthread_mutex_lock(&faulty_lock);
  for (int k = 0; k < MOST; k++)
    is |= block[k].at && low < high && (char *)v->data + low >= block[k].at &&
          (char *)v->data + high <= block[k].at + block[k].bytes;
  pthread_mutex_unlock(&faulty_lock);
  return is;
}
