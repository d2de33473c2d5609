// SPDX-License-Identifier: BSD-3-Clause
/* Processes that work together, by MPI; a module, so that nothing else links it.
 *
 * Layer: L5. The counters are in rank 0's memory: whoever wants a number adds one there (MPI_Fetch_and_op), without rank 0 having to
 * answer where the network, or shared memory, can do it; else it answers in progress(). Threads take turns.
 */
#include "ranks.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static MPI_Win window;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int rank, size;

static bool open_ranks(int *my_rank, int *n, char *why, size_t room)
{
  int level = 0;
  uint64_t *counters = NULL;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS || level < MPI_THREAD_SERIALIZED) {
    snprintf(why, room, "this MPI does not allow calls by several threads in turn (level %d)", level);
    return false;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Aint bytes = rank == 0 ? (MPI_Aint)(RANKS_COUNTERS * sizeof *counters) : 0;
  if (MPI_Win_allocate(bytes, sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&counters, &window) != MPI_SUCCESS) {
    snprintf(why, room, "MPI has no memory for the counters");
    return false;
  }
  MPI_Win_lock_all(0, window);
  for (size_t i = 0; rank == 0 && i < RANKS_COUNTERS; i++)
    counters[i] = 0;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  *my_rank = rank;
  *n = size;
  return true;
}

static bool next(size_t counter, uint64_t *out)
{
  static const uint64_t one = 1;
  if (counter >= RANKS_COUNTERS)
    return false;
  pthread_mutex_lock(&turn);
  const bool good = MPI_Fetch_and_op(&one, out, MPI_UINT64_T, 0, (MPI_Aint)counter, MPI_SUM, window) == MPI_SUCCESS &&
                    MPI_Win_flush(0, window) == MPI_SUCCESS;
  pthread_mutex_unlock(&turn);
  return good;
}

static void progress(void)
{
  int waiting;
  if (pthread_mutex_trylock(&turn) != 0)
    return; /* somebody is in there, which serves as well */
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&turn);
}

static int largest(int mine)
{
  int most = mine;
  pthread_mutex_lock(&turn);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  pthread_mutex_unlock(&turn);
  return most;
}

static bool gather(const void *mine, void *all, size_t bytes)
{
  pthread_mutex_lock(&turn);
  const bool good = MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
  pthread_mutex_unlock(&turn);
  return good;
}

static void close_ranks(void)
{
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
}

extern __attribute__((visibility("default"))) const ranks_module RANKS_ENTRY;
const ranks_module RANKS_ENTRY = { "MPI", open_ranks, next, progress, largest, gather, close_ranks };
