// SPDX-License-Identifier: BSD-3-Clause
/* GLib's threads and GThreadPool as hosts. L5. */
#include "hosts.h"

#ifndef HAVE_GLIB
int main(void)
{
  skip_all("built without GLib");
}
#else
#  include <glib.h>

typedef struct job { hed_snapshot *snapshot; int index, inherited, adopted; } job;

static void run(gpointer data, gpointer user)
{
  job *j = data;
  (void)user;
  j->inherited = here();
  HED_ADOPT(j->snapshot, j->index) j->adopted = here();
}

static gpointer look(gpointer arg)
{
  *(int *)arg = here();
  return NULL;
}

int main(void)
{
  enum { JOBS = 40 };
  static job jobs[JOBS];
  int seen = 0, stale = 0, wrong = 0;
  set_root();
  HED_BACKEND_CONTEXT(";threads=21") {
    g_thread_join(g_thread_new("look", look, &seen));
  }
  is_int(seen, expected(21), "a GThread's context");

  GThreadPool *pool = NULL;
  HED_BACKEND_CONTEXT(";threads=22") {
    pool = g_thread_pool_new(run, NULL, 2, TRUE, NULL); /* exclusive: its threads start here */
  }
  if (!pool)
    bail("no pool");
  for (int k = 0; k < JOBS; k++) {
    jobs[k].index = k;
    HED_BACKEND_CONTEXT(k % 2 ? ";threads=24" : ";threads=23") {
      if (hed_capture(&jobs[k].snapshot) != HED_OK)
        bail("capture: %s", hed_error_text());
    }
    if (!g_thread_pool_push(pool, &jobs[k], NULL))
      bail("the pool took no job");
  }
  g_thread_pool_free(pool, FALSE, TRUE);
  for (int k = 0; k < JOBS; k++) {
    stale += jobs[k].inherited == expected(22);
    wrong += jobs[k].adopted != (k % 2 ? 24 : 23);
    hed_snapshot_release(jobs[k].snapshot);
  }
  is_int(stale, JOBS, "a pool's threads have the context of their creation, not of the job");
  is_int(wrong, 0, "adopting gives each job its own");
  return done();
}
#endif
