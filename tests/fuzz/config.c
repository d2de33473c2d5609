// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz target: the configuration file. It is read once per process, so each input is for a child: whatever the bytes, the
 * child lists its settings, each with a source, and either has a backend or says which line is wrong.
 */
#include "fuzz.h"
#include "tap.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const words[] = { "backend", "device", "num_threads", "log", "disable", " = ", "=", "\n", "\r\n", "#",
                                     "reference", "cpu", "999999999999999999999", "-1", "%s%n", "\xff\xfe", NULL };
const fuzz_info fuzz_target = { "fuzz_config", words };

static void setting(void *arg, const char *name, const char *value, const char *source)
{
  if (!name || !*name || !value || !source || !*source)
    *(int *)arg = 1;
}

/* In the child: 0 when all is well. */
static int look(void)
{
  int nameless = 0;
  if (hed_config_list(setting, &nameless) <= 0 || nameless)
    return 1;
  hed_error_clear();
  if (!*hed_get_backend())
    return 2;
  hed_array *x = hed_zeros(HED_SHAPE(2), HED_FLOAT32);
  if (!x && (hed_error() == HED_OK || !*hed_error_text()))
    return 3;
  hed_release(x);
  return 0;
}

static char folder[64], inner[96];

static void clean(void)
{
  rmdir(inner);
  rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char path[128];
  if (!*folder) {
    snprintf(folder, sizeof folder, "/tmp/heddle-fuzz-config-%ld", (long)getpid());
    snprintf(inner, sizeof inner, "%s/heddle", folder);
    snprintf(path, sizeof path, "%s/config", inner);
    if (mkdir(folder, 0700) != 0 || mkdir(inner, 0700) != 0 || atexit(clean) != 0)
      bail("no folder %s", inner);
    setenv("XDG_CONFIG_HOME", folder, 1);
  }
  FILE *f = fopen(path, "wb");
  if (!f)
    return 0;
  fwrite(data, 1, size, f);
  fclose(f);
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(look());
  waitpid(child, &status, 0);
  unlink(path);
  if (!WIFEXITED(status))
    fuzz_wrong("the child did not come to its end");
  else if (WEXITSTATUS(status) == 1)
    fuzz_wrong("a setting without name or source");
  else if (WEXITSTATUS(status) == 2)
    fuzz_wrong("no backend in force");
  else if (WEXITSTATUS(status) == 3)
    fuzz_wrong("a failure without a sentence");
  else if (WEXITSTATUS(status))
    fuzz_wrong("the child failed");
  return 0;
}
