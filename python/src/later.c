// SPDX-License-Identifier: BSD-3-Clause
/* References that the library drops.
 *
 * A buffer's owner is let go by whichever thread releases the last array on it, perhaps in the middle of an operation, when
 * a context is on the stack and the interpreter's lock is not held. Its finalizer is Python code, so it waits: the
 * reference goes on a list, which the interpreter empties when it next looks for pending calls, or the next operation; or,
 * where an Array is let go between operations, it goes right after.
 */
#include "binding.h"
#include "context.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct waiting { hp_later later; PyObject *object; } waiting;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static hp_later *first;
int hp_waiting;

static void put(hp_later *w)
{
  pthread_mutex_lock(&mutex);
  w->next = first;
  first = w;
  __atomic_store_n(&hp_waiting, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
}

static bool drop_one(hp_later *later)
{
  waiting *w = (waiting *)later;
  Py_DECREF(w->object);
  free(w);
  return true;
}

static int drop_pending(void *unused)
{
  (void)unused;
  hp_drop_now();
  return 0;
}

void hp_look_later(void)
{
  if (Py_IsInitialized())
    (void)Py_AddPendingCall(drop_pending, NULL);   /* a full queue does not matter: operations look too */
}

void hp_do_later(hp_later *w)
{
  put(w);
  hp_look_later();
}

/* Where the reference goes that is dropped while this thread is in hp_release(): behind it Python code may run. */
#if defined __GLIBC__
#  define HP_TLS __attribute__((tls_model("initial-exec"))) /* a pointer fits in what the loader keeps for such */
#else
#  define HP_TLS
#endif
static _Thread_local PyObject **mine HP_TLS;

void hp_release(hed_array *x)
{
  PyObject *one = NULL, **const outer = mine;
  mine = &one;
  hed_release(x);
  mine = outer;
  Py_XDECREF(one);
}

void hp_drop_later(void *o)
{
  if (mine && !*mine) {
    *mine = o;
    return;
  }
  waiting *w = malloc(sizeof *w);
  if (!w)
    return;   /* the owner stays: better than a crash */
  *w = (waiting){ .later.run = drop_one, .object = o };
  hp_do_later(&w->later);
}

void hp_drop_now(void)
{
  pthread_mutex_lock(&mutex);
  hp_later *w = first;
  first = NULL;
  __atomic_store_n(&hp_waiting, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
  while (w) {
    hp_later *next = w->next;
    if (!w->run(w))
      put(w);
    w = next;
  }
}
