// SPDX-License-Identifier: BSD-3-Clause
/* faulty: which jobs failed, for as long as the host has results of them or another job waits for one. L1. */
#include "backends/faulty/faulty.h"
#include <stdio.h>
#include <string.h>

static faulty_fate **place_of(faulty_device *d, uint64_t ticket)
{
  faulty_fate **at = &d->fates[ticket % FAULTY_FATES];
  while (*at && (*at)->ticket != ticket)
    at = &(*at)->next;
  return at;
}

/* F, in the table of D, goes when nobody may ask for it. */
static void look(faulty_device *d, faulty_fate *f)
{
  if (f->results > 0 || f->users > 0)
    return;
  *place_of(d, f->ticket) = f->next;
  d->host->free(f);
  atomic_fetch_sub(&faulty_state.fates, 1);
}

void faulty_fate_begin(faulty_job *job, uint64_t ticket, int32_t results)
{
  faulty_device *d = job->device;
  faulty_fate *f = job->fate, **at = &d->fates[ticket % FAULTY_FATES];
  *f = (faulty_fate){ .next = *at, .ticket = ticket, .results = results, .users = 1 };
  *at = f;
  atomic_fetch_add(&faulty_state.fates, 1);
  for (int32_t k = 0; k < job->n_deps; k++) {
    faulty_dep *need = &job->dep[k];
    if (need->strict && (need->fate = *place_of(need->device, need->ticket)) != NULL)
      need->fate->users++;
  }
}

void faulty_fate_end(faulty_job *job, int32_t op)
{
  faulty_fate *f = job->fate;
  f->op = op;
  f->status = job->status;
  memcpy(f->text, job->text, sizeof f->text);
  if (f->status == HED_OK) /* nobody needs to know */
    f->results = 0;
  f->users--;
  for (int32_t k = 0; k < job->n_deps; k++)
    if (job->dep[k].fate) {
      job->dep[k].fate->users--;
      look(job->dep[k].device, job->dep[k].fate);
    }
  look(job->device, f);
}

const faulty_fate *faulty_failed(const faulty_device *d, uint64_t ticket)
{
  const faulty_fate *f = d->fates[ticket % FAULTY_FATES];
  while (f && f->ticket != ticket)
    f = f->next;
  return f && f->status != HED_OK ? f : NULL;
}

bool faulty_fine(faulty_device *d, uint64_t ticket)
{
  pthread_mutex_lock(&faulty_lock);
  const faulty_fate *f = *place_of(d, ticket);
  const bool fine = !f || (f->status == HED_OK && f->users == 0);
  pthread_mutex_unlock(&faulty_lock);
  return fine;
}

void faulty_forget(void *state, uint64_t ticket)
{
  faulty_device *d = state;
  if (d->forked)
    return;
  pthread_mutex_lock(&faulty_lock);
  faulty_fate *f = *place_of(d, ticket);
  if (f) {
    f->results--;
    look(d, f);
  }
  pthread_mutex_unlock(&faulty_lock);
}
