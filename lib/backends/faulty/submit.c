// SPDX-License-Identifier: BSD-3-Clause
/* faulty: jobs to streams. L1. */
#include "backends/faulty/faulty.h"
#include "base/shape.h"

/* The block of every use of JOB, asked for at the addresses that R gives. The lock is held. */
static int32_t find_blocks(faulty_job *job, const faulty_request *r)
{
  for (int32_t k = 0; k < job->n_uses; k++) {
    faulty_use *u = &job->use[k];
    const hed_view *v = u->write ? r->out[u->operand - r->n_in] : r->in[u->operand];
    u->block = faulty_block_of(u->device, v);
    if (!u->block && hed__view_size(v) > 0)
      return job->device->host->fail(HED_E_INTERNAL, "faulty:%d: argument %d is not in a block of its memory",
                                     (int)u->device->index, (int)u->operand);
  }
  return HED_OK;
}

static int32_t n_results(const faulty_request *r)
{
  int32_t n = 0;
  for (int32_t k = 0; k < r->n_out; k++)
    n += r->out[k] != NULL;
  return n;
}

int32_t faulty_submit(faulty_device *d, const faulty_request *r, faulty_stream *stream, uint64_t *ticket)
{
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  faulty_stream *s = stream ? stream : faulty_own_stream(d);
  faulty_job *job = faulty_job_new(d, r);
  if (job && !(job->fate = d->host->alloc(sizeof *job->fate, 0))) {
    d->host->free(job);
    job = NULL;
  }
  if (!job)
    return d->host->fail(HED_E_NOMEM, "faulty:%d: no memory for a submission", (int)d->index);
  if (r->run) {
    job->inject = faulty_tick(&faulty_state.submissions, &faulty_state.fail);
    job->sticky = faulty_tick(NULL, &faulty_state.sticky);
    job->inject |= job->sticky;
  }
  pthread_mutex_lock(&faulty_lock);
  int32_t status = faulty_is_dead(d) ? d->host->fail(HED_E_UNAVAILABLE, "%s", d->dead_text) : find_blocks(job, r);
  if (status == HED_OK) {
    faulty_note(job->use, job->n_uses);
    faulty_enqueue(s, job);
    const uint64_t given = (uint64_t)s->number << 48 | job->value;
    faulty_fate_begin(job, given, n_results(r));
    if (ticket)
      *ticket = given;
    job = NULL;
  }
  pthread_mutex_unlock(&faulty_lock);
  if (!stream)
    faulty_roam(d);
  if (job)
    d->host->free(job->fate);
  d->host->free(job);
  return status;
}
