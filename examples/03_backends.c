// SPDX-License-Identifier: BSD-3-Clause
/* Which backends there are, and why one is not usable.
 *
 *   cc 03_backends.c -o backends $(pkg-config --cflags --libs heddle)
 *   ./backends [NAME]
 */
#include <heddle.h>

#include <stdio.h>

static void report(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg;
  printf("    %-8s %s: %s (%s)\n", stage, candidate, reason, hed_status_text(status));
}

int main(int argc, char **argv)
{
  const char *names[32];
  int n = hed_backend_list(names, 32);

  for (int i = 0; i < n && i < 32; i++) {
    hed_backend_info info = { .struct_size = sizeof info };
    hed_status s = hed_backend_require(names[i]);
    if (hed_backend_query(names[i], &info) != HED_OK)
      continue;
    printf("%-12s %s %s\n", names[i], s == HED_OK ? "usable," : "not usable:",
           s == HED_OK ? info.version : info.reason);
  }
  if (argc > 1 && hed_backend_require(argv[1]) != HED_OK) {
    printf("%s\n", hed_error_text());
    hed_backend_explain(argv[1], report, NULL);
    return 1;
  }
  return 0;
}
