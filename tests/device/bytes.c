// SPDX-License-Identifier: BSD-3-Clause
/* What goes through the host when an operation runs on a device: for every row of ops.def but the views, on some 64 KiB that
 * are there already, no more than hed_op_info.host and the manual's table say, and that as well. L5. */
#include "memory.h"
#include "calls.h" /* names of operands are short */

enum { FEW = 4096 };

typedef struct moved { int64_t in, out; } moved;

/* All calls of operation NAME. */
static int run_calls(const char *name, moved *sum)
{
  int found = 0;
  for (int k = 0; k < CALLS; k++)
    if (strcmp(calls[k].name, name) == 0)
      HED_SCOPE {
        const int64_t in = query("bytes_in"), from = query("bytes_out");
        const hed_array *r = calls[k].fn();
        found++;
        sum->in += query("bytes_in") - in;
        sum->out += query("bytes_out") - from;
        if (!r || hed_wait(r) != HED_OK) {
          fail("%s, form %d: %s", name, found, hed_error_text());
          hed_error_clear();
        }
      }
  return found;
}

static bool as_said(const char *kind, const moved *sum)
{
  if (strcmp(kind, "host") == 0 || strcmp(kind, "double") == 0)
    return sum->in + sum->out > FEW;
  if (strcmp(kind, "waits") == 0)
    return sum->in + sum->out <= FEW && sum->out > 0;
  return sum->in <= FEW && sum->out == 0;
}

/* The manual's row of an operation: "" when it has none. */
static const char *manual_of(const char *text, const char *name, char *kind)
{
  char row[160];
  snprintf(row, sizeof row, "@item @code{%s} @tab ", name);
  const char *at = strstr(text, row);
  return !at || sscanf(at + strlen(row), "%15s", kind) != 1 ? strcpy(kind, "") : kind;
}

static char *read_manual(void)
{
  static char text[1 << 17];
  char path[4096];
  const char *source = getenv("HEDDLE_TEST_SRCDIR");
  snprintf(path, sizeof path, "%s/doc/backends.texi", source ? source : ".");
  FILE *f = fopen(path, "r");
  if (!f || fread(text, 1, sizeof text - 1, f) == 0)
    bail("cannot read %s", path);
  fclose(f);
  return text;
}

/* Forms of operations that wait in others. */
static void without_waiting(void)
{
  HED_SCOPE {
    const int64_t from = query("bytes_out");
    hed_array *rank = NULL, *few = hed_random_choice(N, HED_SHAPE(64), v, true, NULL);
    const hed_status status = hed_lstsq(p, y, -1, &out[0], NULL, &rank, NULL);
    is_int(query("bytes_out") - from, 0, "lstsq without residuals and random_choice with replacement wait for nothing");
    ok(status == HED_OK && few && hed_wait(out[0]) == HED_OK && hed_wait(few) == HED_OK, "and are done: %s", hed_error_text());
    hed_array *off = hed_abs(hed_subtract(hed_matmul(p, out[0]), y));
    double most = 1;
    int64_t least = 0;
    ok(hed_item(hed_max(off, NULL), &most) == HED_OK && most < 1e-4 && hed_item_int(rank, &least) == HED_OK && least == 128,
       "a solution, within %g, of rank %lld", most, (long long)least);
    hed_array *bad = hed_random_choice(N, HED_SHAPE(64), hed_negative(v), true, NULL);
    ok(bad && hed_wait(bad) != HED_OK && strstr(hed_error_text(), "is not usable"), "negative weights show when it is waited for: %s",
       hed_error_text());
    hed_error_clear();
  }
}

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "delay_us=0;streams=1;roam=1", 1);
  const char *text = read_manual(), *only = getenv("HEDDLE_TEST_OPERATION");
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    make_operands(HED_FLOAT32, 1);
    for (int op = 0; op < hed_op_count(); op++) {
      hed_op_info info = { .struct_size = sizeof info };
      moved sum = { 0, 0 };
      char kind[16];
      hed_op_query(op, &info);
      if (strcmp(info.impl, "VIEW") == 0 || (only && strcmp(only, info.name) != 0))
        continue;
      const bool good = run_calls(info.name, &sum) > 0 && as_said(info.host, &sum);
      ok(good, "%s: \"%s\"; %lld bytes in, %lld out", info.name, info.host, (long long)sum.in, (long long)sum.out);
      if (*info.host || strcmp(manual_of(text, info.name, kind), info.host) != 0)
        is_str(manual_of(text, info.name, kind), info.host, "%s in the manual", info.name);
    }
    without_waiting();
    is_int(query("violations"), 0, "the device found nothing out of order");
  }
  return done();
}
