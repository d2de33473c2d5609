// SPDX-License-Identifier: BSD-3-Clause
/* Two devices of one backend, in order without the host: events of one serve streams of the other. L1. */
#include "backends/device/runtime/runtime.h"
#include "base/invariant.h"

/* The calling thread's stream of D goes on when TICKET of OTHER is over. */
static int32_t order(dev_device *d, const dev_device *other, uint64_t ticket)
{
  int32_t status;
  dev_submit q = { .device = d, .stream = dev_stream_current(d, &status) };
  HED__ASSERT(d != other && ticket >> 48 < (uint64_t)other->n_streams);
  return q.stream ? dev_order_after(&q, other->stream[ticket >> 48], dev_value(ticket)) : status;
}

int32_t dev_peer_after(dev_device *d, dev_device *other, const uint64_t *tickets, int32_t n)
{
  int32_t status = dev_usable(other);
  for (int32_t k = 0; k < n && status == HED_OK; k++) /* a failure that is still to come is known to OTHER alone */
    status = dev_fate_fine(other, tickets[k]) ? order(d, other, tickets[k]) : dev_submit_await(other, &tickets[k], 1);
  return status;
}

int32_t dev_peer_ticket(dev_device *d, const dev_device *other, uint64_t ticket, uint64_t *out)
{
  dev_submit q;
  int32_t status = dev_usable(d);
  if (status == HED_OK)
    status = order(d, other, ticket);
  if (status != HED_OK || (status = dev_submit_begin(&q, d, 0, NULL, 0, NULL, 0)) != HED_OK)
    return status;
  q.begun = true;
  return dev_submit_end(&q, HED_OK, out);
}
