// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory, as tensor/nomem.c: tensors of few entries. */
#include "arrays.h"
#include "nomem.h"
#include <heddle/kits/gcp.h>
#include <heddle/kits/tensor_sparse.h>

static hed_array *full, *indices, *values;
static hed_coo x;
static hed_cp cp;
static char written[64], file[64];

static hed_status coo_made(hed_status s, hed_coo *c)
{
  if (s != HED_OK && (c->indices || c->values))
    fail("a tensor with an error");
  hed_coo_clear(c);
  return s;
}

#define COO(call) do { hed_coo c = { 0 }; return coo_made(call, &c); } while (0)
static hed_status do_from(void) { COO(hed_coo_from(HED_SHAPE(3, 4, 2), indices, values, &c)); }
static hed_status do_from_dense(void) { COO(hed_coo_from_dense(full, &c)); }
static hed_status do_load(void) { COO(hed_coo_load_tns(file, &c)); }
static hed_status do_save(void) { return hed_coo_save_tns(written, &x); }
static hed_status do_full(void) { return made(hed_coo_full(&x)); }
static hed_status do_norm(void) { double v; return hed_coo_norm(&x, &v); }
static hed_status do_inner(void) { double v[2]; return hed_coo_inner_cp(&x, &cp, v); }
static hed_status do_mttkrp(void) { return made(hed_coo_mttkrp(&x, 3, (const hed_array *const *)cp.factor, 1)); }
static hed_status do_project(void)
{
  return made(hed_coo_project(&x, 3, (const hed_array *const[]){ cp.factor[0], NULL, cp.factor[2] }));
}
static hed_status fitted(hed_status s, hed_cp *c, hed_fit *f)
{
  if (s != HED_OK && (c->order || f->errors))
    fail("a result with an error");
  hed_cp_clear(c);
  hed_fit_clear(f);
  return s;
}

#define FIT(call) do { hed_cp c = { 0 }; hed_fit f = { 0 }; return fitted(call, &c, &f); } while (0)
static hed_status do_als(void) { FIT(hed_coo_cp_als(&x, 1, &(hed_cp_options){ .sweeps = { .max = 2 } }, &c, &f)); }
static hed_status do_apr(void)
{
  FIT(hed_coo_cp_apr(&x, 1, &(hed_cp_apr_options){ .sweeps = { .max = 2, .tol = -1 }, .inner = 1 }, &c, &f));
}
static hed_status do_tucker(void)
{
  hed_tucker t = { 0 };
  const hed_status s = hed_coo_tucker(&x, &HED_SHAPE(1, 1, 1), &(hed_coo_tucker_options){ .sweeps = { .max = 2 } }, &t, NULL);
  if (s != HED_OK && (t.order || t.core))
    fail("a result with an error");
  hed_tucker_clear(&t);
  return s;
}

#define ENTRY(f) { #f, f, NULL }

int main(void)
{
  static const entry entries[] = {
    ENTRY(do_from), ENTRY(do_from_dense), ENTRY(do_load), { "do_save", do_save, written }, ENTRY(do_full), ENTRY(do_norm),
    ENTRY(do_inner), ENTRY(do_mttkrp), ENTRY(do_project), ENTRY(do_als), ENTRY(do_apr),
    ENTRY(do_tucker),
  };
  static const int64_t at[] = { 2, 3, 1, 0, 0, 0, 2, 3, 1 };
  failing_begin();
  snprintf(written, sizeof written, "%s/written.tns", failing_folder);
  snprintf(file, sizeof file, "%s/file.tns", failing_folder);
  indices = hed_from_host(at, HED_SHAPE(3, 3), HED_INT64);
  values = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  if (!indices || !values || hed_coo_from(HED_SHAPE(3, 4, 2), indices, values, &x) != HED_OK || !(full = hed_coo_full(&x)) ||
      hed_coo_save_tns(file, &x) != HED_OK ||
      hed_cp_random(HED_SHAPE(3, 4, 2), 1, HED_FLOAT32, true, &(hed_random){ .seed = 1, .seeded = true }, &cp) != HED_OK)
    bail("operands: %s", hed_error_text());
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
    every_allocation(entries[i].name, entries[i].call, entries[i].makes);
  unlink(file);
  failing_end();
  RELEASE(full, indices, values);
  hed_coo_clear(&x);
  hed_cp_clear(&cp);
  return done();
}
