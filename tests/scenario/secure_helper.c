// SPDX-License-Identifier: BSD-3-Clause
/* Run by scenario/secure.t, perhaps with more rights than its caller: says whether the system treats it as privileged,
 * then asks for the backend NAME and prints what came of it; loads the module PATH when there is one. L5.
 */
#include <heddle.h>

#include <stdio.h>
#include <sys/auxv.h>

static void print(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg;
  printf("report|%s|%s|%d|%s\n", candidate, stage, (int)status, reason);
}

static void setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg;
  printf("setting|%s|%s|%s\n", name, value, source);
}

int main(int argc, char **argv)
{
  if (argc < 2)
    return 2;
  printf("secure|%lu\n", getauxval(AT_SECURE));
  int status = hed_backend_require(argv[1]);
  printf("require|%d|%s\n", status, hed_error_text());
  hed_backend_explain(argv[1], print, NULL);
  if (argc > 2) {
    status = hed_backend_load(argv[2]);
    printf("load|%d|%s\n", status, hed_error_text());
  }
  hed_config_list(setting, NULL);
  return 0;
}
