// SPDX-License-Identifier: BSD-3-Clause
/* See entries.h.
 *
 * Layer: L4, nn kit. Files are hostile: everything is read and looked at before anything is written.
 */
#include "kits/nn/entries.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct complaint {
  char text[400];
  size_t at;
  int n;
} complaint;

static void complain(complaint *c, const char *name, const char *what)
{
  if (c->at < sizeof c->text)
    c->at += (size_t)snprintf(c->text + c->at, sizeof c->text - c->at, "%s%s %s", c->n ? ", " : "", name, what);
  c->n++;
}

static bool is_listed(const char *name, int n, const char *const *names)
{
  for (int k = 0; k < n; k++)
    if (strcmp(name, names[k]) == 0)
      return true;
  return false;
}

static bool is_there(const hed_npz *z, const char *name)
{
  for (int k = 0; k < hed_npz_count(z); k++)
    if (strcmp(name, hed_npz_name(z, k)) == 0)
      return true;
  return false;
}

static hed_status read_all(hed_npz *z, int n, const char *const *names, hed_array *const *arrays, hed_array **read, complaint *c)
{
  char text[HED__SHAPE_WORDS], wants[HED__SHAPE_WORDS], what[2 * HED__SHAPE_WORDS + 40];
  for (int k = 0; k < hed_npz_count(z); k++)
    if (!is_listed(hed_npz_name(z, k), n, names))
      complain(c, hed_npz_name(z, k), "is not wanted");
  for (int k = 0; k < n; k++) {
    if (!is_there(z, names[k])) {
      complain(c, names[k], "is missing");
      continue;
    }
    if (!(read[k] = hed_keep(hed_npz_load(z, names[k]))))
      return hed_error();
    const hed_dtype has = hed_array_dtype(read[k]), t = hed_array_dtype(arrays[k]);
    (void)snprintf(what, sizeof what, "is %s %s, not %s %s", hed_dtype_name(has), hed__shape_words(hed_array_shape(read[k]), text),
                   hed_dtype_name(t), hed__shape_words(hed_array_shape(arrays[k]), wants));
    if (has != t || !hed__same_shape(hed_array_shape(read[k]), hed_array_shape(arrays[k])))
      complain(c, names[k], what);
  }
  return HED_OK;
}

/* FROM, which is in host memory, into TO, wherever that is. */
static hed_status put(hed_array *to, hed_array *from)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    const bool here = strcmp(hed_array_space(to), hed_array_space(from)) == 0;
    hed_array *moved = here ? from : hed_to(from, hed_array_space(to));
    status = moved ? hed_copy_into(to, moved) : hed_error();
  }
  return status;
}

hed_status hed__train_read(const char *op, const char *path, int n, const char *const *names, hed_array *const *arrays)
{
  hed_npz *z = NULL;
  complaint c = { .n = 0 };
  hed_array **read = hed__train_room(op, n, sizeof *read);
  hed_status status = read ? hed_npz_open(path, &z) : hed_error();
  if (status == HED_OK)
    HED_BACKEND_CONTEXT_OR("reference", status = hed_error()) status = read_all(z, n, names, arrays, read, &c);
  if (status == HED_OK && c.n)
    status = hed_fail(HED_E_FORMAT, "%s: %s: %s", op, path, c.text);
  for (int k = 0; k < n && status == HED_OK; k++)
    status = put(arrays[k], read[k]);
  for (int k = 0; read && k < n; k++)
    hed_release(read[k]);
  hed_npz_close(z);
  free(read);
  return status;
}
