// SPDX-License-Identifier: BSD-3-Clause
/* Files of MATLAB: what SciPy 1.17.1 (data/mat.py) and h5py 3.16.0 (data/mat_hdf5.py, which mat73 0.65 reads back) wrote, by the
 * formulas it was made by, what is no array of numbers, and files that say what they like, under a limit of memory.
 */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/tensor_mat.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[4096];

/* Its shadow takes all addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true;
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static const bool sanitized = true;
#  else
static const bool sanitized = false;
#  endif
#else
static const bool sanitized = false;
#endif

static const char *in_data(const char *file)
{
  snprintf(path, sizeof path, "%s/tests/data/mat/%s", getenv("HEDDLE_TEST_SRCDIR") ? getenv("HEDDLE_TEST_SRCDIR") : ".", file);
  return path;
}

/* Element K in C order is SCALE * k + SHIFT, real and imaginary; of logicals whether 3 divides k. */
typedef struct row {
  const char *name;
  const char *dtype;
  double complex scale, shift;
} row;

static void values(const char *file)
{
  static const row rows[] = {
    { "x", "float64", 1, 0.5 }, { "small", "uint8", 1, 0 }, { "wide", "int64", 1, -1099511627776. }, { "single", "float32", 0.25, 0 },
    { "z", "complex128", 1 - I, 0 }, { "zs", "complex64", 1 + 2 * I, 0 }, { "yes", "bool", 0, 0 },
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    hed_array *x = hed_load_mat(in_data(file), rows[r].name);
    const hed_shape s = hed_array_shape(x);
    const bool there = hed_device_supports(NULL, rows[r].dtype) == 1;
    bool good = x && s.ndim == 3 && s.dim[0] == 2 && s.dim[1] == 3 && s.dim[2] == 4 && hed_array_is_contiguous(x) &&
                strcmp(hed_dtype_name(hed_array_dtype(x)), rows[r].dtype) == 0;
    double complex *v = good ? tensor_elements(x) : NULL;
    for (int k = 0; k < 24 && good; k++)
      good = v[k] == (rows[r].scale != 0 ? rows[r].scale * k + rows[r].shift : k % 3 == 0);
    if (!ok(there ? good : !x && hed_error() == HED_E_DTYPE, "%s: %s", file, rows[r].name))
      diag("%s", hed_error_text());
    free(v);
    hed_release(x);
  }
  if (hed_device_supports(NULL, "float64") != 1)
    return;
  hed_array *row_ = hed_load_mat(in_data(file), "row"), *none = hed_load_mat(path, "none");
  is_int(hed_array_ndim(row_) == 2 && hed_array_shape(row_).dim[1] == 3, 1, "%s: MATLAB has two axes at least", file);
  is_int(none && hed_array_size(none) == 0 && hed_array_shape(none).dim[1] == 3, 1, "%s: no elements", file);
  RELEASE(row_, none);
}

static void refused(const char *file, const char *name, hed_status status, const char *words)
{
  hed_array *x = hed_load_mat(file ? in_data(file) : NULL, name);
  if (!ok(!x && hed_error() == status && strstr(hed_error_text(), words), "%s, %s: %s", file ? file : "NULL", name ? name : "NULL",
          words))
    diag("%d: %s", (int)hed_error(), hed_error_text());
  hed_release(x);
}

/* Version 7.3: links are not followed, elements are in the file itself, and as many as it says. */
static void odd_hdf5(void)
{
  static const struct { const char *name; hed_status status; const char *words; } odd[] = {
    { "huge", HED_E_FORMAT, "elements that were never written" }, { "endless", HED_E_FORMAT, "more elements than can be counted" },
    { "vast", HED_E_FORMAT, "more elements than can be counted" }, { "lots", HED_E_FORMAT, "more elements than can be counted" },
    { "chunky", HED_E_FORMAT, "a chunk of chunky has 1073741824 bytes, which" },
    { "lacking", HED_E_FORMAT, "lacking has 1 of 2 chunks" }, { "doubled", HED_E_FORMAT, "doubled has chunks out of order" },
    { "mixed", HED_E_FORMAT, "mixed, double, is stored as uint8" }, { "enough", HED_E_FORMAT, "none of its extents is 0" },
    { "narrow", HED_E_FORMAT, "has not 2 to 16 extents of uint64" }, { "elsewhere", HED_E_FORMAT, "in other files" },
    { "virtual", HED_E_FORMAT, "put together from other places" }, { "twice", HED_E_FORMAT, "a filter twice" },
    { "summed", HED_E_FORMAT, "other than deflate and shuffle" }, { "novel", HED_E_DTYPE, "novel is table" },
    { "words", HED_E_DTYPE, "neither numbers nor pairs" }, { "soft", HED_E_DTYPE, "soft is a link" },
    { "loop", HED_E_DTYPE, "loop is a link" },
  };
  static const char *const others[][2] = {
    { "text", "text is char" }, { "cells", "cells is cell" }, { "fields", "fields is struct" }, { "few", "few is sparse" }
  };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    refused("v73odd.mat", odd[i].name, odd[i].status, odd[i].words);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    refused("v73.mat", others[i][0], HED_E_DTYPE, others[i][1]);
  refused("v73links.mat", "outside", HED_E_DTYPE, "outside is a link");
  refused("v73links.mat", NULL, HED_E_INVAL, "3 variables, of which one has to be named: x (double), outside (link), soft (link)");
  refused("v73chunks.mat", "backwards", HED_E_FORMAT, "deflated before it is shuffled");
  refused("v73chunks.mat", "swapped", HED_E_DTYPE, "neither numbers nor pairs");
  refused("v73chunks.mat", "twelve", HED_E_DTYPE, "neither numbers nor pairs");
  refused("v73chunks.mat", "apart", HED_E_FORMAT, "has a chunk outside its extents");
  refused("v73chunks.mat", "long", HED_E_FORMAT, "long has 168 bytes by its extents, and 160 in a file");
  refused("v73.mat", "y", HED_E_NOTFOUND, "has no y; it has cells (cell), few (sparse), fields (struct), none (double)");
  refused("v73.mat", "#refs#", HED_E_NOTFOUND, "has no #refs#");
  refused("v73.mat", "fields/a", HED_E_NOTFOUND, "has no fields/a");
  hed_array *x = hed_load_mat(in_data("v73stored.mat"), NULL), *linked = hed_load_mat(in_data("v73links.mat"), "x");
  double v[24] = { 0 }, w[24] = { 0 };
  bool good = hed_tolist(x, v, 24) == HED_OK && hed_tolist(linked, w, 24) == HED_OK;
  for (int k = 0; k < 24; k++)
    good = good && v[k] == k + 0.5 && w[k] == k + 0.5;
  ok(good, "the one variable, as hdf5storage wrote it, and one that stands in the header of its group");
  hed_release(linked);
  hed_release(x);
}

/* Chunks that end beyond the array, to each of which other filters were applied; and with another checksum. */
static void filtered(void)
{
  hed_array *x = hed_load_mat(in_data("v73chunks.mat"), "x");
  double v[24] = { 0 };
  bool good = x && hed_tolist(x, v, 24) == HED_OK;
  for (int k = 0; k < 24; k++)
    good = good && v[k] == k + 0.5;
  if (!ok(good, "chunks that end beyond the array, by four sets of filters"))
    diag("%s", hed_error_text());
  hed_release(x);
  x = hed_load_mat(path, "yes");
  unsigned char yes[3] = { 0 };
  ok(x && hed_array_dtype(x) == HED_BOOL && hed_to_host(x, yes, 3) == HED_OK && yes[0] == 1 && !yes[1] && yes[2] == 1, "a true of 2");
  hed_release(x);
  refused("v73chunks.mat", "damaged", HED_E_FORMAT, "does not decompress");
}

/* Extents beside a 0 are counted as well. */
static void no_elements(void)
{
  static const struct { const char *name; hed_shape shape; const char *dtype; } rows[] = {
    { "e", { 2, { 5, 0 } }, "float64" }, { "f", { 3, { 0, 3, 2 } }, "float32" }, { "z", { 2, { 2, 0 } }, "complex128" }
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    hed_array *x = hed_load_mat(in_data("empty.mat"), rows[r].name);
    const hed_shape s = hed_array_shape(x);
    ok(x && s.ndim == rows[r].shape.ndim && memcmp(s.dim, rows[r].shape.dim, sizeof s.dim) == 0 &&
       strcmp(hed_dtype_name(hed_array_dtype(x)), rows[r].dtype) == 0, "%s, without elements", rows[r].name);
    hed_release(x);
  }
  refused("nothing.mat", NULL, HED_E_FORMAT, "extent 2 of a variable is 2147483647: more elements than can be counted");
}

/* A pipe is refused, not waited for. */
static void pipe_(void)
{
  snprintf(path, sizeof path, "/tmp/heddle-mat-%ld", (long)getpid());
  if (mkfifo(path, 0600) != 0)
    bail("%s", path);
  hed_array *x = hed_load_mat(path, NULL);
  ok(!x && hed_error() == HED_E_IO && strstr(hed_error_text(), "not a regular file"), "a pipe: %s", hed_error_text());
  (void)unlink(path);
}

static void errors(void)
{
  refused(NULL, NULL, HED_E_INVAL, "path is NULL");
  refused("plain.mat", NULL, HED_E_INVAL, "13 variables, of which one has to be named: x (double), small (uint8)");
  refused("plain.mat", "y", HED_E_NOTFOUND, "has no y; it has x (double)");
  refused("plain.mat", "text", HED_E_DTYPE, "text is char");
  refused("plain.mat", "cells", HED_E_DTYPE, "cells is cell");
  refused("plain.mat", "fields", HED_E_DTYPE, "fields is struct");
  refused("plain.mat", "few", HED_E_DTYPE, "few is sparse");
  refused("old.mat", NULL, HED_E_FORMAT, "is no .mat file of version 5 to 7.3");
  refused("nosuch.mat", NULL, HED_E_IO, "cannot open");
  refused(".", NULL, HED_E_IO, "not a regular file");
  refused("many.mat", NULL, HED_E_FORMAT, "extent 1 of a variable is 2147483647: more elements than can be counted");
  refused("fewer.mat", NULL, HED_E_FORMAT, "f has 268435456 elements by its extents and 64 bytes of 8");
  refused("range.mat", NULL, HED_E_FORMAT, "r is int8, and element 1 is 300");
}

static bool has_zlib(void)
{
  hed_array *x = hed_load_mat(in_data("one.mat"), NULL);
  const bool has = x || hed_error() != HED_E_UNAVAILABLE;
  hed_release(x);
  return has;
}

/* Each file cut anywhere, and each of its bytes changed: an array or a sentence, never much memory; where all its numbers have a
 * checksum, SUMMED, the array as it was. */
static void broken(const char *file, size_t step, bool summed)
{
  static unsigned char bytes[1 << 16];
  FILE *f = fopen(in_data(file), "rb");
  const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
  char name[64];
  const int fd = memfd_create("broken.mat", 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  int wrong = 0, whole = 0;
  if (!f || n < 128 || fd < 0)
    bail("%s", path);
  (void)fclose(f);
  for (size_t k = 0; k < 3 * n; k += step) {
    const size_t at = k % n;
    const unsigned char kept = bytes[at];
    bytes[at] = k < n ? kept : k < 2 * n ? (unsigned char)(kept ^ 0x80) : 0xff;
    const size_t length = k < n ? at : n;
    if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, length, 0) != (ssize_t)length)
      bail("%s", name);
    hed_array *x = hed_load_mat(name, "x");
    whole += x != NULL;
    wrong += !x && (hed_error() == HED_E_NOMEM || !hed_error_text()[0] || hed_error() == HED_OK);
    wrong += k == n - 1 && x && n < 3000; /* the last variable, which is not asked for, lacks a byte */
    double v[24];
    for (int i = 0; x && summed && i < 24; i++)
      wrong += hed_array_size(x) != 24 || (i == 0 && hed_tolist(x, v, 24) != HED_OK) || v[i] != i + 0.5;
    hed_release(x);
    bytes[at] = kept;
  }
  if (!ok(wrong == 0 && whole > 0 && whole < (int)(3 * n), "%s, broken in %zu ways", file, 3 * n / step))
    diag("%d without a reason, %d arrays; %s", wrong, whole, hed_error_text());
  (void)close(fd);
}

/* No more than 128 MiB beyond what is there. */
static void hostile(bool zlib)
{
  struct rlimit before, limit;
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld", &pages) != 1 || getrlimit(RLIMIT_AS, &before) != 0)
    bail("no limit of memory");
  (void)fclose(f);
  limit = (struct rlimit){ .rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (128 << 20), .rlim_max = before.rlim_max };
  const bool limited = !sanitized && setrlimit(RLIMIT_AS, &limit) == 0;
  diag("%s", limited ? "128 MiB more" : "no limit: a sanitizer has the addresses");
  broken("plain.mat", 1, false);
  broken("v73stored.mat", 1, false);
  broken("v73.mat", 41, false);
  if (zlib) {
    broken("packed.mat", 1, false);
    broken("one.mat", 1, true);
    broken("v73packed.mat", 41, false);
    filtered();
    refused("bomb.mat", NULL, HED_E_FORMAT, "b says 1073741824 bytes, which");
    refused("short.mat", NULL, HED_E_FORMAT, "s says 16 bytes, which");
    refused("cells.mat", NULL, HED_E_INVAL, "c (cell), x (uint8)");
    hed_array *x = hed_load_mat(path, "x");
    double v[2] = { 0 };
    ok(x && hed_tolist(x, v, 2) == HED_OK && v[0] == 5 && v[1] == 6, "what stands behind 4e9 cells");
    hed_release(x);
  }
  (void)setrlimit(RLIMIT_AS, &before);
}

/* Doubles of the other byte order, and of bytes; the one variable of a file. */
static void doubles(bool zlib)
{
  hed_array *x = hed_load_mat(in_data("big.mat"), "x"), *b = hed_load_mat(path, "b");
  double v[24] = { 0 }, w[24] = { 0 };
  bool good = x && b && hed_array_dtype(b) == HED_FLOAT64 && hed_tolist(x, v, 24) == HED_OK && hed_tolist(b, w, 24) == HED_OK;
  for (int k = 0; k < 24; k++)
    good = good && v[k] == k + 0.5 && w[k] == k;
  ok(good, "the other byte order, and doubles that are stored as bytes");
  RELEASE(x, b);
  x = zlib ? hed_load_mat(in_data("one.mat"), NULL) : NULL;
  ok(!zlib || (x && hed_array_size(x) == 24), "the one variable needs no name");
  hed_release(x);
}

static void everything(gen *g, const char *backend)
{
  (void)g;
  const bool zlib = has_zlib();
  values("plain.mat");
  values("v73.mat");
  if (zlib) {
    values("packed.mat");
    values("v73packed.mat");
  } else
    skip(1, "no zlib: compressed variables are not read");
  if (is_backend(backend, "cpu")) {
    doubles(zlib);
    errors();
    odd_hdf5();
    no_elements();
    pipe_();
    hostile(zlib);
  }
}

int main(void)
{
  on_backends(everything);
  done_testing();
  return done();
}
