// SPDX-License-Identifier: BSD-3-Clause
/* Records of what kernels find wrong: in the device's memory, from where they come back behind the kernel. L1. See fate.c. */
#include "backends/device/runtime/runtime.h"
#include <string.h>

enum { RECORD_BYTES = DEV_RECORD_WORDS * sizeof(int64_t) };

/* The stream's records, and where they arrive. */
static int32_t make_records(dev_stream *s)
{
  dev_device *d = s->device;
  int32_t status = HED_OK;
  if (!s->found) {
    status = dev_status(d, d->port->pinned_alloc(d->dev, DEV_RECORDS * RECORD_BYTES, &s->found));
    if (status == HED_OK)
      memset(s->found, 0, DEV_RECORDS * RECORD_BYTES);
  }
  if (status == HED_OK && !s->record)
    status = dev_memory_get(d, DEV_RECORDS * RECORD_BYTES, &s->record);
  return status;
}

int32_t dev_errors_record(dev_submit *q, int32_t op, int32_t axis, void **record)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  int32_t status = make_records(s);
  for (uint64_t value; status == HED_OK && (value = dev_fate_room(s)) != 0;) { /* so many are under way */
    dev_event *e = dev_event_of(s, value, &status);
    if (e)
      status = dev_event_wait(s, e);
    dev_event_drop(d, e);
  }
  if (status != HED_OK)
    return status;
  q->record = (int32_t)(s->next_check % DEV_RECORDS);
  q->op = op;
  q->axis = axis;
  *record = (char *)s->record + q->record * RECORD_BYTES;
  q->begun = true;
  return q->skip ? HED_OK : dev_status(d, d->port->memset(d->dev, s->native, *record, 0, RECORD_BYTES));
}

int32_t dev_errors_fetch(dev_submit *q)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  char *to = (char *)s->found + q->record * RECORD_BYTES, *from = (char *)s->record + q->record * RECORD_BYTES;
  if (q->skip) {
    q->record = -1;
    return HED_OK;
  }
  return dev_status(d, d->port->copy(d->dev, s->native, to, from, RECORD_BYTES, DEV_COPY_OUT, false));
}
