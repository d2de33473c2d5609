// SPDX-License-Identifier: BSD-3-Clause
/* Trees in files, and NumPy's archives.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/params/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_PREFIX "__metadata__."

/* ---- .npz ---- */

/* N members, of which those from p->n on are texts. */
static hed_status npz_members(const hed_nn_params *p, const char **names, char **owned, const hed_array **x)
{
  int n = 0;
  for (int64_t k = 0; k < p->n; k++, n++) {
    names[n] = p->entry[k].name;
    x[n] = hed_array_dtype(p->entry[k].x) == HED_BFLOAT16 ? hed_astype(p->entry[k].x, HED_FLOAT32) : p->entry[k].x;
    if (!x[n])
      return hed_error();
  }
  for (int64_t k = 0; k < p->texts; k++, n++) {
    const size_t room = sizeof TEXT_PREFIX + strlen(p->text[k].key);
    if (!(owned[k] = malloc(room)))
      return hed_fail(HED_E_NOMEM, "hed_nn_params_save: no memory for a name");
    (void)snprintf(owned[k], room, TEXT_PREFIX "%s", p->text[k].key);
    names[n] = owned[k];
    if (!(x[n] = hed_from_host(p->text[k].value, HED_SHAPE((int64_t)strlen(p->text[k].value)), HED_UINT8)))
      return hed_error();
  }
  return HED_OK;
}

hed_status hed__nn_save_npz(const hed_nn_params *p, const char *path)
{
  const size_t n = (size_t)(p->n + p->texts), texts = (size_t)p->texts;
  const char **names = malloc((n + 1) * sizeof *names);
  const hed_array **x = malloc((n + 1) * sizeof *x);
  char **owned = calloc(texts + 1, sizeof *owned);
  hed_status status = HED_OK;
  if (!names || !x || !owned || n >= INT32_MAX)
    status = hed_fail(HED_E_NOMEM, "hed_nn_params_save: no memory for %zu names", n);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      status = npz_members(p, names, owned, x);
      if (status == HED_OK)
        status = hed_save_npz(path, (int)n, names, x, false);
    }
  for (size_t k = 0; owned && k < texts; k++)
    free(owned[k]);
  free(owned);
  free(x);
  free(names);
  return status;
}

/* X, bytes of UTF-8, as the text KEY. */
static hed_status take_text(hed_nn_params *p, const char *path, const char *key, const hed_array *x)
{
  if (hed_array_dtype(x) != HED_UINT8 || hed_array_ndim(x) != 1)
    return hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': the text \"%.100s\" is no list of bytes", path, key);
  const size_t n = (size_t)hed_array_size(x);
  char *text = malloc(n + 1);
  hed_status status = text ? hed_to_host(x, text, n)
                           : hed_fail(HED_E_NOMEM, "hed_nn_params_load: no memory for a text of %zu bytes", n);
  if (status == HED_OK) {
    text[n] = 0;
    status = strlen(text) == n && *key ? hed_nn_params_set_text(p, key, text)
                                       : hed_fail(HED_E_FORMAT,
                                                  "hed_nn_params_load: '%s': the text \"%.100s\" has a 0 in it, or no name",
                                                  path, key);
  }
  free(text);
  return status;
}

hed_status hed__nn_load_npz(const char *path, hed_nn_params *p)
{
  static const size_t prefix = sizeof TEXT_PREFIX - 1;
  hed_npz *z = NULL;
  hed_status status = hed_npz_open(path, &z);
  for (int k = 0; status == HED_OK && k < hed_npz_count(z); k++) {
    const char *name = hed_npz_name(z, k);
    const bool is_text = strncmp(name, TEXT_PREFIX, prefix) == 0;
    const char *wrong = is_text ? NULL : hed__nn_bad_name(name);
    if (wrong || (!is_text && hed_nn_params_find(p, name) >= 0)) {
      status = hed_fail(HED_E_FORMAT, "hed_nn_params_load: '%s': the name \"%.100s\" %s", path, name,
                        wrong ? wrong : "is there twice");
      break;
    }
    HED_SCOPE_OR(status = hed_error()) {
      const hed_array *x = hed_npz_load(z, name);
      status = !x ? hed_error() : is_text ? take_text(p, path, name + prefix, x) : hed_nn_params_set(p, name, x);
    }
  }
  hed_npz_close(z);
  return status;
}

/* ---- either ---- */

static bool ends_in(const char *path, const char *end)
{
  const size_t n = strlen(path), m = strlen(end);
  return n >= m && strcmp(path + n - m, end) == 0;
}

static hed_status unknown_end(const char *op, const char *path)
{
  return hed_fail(HED_E_INVAL, "%s: '%s' ends neither in .safetensors nor in .npz", op, path);
}

hed_status hed_nn_params_save(const hed_nn_params *p, const char *path)
{
  if (!p || !path)
    return hed_fail(HED_E_INVAL, "hed_nn_params_save: %s is NULL", p ? "path" : "p");
  return ends_in(path, ".safetensors") ? hed__nn_save_safetensors(p, path)
         : ends_in(path, ".npz")       ? hed__nn_save_npz(p, path)
                                       : unknown_end("hed_nn_params_save", path);
}

hed_status hed_nn_params_load(const char *path, hed_nn_params **out)
{
  hed_nn_params *p = NULL;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_nn_params_load: %s is NULL", path ? "out" : "path");
  *out = NULL;
  hed_status status = hed_nn_params_create(&p);
  if (status == HED_OK)
    status = ends_in(path, ".safetensors") ? hed__nn_load_safetensors(path, p)
             : ends_in(path, ".npz")       ? hed__nn_load_npz(path, p)
                                           : unknown_end("hed_nn_params_load", path);
  if (status != HED_OK) {
    hed_nn_params_release(p);
    return status;
  }
  *out = p;
  return HED_OK;
}
