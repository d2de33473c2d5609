// SPDX-License-Identifier: BSD-3-Clause
/* Opens the module that knows MPI.
 *
 * Layer: L5. It lies beside the library, in heddle/ranks_mpi.so, or where HEDDLE_MPI_MODULE says.
 */
#include "ranks.h"
#include "tool.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *path_of_module(void)
{
  const char *given = getenv("HEDDLE_MPI_MODULE");
  Dl_info where;
  char *path = NULL;
  if (given && *given)
    return strdup(given);
  if (!dladdr(__extension__ (void *)hed_match_run, &where) || !where.dli_fname)
    return NULL;
  const char *slash = strrchr(where.dli_fname, '/');
  if (asprintf(&path, "%.*sheddle/ranks_mpi.so", slash ? (int)(slash + 1 - where.dli_fname) : 0, where.dli_fname) < 0)
    return NULL;
  return path;
}

const ranks_module *ranks_open(int *rank, int *size)
{
  char why[200] = "";
  char *path = path_of_module();
  /* global: MPI opens modules of its own, which look for its symbols; it cannot be closed and opened again */
  void *handle = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) : NULL;
  const ranks_module *m = handle ? dlsym(handle, "heddle_ranks_v1") : NULL;
  if (!m)
    (void)tool_fail(0, "--mpi: there is no module for MPI: %s; configure's summary says why it was not built",
                    path ? dlerror() : "out of memory");
  else if (!m->open(rank, size, why, sizeof why)) {
    (void)tool_fail(0, "--mpi: %s", why);
    m = NULL;
  }
  free(path);
  return m;
}
