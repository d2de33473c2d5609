// SPDX-License-Identifier: BSD-3-Clause
/* libuv's threads and worker queue as hosts. L5. */
#include "hosts.h"

#ifndef HAVE_UV
int main(void)
{
  skip_all("built without libuv");
}
#else
#  include <uv.h>

enum { JOBS = 40 };
typedef struct job { uv_work_t work; hed_snapshot *snapshot; int index, inherited, adopted; } job;
static job jobs[JOBS];

static void run(uv_work_t *work)
{
  job *j = work->data;
  j->inherited = here();
  HED_ADOPT(j->snapshot, j->index) j->adopted = here();
}

static void look(void *arg)
{
  *(int *)arg = here();
}

int main(void)
{
  int seen = 0, stale = 0, wrong = 0, queued = 0;
  uv_thread_t t;
  uv_loop_t loop;
  set_root();
  HED_BACKEND_CONTEXT(";threads=25") {
    is_int(uv_thread_create(&t, look, &seen), 0, "a libuv thread");
    uv_thread_join(&t);
  }
  is_int(seen, expected(25), "its context");

  if (uv_loop_init(&loop) != 0)
    bail("no loop");
  for (int k = 0; k < JOBS; k++) {
    jobs[k].index = k;
    jobs[k].work.data = &jobs[k];
    HED_BACKEND_CONTEXT(k % 2 ? ";threads=27" : ";threads=26") {
      if (hed_capture(&jobs[k].snapshot) != HED_OK)
        bail("capture: %s", hed_error_text());
      queued += uv_queue_work(&loop, &jobs[k].work, run, NULL) == 0; /* the first call starts the workers */
    }
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  for (int k = 0; k < JOBS; k++) {
    stale += jobs[k].inherited == expected(26);
    wrong += jobs[k].adopted != (k % 2 ? 27 : 26);
    hed_snapshot_release(jobs[k].snapshot);
  }
  is_int(queued, JOBS, "jobs in the worker queue");
  is_int(stale, JOBS, "its threads have the context of their creation, not of the job");
  is_int(wrong, 0, "adopting gives each job its own");
  is_int(uv_loop_close(&loop), 0, "the loop ends");
  return done();
}
#endif
