// SPDX-License-Identifier: BSD-3-Clause
/* .npz archives: files that NumPy wrote (tests/data/npz.py), what is written is read again, what cannot be is refused, and
 * no bytes that a hostile file holds do more than cost a sentence.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256], path[320];

static const char *data(const char *name)
{
  static char p[512];
  snprintf(p, sizeof p, "%s/tests/data/fuzz_npz/%s", getenv("HEDDLE_TEST_SRCDIR"), name);
  return p;
}

static const char *file(const char *name)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool holds(hed_array *x, hed_dtype t, hed_shape s, double first, double step)
{
  hed_array *d = x ? hed_astype(x, HED_FLOAT64) : NULL;
  hed_shape got = hed_array_shape(x);
  bool same = d && hed_array_dtype(x) == t && got.ndim == s.ndim;
  for (int k = 0; k < s.ndim && same; k++)
    same = got.dim[k] == s.dim[k];
  int64_t n = d ? hed_array_size(d) : 0;
  double *v = malloc((size_t)(n + 1) * sizeof *v);
  same = same && hed_to_host(d, v, (size_t)n * sizeof *v) == HED_OK;
  for (int64_t k = 0; k < n && same; k++)
    same = v[k] == first + step * (double)k;
  free(v);
  hed_release(d);
  return same;
}

static void numpys(const char *name, int count)
{
  hed_npz *z = NULL;
  is_int(hed_npz_open(data(name), &z), HED_OK, "%s opens", name);
  is_int(hed_npz_count(z), count, "%s: members", name);
  is_str(hed_npz_name(z, 1), "deep/b", "%s: a name in the order of the file", name);
  ok(!hed_npz_name(z, count) && !hed_npz_name(z, -1), "%s: no name beyond", name);
  hed_array *a = hed_npz_load(z, "a"), *b = hed_npz_load(z, "deep/b"), *c = hed_npz_load(z, "c"), *e = hed_npz_load(z, "empty");
  ok(holds(a, HED_FLOAT32, HED_SHAPE(2, 3), 0, 1), "%s: float32", name);
  ok(holds(b, HED_INT16, HED_SHAPE(3, 4), 0, 1), "%s: big-endian, first axis fastest", name);
  hed_array *n = hed_count_nonzero(c, NULL);
  int64_t trues = -1;
  hed_item_int(n, &trues);
  ok(trues == 2 && hed_array_dtype(c) == HED_BOOL, "%s: bool", name);
  ok(e && hed_array_dtype(e) == HED_COMPLEX128 && hed_array_shape(e).dim[1] == 4, "%s: no elements", name);
  is_ptr(hed_npz_load(z, "nothing"), NULL, "%s: a name that is not there", name);
  is_int(hed_error(), HED_E_NOTFOUND, "%s: status", name);
  ok(strstr(hed_error_text(), "a, deep/b, c, empty"), "%s", hed_error_text());
  hed_array *all[] = { a, b, c, e, n };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
  hed_npz_close(z);
}

static long size_of_file(void)
{
  FILE *in = fopen(path, "rb");
  fseek(in, 0, SEEK_END);
  const long size = ftell(in);
  fclose(in);
  return size;
}

/* Without options as fast as zlib is by itself; the reader knows nothing of levels. */
static void levels(void)
{
  long size[11];
  int wrong = 0;
  static int32_t v[60000], got[60000];
  for (int k = 0; k < 60000; k++)
    v[k] = k % 1021 * (k % 1021) % 1021;
  hed_array *x = hed_from_host(v, HED_SHAPE(60000), HED_INT32), *back;
  for (int level = -1; level <= 9; level++) {
    const hed_npz_options opt = { .level = level };
    wrong += hed_save_npz_with(file("x.npz"), 1, (const char *[]){ "x" }, (const hed_array *[]){ x }, &opt) != HED_OK;
    size[level + 1] = size_of_file();
    back = hed_load_npz(path, "x");
    wrong += !back || hed_to_host(back, got, sizeof got) != HED_OK || memcmp(got, v, sizeof v) != 0;
    hed_release(back);
  }
  is_int(wrong, 0, "each level is written and read");
  ok(size[1] > size[2] && size[2] > size[10] && size[0] == size[7], "stored %ld, fast %ld, small %ld, zlib's own %ld bytes", size[1],
     size[2], size[10], size[0]);
  is_int(hed_save_npz_with(file("x.npz"), 1, (const char *[]){ "x" }, (const hed_array *[]){ x }, NULL), HED_OK, "without options");
  is_int(size_of_file(), size[0], "as zlib has it");
  hed_release(x);
}

static void there_and_back(bool compressed)
{
  const char *how = compressed ? "deflated" : "stored";
  hed_array *x = hed_arange(0, 60000, 1, HED_INT32), *r = hed_reshape(x, HED_SHAPE(200, 300));
  hed_array *t = hed_transpose(r, NULL), *f = hed_flip(x, NULL), *one = hed_full(HED_SHAPE0, 2.5, HED_FLOAT64);
  hed_array *none = hed_zeros(HED_SHAPE(3, 0), HED_UINT8);
  const char *names[] = { "plain", "turned", "deep/back", "one", "none", "\xce\xb1" };
  const hed_array *arrays[] = { r, t, f, one, none, x };
  is_int(hed_save_npz(file("x.npz"), 6, names, arrays, compressed), HED_OK, "%s: written (%s)", how, hed_error_text());
  hed_array *a = hed_load_npz(path, "plain"), *b = hed_load_npz(path, "turned"), *c = hed_load_npz(path, "deep/back");
  hed_array *d = hed_load_npz(path, "one"), *e = hed_load_npz(path, "none"), *g = hed_load_npz(path, "\xce\xb1");
  ok(holds(a, HED_INT32, HED_SHAPE(200, 300), 0, 1), "%s: C order", how);
  hed_array *bt = hed_transpose(b, NULL), *plain = hed_copy(bt);
  ok(holds(plain, HED_INT32, HED_SHAPE(200, 300), 0, 1), "%s: a transposed array", how);
  ok(holds(c, HED_INT32, HED_SHAPE(60000), 59999, -1), "%s: a reversed one", how);
  ok(holds(d, HED_FLOAT64, HED_SHAPE0, 2.5, 0), "%s: no dimensions", how);
  ok(e && hed_array_size(e) == 0 && hed_array_dtype(e) == HED_UINT8, "%s: no elements", how);
  ok(holds(g, HED_INT32, HED_SHAPE(60000), 0, 1), "%s: a name in Greek", how);
  const long size = size_of_file();
  ok(compressed ? size < 500000 : size > 960000, "%s: %ld bytes", how, size);
  hed_array *all[] = { x, r, t, f, one, none, a, b, c, d, e, g, bt, plain };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void is_refused(hed_status got, hed_status want, const char *text, const char *what)
{
  is_int(got, want, "%s", what);
  ok(strstr(hed_error_text(), text) != NULL, "%s: %s", what, hed_error_text());
}

static int files_here(void)
{
  char command[300];
  int n = -1;
  snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
  FILE *p = popen(command, "r");
  if (!p || fscanf(p, "%d", &n) != 1)
    n = -1;
  if (p)
    pclose(p);
  return n;
}

static void refusals(void)
{
  hed_npz *z = NULL;
  hed_array *x = hed_ones(HED_SHAPE(2), HED_FLOAT32), *h = hed_ones(HED_SHAPE(2), HED_BFLOAT16);
  const hed_array *two[] = { x, x }, *half[] = { h }, *hole[] = { x, NULL };
  is_refused(hed_npz_open(file("missing.npz"), &z), HED_E_IO, "missing.npz", "no file");
  is_refused(hed_npz_open(folder, &z), HED_E_IO, "not a regular file", "a folder");
  is_refused(hed_npz_open(data("../npz.py"), &z), HED_E_FORMAT, "npz.py", "no archive");
  is_refused(hed_npz_open(NULL, &z), HED_E_INVAL, "path", "no path");
  is_refused(hed_npz_open(data("stored.npz"), NULL), HED_E_INVAL, "out", "nowhere to put it");
  int before = files_here();
  is_refused(hed_save_npz_with(file("y.npz"), 0, NULL, NULL, &(hed_npz_options){ .level = 10 }), HED_E_INVAL, "level is 10",
             "a level");
  is_refused(hed_save_npz(file("y.npz"), 2, (const char *[]){ "a", "a" }, two, false), HED_E_INVAL, "0 and 1 are both 'a'",
             "a name twice");
  is_refused(hed_save_npz(path, 2, (const char *[]){ "a", "../b" }, two, false), HED_E_INVAL, "name 1, '../b'", "a way out");
  is_refused(hed_save_npz(path, 1, (const char *[]){ "/b" }, two, false), HED_E_INVAL, "'/b'", "an absolute name");
  is_refused(hed_save_npz(path, 1, (const char *[]){ "x/.." }, two, false), HED_E_INVAL, "'x/..'", "a way out at the end");
  is_refused(hed_save_npz(path, 1, (const char *[]){ "" }, two, false), HED_E_INVAL, "name 0", "no name");
  hed_error_clear();
  is_refused(hed_save_npz(path, 2, (const char *[]){ "a", "b" }, hole, false), HED_E_INVAL, "arrays", "a NULL array");
  is_refused(hed_save_npz(path, 1, (const char *[]){ "a" }, half, false), HED_E_DTYPE, "bfloat16", "an unknown type");
  is_refused(hed_save_npz(path, -1, NULL, NULL, false), HED_E_INVAL, "negative", "fewer than none");
  is_refused(hed_save_npz("/nonexistent/y.npz", 1, (const char *[]){ "a" }, two, false), HED_E_IO, "/nonexistent",
             "a folder that is not there");
  is_int(files_here(), before, "nothing was left behind");
  is_int(hed_save_npz(path, 0, NULL, NULL, false), HED_OK, "an archive without arrays");
  is_int(hed_npz_open(data("none.npz"), &z), HED_OK, "NumPy's is read");
  is_int(hed_npz_count(z), 0, "and empty");
  hed_npz_close(z);
  hed_npz_close(NULL);
  is_int(hed_npz_count(NULL), 0, "NULL has no members");
  RELEASE(x, h);
}

/* A failure of a pending operation reaches who saves, and nothing is written. */
static void far_away(void)
{
  if (hed_backend_require("faulty") != HED_OK) {
    skip(2, "no faulty backend: %s", hed_error_text());
    return;
  }
  HED_BACKEND_CONTEXT("faulty") {
    float v[4] = { 1, 2, 3, 4 };
    hed_array *x = hed_from_host(v, HED_SHAPE(4), HED_FLOAT32);
    is_int(hed_save_npz(file("far.npz"), 1, (const char *[]){ "x" }, (const hed_array *[]){ x }, true), HED_OK,
           "an array of another space is written");
    hed_array *y = hed_load_npz(path, "x"), *host = hed_to(y, "reference");
    ok(holds(host, HED_FLOAT32, HED_SHAPE(4), 1, 1), "and read into that space");
    hed_array *all[] = { x, y, host };
    for (size_t k = 0; k < 3; k++)
      hed_release(all[k]);
  }
}

/* Damage to every byte in turn of a small archive: an array, or a status with a sentence; changed elements are noticed. */
static void damage(void)
{
  static uint8_t good[4096], bad[4096];
  FILE *f = fopen(data("stored.npz"), "rb");
  size_t n = f ? fread(good, 1, sizeof good, f) : 0;
  if (f)
    fclose(f);
  int silent = 0, wrong = 0, loads = 0;
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < n; k += 1 + gen_below(&g, 3)) {
    memcpy(bad, good, n);
    bad[k] ^= (uint8_t)(1u << gen_below(&g, 8));
    f = fopen(file("bad.npz"), "wb");
    fwrite(bad, 1, n, f);
    fclose(f);
    hed_error_clear();
    hed_npz *z = NULL;
    if (hed_npz_open(path, &z) != HED_OK) {
      silent += hed_error() == HED_OK || !*hed_error_text();
      continue;
    }
    for (int j = 0; j < hed_npz_count(z); j++) {
      hed_error_clear();
      hed_array *x = hed_npz_load(z, hed_npz_name(z, j));
      silent += !x && (hed_error() == HED_OK || !*hed_error_text());
      if (x && strcmp(hed_npz_name(z, j), "a") == 0) {
        wrong += !holds(x, HED_FLOAT32, HED_SHAPE(2, 3), 0, 1);
        loads++;
      }
      hed_release(x);
    }
    hed_npz_close(z);
  }
  ok(n > 500 && loads > 50, "%zu bytes damaged, %d loads", n, loads);
  is_int(silent, 0, "every failure has a sentence");
  is_int(wrong, 0, "no damaged element gets through");
}

int main(void)
{
  if (strcmp(getenv("HEDDLE_TEST_LIBZIP") ? getenv("HEDDLE_TEST_LIBZIP") : "", "yes") != 0)
    skip_all("built without libzip");
  snprintf(folder, sizeof folder, "/tmp/heddle-npz-%ld", (long)getpid());
  char command[300];
  snprintf(command, sizeof command, "mkdir -p '%s'", folder);
  if (system(command) != 0)
    bail("no folder");
  numpys("stored.npz", 4);
  numpys("deflated.npz", 5);
  hed_array *big = hed_load_npz(data("deflated.npz"), "big");
  hed_array *sum = big ? hed_sum(big, NULL) : NULL;
  int64_t total = 0;
  hed_item_int(sum, &total);
  is_int(total, 2857 * 21, "160 000 bytes, inflated");
  RELEASE(big, sum);
  there_and_back(false);
  there_and_back(true);
  levels();
  refusals();
  far_away();
  damage();
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  is_int(system(command), 0, "cleaned");
  return done();
}
