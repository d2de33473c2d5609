// SPDX-License-Identifier: BSD-3-Clause
/* A shared object without the entry symbol. L5. */
int bare_has_nothing_to_say(void);

int bare_has_nothing_to_say(void)
{
  return 0;
}
