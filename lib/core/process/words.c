// SPDX-License-Identifier: BSD-3-Clause
/* Near misses: the word of a list that was probably meant. L2. */
#include <heddle/words.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 64 };

static int lower(char c) { return tolower((unsigned char)c); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* How many letters have to change, come, go, or pass the next one, to make WORD of the N letters at NAME. */
static size_t distance(const char *word, const char *name, size_t n)
{
  size_t rows[3][LETTERS]; /* of the letters of WORD so far, and of one and two before */
  size_t *row = rows[0], *before = rows[1], *earlier = rows[2];
  if (n >= LETTERS || strlen(word) >= LETTERS)
    return SIZE_MAX;
  for (size_t k = 0; k <= n; k++)
    row[k] = before[k] = k;
  for (size_t i = 0; word[i]; i++) {
    size_t *free = earlier;
    earlier = before;
    before = row;
    row = free;
    row[0] = i + 1;
    for (size_t k = 1; k <= n; k++) {
      const int a = lower(word[i]), b = lower(name[k - 1]);
      row[k] = least(least(before[k], row[k - 1]) + 1, before[k - 1] + (a != b));
      if (i > 0 && k > 1 && a == lower(name[k - 2]) && b == lower(word[i - 1]))
        row[k] = least(row[k], earlier[k - 2] + 1);
    }
  }
  return row[n];
}

const char *hed_nearest(const char *word, const char *names, size_t *length)
{
  const char *found = NULL;
  size_t best = 3;
  for (const char *name = names; word && name && *name; name += strcspn(name, ",")) {
    name += strspn(name, ", ");
    const size_t n = strcspn(name, ", "), d = n ? distance(word, name, n) : SIZE_MAX;
    if (d < best && 2 * d < n) {
      best = d;
      found = name;
      if (length)
        *length = n;
    }
  }
  return found;
}

const char *hed_choices(const char *word, const char *names, char *text, size_t size)
{
  size_t n = 0;
  const char *near = hed_nearest(word, names, &n);
  if (near)
    snprintf(text, size, "; did you mean '%.*s'? There are %s", (int)n, near, names);
  else
    snprintf(text, size, "; there are %s", names);
  return text;
}
