// SPDX-License-Identifier: BSD-3-Clause
/* Says what a child of a plain pthread_create sees: the creator's context, or the process root. */
#include <heddle.h>

#include <stdio.h>

static void *child(void *arg)
{
  hed_context_info info = { .struct_size = sizeof info };
  (void)arg;
  if (hed_context_query(NULL, &info) != HED_OK)
    printf("%s\n", hed_error_text());
  else if (info.threads == 7)
    printf("%s;%d\n", info.backend, (int)info.threads);
  else
    printf("follows\n");
  return NULL;
}

int main(void)
{
  pthread_t t;
  if (hed_backend_context_push("reference;threads=7", NULL) != HED_OK) {
    fprintf(stderr, "%s\n", hed_error_text());
    return 1;
  }
  if (pthread_create(&t, NULL, child, NULL) != 0)
    return 1;
  pthread_join(t, NULL);
  return hed_backend_context_pop() == HED_OK ? 0 : 1;
}
