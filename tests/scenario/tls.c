// SPDX-License-Identifier: BSD-3-Clause
/* The library opened late, by a program that does not link it: when the static thread-local reserve is used up, and
 * closed while a thread that holds state of it is alive. L5.
 */
#include "tap.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[PATH_MAX / 2];

static const char *build_path(const char *rest)
{
  static char path[PATH_MAX];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/%s", build ? build : ".", rest);
  return path;
}

static void *symbol(void *lib, const char *name)
{
  void *p = dlsym(lib, name);
  if (!p)
    bail("%s: %s", name, dlerror());
  return p;
}

/* Opens a copy of MODULE under a shared-object name of its own, without which the loader would take it for the first. */
static bool open_copy(const char *module, int k)
{
  static char data[1 << 20];
  char to[PATH_MAX], number[64];
  const char *name = strrchr(module, '/') + 1;
  size_t len = strlen(name);
  if (snprintf(to, sizeof to, "%s/%d-%s", dir, k, name) >= (int)sizeof to)
    bail("%s: the name is too long", dir);
  snprintf(number, sizeof number, "%0*d", (int)len, k);
  FILE *in = fopen(module, "rb"), *out = fopen(to, "wb");
  size_t n = in ? fread(data, 1, sizeof data, in) : 0;
  for (size_t i = 0; i + len <= n; i++)
    if (memcmp(data + i, name, len) == 0)
      memcpy(data + i, number, len);
  if (!in || !out || n == sizeof data || fwrite(data, 1, n, out) != n)
    bail("copy %s: %s", module, strerror(errno));
  fclose(in);
  fclose(out);
  return dlopen(to, RTLD_NOW | RTLD_LOCAL) != NULL;
}

/* ---- closed under a thread ---- */

static pthread_barrier_t gate;
static int (*push)(const char *, void *);
static unsigned (*depth)(void);

static void *hold_state(void *arg)
{
  *(int *)arg = push("reference;threads=3", NULL) == 0 && depth() == 1;
  pthread_barrier_wait(&gate);
  pthread_barrier_wait(&gate); /* closed by now */
  return NULL;                 /* with a frame open: the library's destructor runs */
}

static int close_early(void)
{
  pthread_t t;
  int held = 0;
  void *lib = dlopen(build_path("lib/.libs/libheddle.so"), RTLD_NOW | RTLD_LOCAL);
  if (!lib)
    return 2;
  void *p = symbol(lib, "hed_backend_context_push"), *d = symbol(lib, "hed_context_depth");
  memcpy(&push, &p, sizeof push);
  memcpy(&depth, &d, sizeof depth);
  pthread_barrier_init(&gate, NULL, 2);
  if (pthread_create(&t, NULL, hold_state, &held) != 0)
    return 3;
  pthread_barrier_wait(&gate);
  if (dlclose(lib) != 0)
    return 4;
  pthread_barrier_wait(&gate);
  pthread_join(t, NULL);
  return held ? 0 : 5;
}

/* ---- no room ---- */

enum { OPENS = 0, REFUSED = 10, REFUSED_ODDLY = 11, BROKEN = 12 };

/* Fills the reserve first with blocks of 64 bytes, then of 8. */
static int exhaust(void)
{
  char big[PATH_MAX], small[PATH_MAX];
  snprintf(big, sizeof big, "%s", build_path("tests/modules/.libs/tls64.so"));
  snprintf(small, sizeof small, "%s", build_path("tests/modules/.libs/tls8.so"));
  int k = 0, full = 0;
  while (k < 400 && full < 2) {
    if (!open_copy(full ? small : big, k++))
      full++;
  }
  fprintf(stderr, "# %d modules opened before\n", k);
  void *lib = dlopen(build_path("lib/.libs/libheddle.so"), RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    const char *why = dlerror();
    fprintf(stderr, "# %s\n", why);
    return strstr(why, "static TLS") ? REFUSED : REFUSED_ODDLY;
  }
  void *p = symbol(lib, "hed_backend_context_push"), *d = symbol(lib, "hed_context_depth");
  memcpy(&push, &p, sizeof push);
  memcpy(&depth, &d, sizeof depth);
  return push("reference", NULL) == 0 && depth() == 1 ? OPENS : BROKEN;
}

/* Each attempt in a process of its own: what is opened stays open. */
static int in_process(int (*fn)(void))
{
  int status;
  fflush(stdout);
  pid_t p = fork();
  if (p == 0)
    _exit(fn());
  if (p < 0 || waitpid(p, &status, 0) != p)
    bail("fork: %s", strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int main(void)
{
  const char *tmp = getenv("TMPDIR"), *sanitizers = getenv("HEDDLE_TEST_SANITIZERS");
  if (sanitizers && strcmp(sanitizers, "no") != 0)
    skip_all("a sanitizer's runtime cannot be opened late");
  if (access(build_path("lib/.libs/libheddle.so"), R_OK) != 0)
    skip_all("%s is not there", build_path("lib/.libs/libheddle.so"));
  snprintf(dir, sizeof dir, "%s/heddle-tls-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
  if (!mkdtemp(dir))
    bail("mkdtemp: %s", strerror(errno));

  is_int(in_process(close_early), 0, "dlclose while a thread holds state, which then ends: nothing happens");
  int status = in_process(exhaust);
#ifndef HED_DISABLE_IE_TLS
  ok(status == REFUSED || status == OPENS,
     "without static thread-local space: refused in the loader's words, or it fits (%d)", status);
#else
  is_int(status, OPENS, "without static thread-local space: opens and works");
#endif
  char command[PATH_MAX];
  snprintf(command, sizeof command, "rm -rf '%s'", dir);
  if (system(command) != 0)
    diag("%s is left behind", dir);
  return done();
}
