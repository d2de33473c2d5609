// SPDX-License-Identifier: BSD-3-Clause
/* faulty: copies between the host's memory and the devices', and from one device to the other. L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <string.h>

static int32_t run_copy(faulty_job *job)
{
  faulty_copy(job->call.out[0], job->call.in[0]);
  return HED_OK;
}

static int32_t forked(const faulty_device *d)
{
  return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
}

static int32_t on_request(const faulty_device *d, const char *what)
{
  return d->host->fail(HED_E_INTERNAL, "faulty:%d: %s failed on request", (int)d->index, what);
}

/* What is waited for is over; without streams, all that was submitted. Delivers failures. The lock is held. */
static int32_t settle(faulty_device *d, const uint64_t *wait_for, int32_t n)
{
  if (faulty_streams(d))
    faulty_await(d, wait_for, n);
  else
    faulty_drain(d);
  for (int32_t k = 0; k < n; k++) {
    const faulty_fate *f = faulty_failed(d, wait_for[k]);
    if (f)
      return d->host->fail(f->status, "%s", f->text);
  }
  if (faulty_is_dead(d))
    return d->host->fail(HED_E_UNAVAILABLE, "%s", d->dead_text);
  return HED_OK;
}

/* A copy by the calling thread. */
static int32_t transfer(faulty_device *d, const hed_view *dst, const hed_view *src, bool in, const uint64_t *wait_for,
                        int32_t n)
{
  const char *what = in ? "copy_in" : "copy_out";
  hed_view real = in ? *dst : *src;
  faulty_use use = { .device = d, .write = in };
  char text[FAULTY_TEXT];
  if (d->forked)
    return forked(d);
  if (faulty_call(&faulty_state.copies, in ? &faulty_state.fail_copy_in : &faulty_state.fail_copy_out))
    return on_request(d, what);
  int64_t bytes = hed__view_size(src) * hed__id_size(src->dtype);
  atomic_fetch_add(in ? &faulty_state.bytes_in : &faulty_state.bytes_out, bytes);
  atomic_fetch_add(in ? &faulty_state.device_bytes_in[d->index] : &faulty_state.device_bytes_out[d->index], bytes);
  if (faulty_is_pinned(in ? src : dst))
    atomic_fetch_add(&faulty_state.unstaged, bytes);

  pthread_mutex_lock(&faulty_lock);
  int32_t status = settle(d, wait_for, n);
  if (status == HED_OK && bytes > 0 && !(use.block = faulty_block_of(d, &real)))
    status = d->host->fail(HED_E_INTERNAL, "faulty:%d: %s of what is not in a block", (int)d->index, what);
  if (status == HED_OK) {
    faulty_note(&use, 1);
    status = faulty_versions(&use, 1, what, text);
    if (status != HED_OK) {
      faulty_over(&use, 1);
      d->host->fail(status, "%s", text);
    }
  }
  pthread_mutex_unlock(&faulty_lock);
  if (status != HED_OK)
    return status;
  real.data = faulty_real(d, real.data);
  faulty_copy(in ? &real : dst, in ? src : &real);
  pthread_mutex_lock(&faulty_lock);
  faulty_over(&use, 1);
  pthread_mutex_unlock(&faulty_lock);
  return HED_OK;
}

int32_t faulty_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  return transfer(state, dst, src, true, wait_for, n);
}

int32_t faulty_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  return transfer(state, dst, src, false, wait_for, n);
}

int32_t faulty_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                             int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket)
{
  faulty_device *d = state;
  if (d->forked)
    return forked(d);
  if (faulty_call(&faulty_state.copies, &faulty_state.fail_copy_in_async))
    return on_request(d, "copy_in_async");
  const bool pinned = faulty_is_pinned(src);
  int64_t bytes = hed__view_size(src) * hed__id_size(src->dtype);
  atomic_fetch_add(&faulty_state.bytes_in, bytes);
  atomic_fetch_add(&faulty_state.device_bytes_in[d->index], bytes);
  const int32_t status = faulty_submit(d, &(faulty_request){
    .run = run_copy,
    .op = -1,
    .n_in = 1,
    .n_out = 1,
    .in = &src,
    .out = &dst,
    .host_in = &(uint32_t){ 1 },
    .in_place = pinned,
    .wait_for = wait_for,
    .n_wait_for = n_wait_for,
    .after = after,
    .n_after = n_after,
  }, NULL, ticket);
  if (status == HED_OK && pinned) { /* it reads SRC where it is */
    atomic_fetch_add(&faulty_state.unstaged, bytes);
    pthread_mutex_lock(&faulty_lock);
    faulty_await(d, ticket, 1);
    pthread_mutex_unlock(&faulty_lock);
  }
  return status;
}

int32_t faulty_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src,
                         const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after, int32_t n_after,
                         const uint64_t *src_wait, int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket)
{
  faulty_device *d = state, *from = src_state;
  if (d->forked)
    return forked(d);
  if (faulty_call(&faulty_state.peer_copies, &faulty_state.fail_copy_peer))
    return on_request(d, "copy_peer");
  int32_t status = faulty_submit(d, &(faulty_request){
    .run = run_copy,
    .op = -1,
    .n_in = 1,
    .n_out = 1,
    .in = &src,
    .out = &dst,
    .in_device = from,
    .wait_for = wait_for,
    .n_wait_for = n_wait_for,
    .after = after,
    .n_after = n_after,
    .in_wait = src_wait,
    .n_in_wait = n_src_wait,
  }, NULL, ticket);
  /* in the other device's stream, nothing, after the copy: what its memory is to be kept for */
  if (status == HED_OK) {
    status = faulty_submit(from, &(faulty_request){ .op = -1, .in_device = d, .in_wait = ticket, .n_in_wait = 1,
                                                    .lenient = true }, NULL, src_ticket);
    if (status != HED_OK) { /* SRC's memory is nobody's to keep, then */
      pthread_mutex_lock(&faulty_lock);
      faulty_await(d, ticket, 1);
      pthread_mutex_unlock(&faulty_lock);
    }
  }
  return status;
}
