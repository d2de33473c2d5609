// SPDX-License-Identifier: BSD-3-Clause
/* .npy files: those that NumPy wrote (tests/data/npy.py), round trips of every dtype and layout, hostile files. */
#include "api.h"
#include "gen.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/heddle-npy-XXXXXX", path[256], source[512];

static const char *made_by_numpy(const char *name)
{
  const char *root = getenv("HEDDLE_TEST_SRCDIR");
  snprintf(source, sizeof source, "%s/tests/data/npy/%s.npy", root ? root : ".", name);
  return source;
}

static const struct { const char *name; hed_dtype t; } types[] = {
  { "b1", HED_BOOL },    { "i1", HED_INT8 },    { "i2", HED_INT16 },   { "i4", HED_INT32 },    { "i8", HED_INT64 },
  { "u1", HED_UINT8 },   { "u2", HED_UINT16 },  { "u4", HED_UINT32 },  { "u8", HED_UINT64 },   { "f2", HED_FLOAT16 },
  { "f4", HED_FLOAT32 }, { "f8", HED_FLOAT64 }, { "c8", HED_COMPLEX64 }, { "c16", HED_COMPLEX128 },
};

static void from_numpy(const char *backend)
{
  diag("NumPy's files on %s", backend);
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    for (int big = 0; big < 2; big++) {
      char name[32];
      double want[6];
      snprintf(name, sizeof name, "%s_%s", big ? "big" : "little", types[k].name);
      for (int j = 0; j < 6; j++) {
        want[j] = types[k].t == HED_BOOL ? j % 3 == 0 : j - 3;
        if (hed_dtype_kind(types[k].t) == HED_KIND_UINT && want[j] < 0)
          want[j] += ldexp(1, 8 * (int)hed_dtype_size(types[k].t));
      }
      hed_array *x = hed_load_npy(made_by_numpy(name));
      if (hed_dtype_kind(types[k].t) == HED_KIND_COMPLEX) {
        hed_array *im = hed_imag(x);
        api_is(im, HED_SHAPE(2, 3), types[k].t == HED_COMPLEX64 ? HED_FLOAT32 : HED_FLOAT64,
               API_LIST(1, 2, 3, 4, 5, 6), name);
      }
      api_is(x, HED_SHAPE(2, 3), types[k].t, want, name);
    }
  for (int v = 1; v <= 3; v++) {
    char name[32];
    snprintf(name, sizeof name, "version_%d", v);
    api_is(hed_load_npy(made_by_numpy(name)), HED_SHAPE(7), HED_FLOAT32, API_LIST(-3, -2, -1, 0, 1, 2, 3), name);
  }
  double want[24];
  for (int k = 0; k < 24; k++)
    want[k] = k - 3;
  api_is(hed_load_npy(made_by_numpy("fortran")), HED_SHAPE(2, 3, 4), HED_INT16, want, "first axis fastest");
  api_is(hed_load_npy(made_by_numpy("fortran_big")), HED_SHAPE(2, 3, 4), HED_FLOAT64, want, "and big-endian");
  api_is(hed_load_npy(made_by_numpy("scalar")), HED_SHAPE0, HED_FLOAT64, API_LIST(2.5), "0-d");
  api_is(hed_load_npy(made_by_numpy("empty")), HED_SHAPE(0, 5), HED_FLOAT32, API_LIST(0), "no elements");
  API_NULL(hed_load_npy(made_by_numpy("longdouble")), HED_E_DTYPE, "longdouble.npy: elements are of type '<f16'");
  API_NULL(hed_load_npy(made_by_numpy("record")), HED_E_DTYPE, "elements are records");
  API_NULL(hed_load_npy(made_by_numpy("datetime")), HED_E_DTYPE, "'<M8[s]'");
}

static int64_t file_bytes(const char *p, char *buf, size_t cap)
{
  FILE *f = fopen(p, "rb");
  size_t n = f ? fread(buf, 1, cap, f) : 0;
  if (f)
    fclose(f);
  return f ? (int64_t)n : -1;
}

static void round_trips(const char *backend)
{
  diag("round trips on %s", backend);
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 120 && good; round++) {
    size_t k = (size_t)round % (sizeof types / sizeof *types);
    hed_shape s = { 0, { 0 } };
    s.ndim = gen_shape(&g, 4, 6, 400, true, s.dim);
    hed_array *x = api_iota(s, types[k].t), *v;
    int perm[GEN_MAX_NDIM];
    hed_axes axes = { s.ndim, { 0 } };
    gen_permutation(&g, s.ndim, perm);
    for (int j = 0; j < s.ndim; j++)
      axes.axis[j] = perm[j];
    hed_array *t = hed_transpose(x, s.ndim ? &axes : NULL);
    v = gen_chance(&g, 50) ? hed_flip(t, NULL) : hed_retain(t);
    hed_array *y = hed_save_npy(path, v) == HED_OK ? hed_load_npy(path) : NULL, *e = hed_equal(v, y),
              *all = hed_all(e, NULL);
    double equal = 0;
    good = hed_item(all, &equal) == HED_OK && equal == 1 && hed_array_dtype(y) == types[k].t;
    if (!good)
      diag("round %d, %s: %s", round, types[k].name, hed_error_text());
    RELEASE(x, t, v, y, e, all);
  }
  ok(good, "every dtype, shape and layout comes back");
  /* byte for byte what NumPy writes */
  static char ours[4096], theirs[4096];
  hed_array *x = hed_load_npy(made_by_numpy("little_f8"));
  is_int(hed_save_npy(path, x), HED_OK, "save");
  int64_t n = file_bytes(path, ours, sizeof ours), m = file_bytes(source, theirs, sizeof theirs);
  is_int(n, m, "as long as NumPy's file");
  ok(n > 64 && (memcmp(ours + n - 48, theirs + m - 48, 48) == 0), "the same elements");
  ok(n % 64 == 48 && ours[127] == '\n', "the head fills up to a multiple of 64");
  struct stat st;
  ok(stat(path, &st) == 0 && (st.st_mode & 0400), "readable");
  /* nothing is left beside it */
  int files = 0;
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    files += e->d_name[0] != '.';
  if (d)
    closedir(d);
  is_int(files, 1, "no temporary file is left");
  hed_array *b = hed_zeros(HED_SHAPE(2), HED_BFLOAT16);
  API_FAIL(hed_save_npy(path, b), HED_E_DTYPE, "save_npy: x has dtype bfloat16");
  API_FAIL(hed_save_npy("/nonexistent/folder/x.npy", x), HED_E_IO,
           "cannot write '/nonexistent/folder/x.npy': No such file or directory");
  API_FAIL(hed_save_npy(NULL, x), HED_E_INVAL, "path is NULL");
  API_FAIL(hed_save_npy(folder, x), HED_E_IO, "save_npy");
  API_NULL(hed_load_npy("/nonexistent.npy"), HED_E_IO, "load_npy: /nonexistent.npy: No such file or directory");
  API_NULL(hed_load_npy(folder), HED_E_IO, "not a regular file");
  API_NULL(hed_load_npy(NULL), HED_E_INVAL, "path is NULL");
  RELEASE(b, x);
}

/* A file with this dictionary and BYTES bytes behind it. */
static void forge(int major, const char *head, size_t bytes)
{
  FILE *f = fopen(path, "wb");
  size_t n = strlen(head);
  fwrite("\x93NUMPY", 1, 6, f);
  fputc(major, f);
  fputc(0, f);
  for (int k = 0; k < (major == 1 ? 2 : 4); k++)
    fputc((int)(n >> (8 * k) & 255), f);
  fwrite(head, 1, n, f);
  for (size_t k = 0; k < bytes; k++)
    fputc(0x5a, f);
  fclose(f);
}

static void hostile(const char *backend)
{
  diag("hostile files on %s", backend);
  static const struct { const char *head; size_t bytes; hed_status status; const char *words; } cases[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11, HED_E_FORMAT,
      "shape (3,) of float32 needs more than the 11 bytes that follow" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", 8, HED_E_FORMAT, "needs more than" },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8, HED_E_FORMAT, "needs more than" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8, HED_E_FORMAT, "shape is not a tuple" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, HED_E_FORMAT, "shape is not a tuple" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }", 8, HED_E_FORMAT, "shape is not a tuple" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", 8, HED_E_FORMAT,
      "at most 16" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", 8, HED_E_FORMAT, "neither True nor False" },
    { "{'descr': '<f4', 'fortran_order': False, }", 8, HED_E_FORMAT, "not a dictionary of" },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_FORMAT, "repeated key" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1 }", 8, HED_E_FORMAT, "unknown or repeated key" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 8, HED_E_FORMAT, "not a dictionary" },
    { "{'descr': '<f4", 8, HED_E_FORMAT, "descr is not a string" },
    { "{'descr': 7, 'fortran_order': False, 'shape': (1,), }", 8, HED_E_FORMAT, "descr is not a string" },
    { "{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'<f3'" },
    { "{'descr': '|f4', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'|f4'" },
    { "{'descr': '', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "''" },
    { "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'|O'" },
    { "{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", 23, HED_E_FORMAT, "shape (2, 3) of uint32 needs more than" },
    { "{'descr': '<U999999999', 'fortran_order': False, 'shape': (4,), }", 8, HED_E_FORMAT, "needs more than" },
    { "{'descr': '<U9999999999', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'<U9999999999'" },
    { "{'descr': '<Ux', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'<Ux'" },
    { "{'descr': '<U', 'fortran_order': False, 'shape': (1,), }", 8, HED_E_DTYPE, "'<U'" },
    { "{'descr': '<U1', 'fortran_order': True, 'shape': (1, 2), }", 8, HED_E_DTYPE, "'<U1'" },
    { "{'descr': '<U1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", 8, HED_E_DTYPE, "'<U1'" },
    { "{} x", 8, HED_E_FORMAT, "not a dictionary" },
    { "", 8, HED_E_FORMAT, "not a dictionary" },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    forge(1 + (int)k % 3, cases[k].head, cases[k].bytes);
    hed_array *x = hed_load_npy(path);
    api_failed(x == NULL, cases[k].status, cases[k].words, cases[k].head);
    hed_release(x);
  }
  forge(1, "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"?\"}", 2);
  api_is(hed_load_npy(path), HED_SHAPE(2), HED_BOOL, API_LIST(1, 1), "bool that is neither 0 nor 1; other quotes and order");
  forge(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2L,), }   \n", 9);
  api_is(hed_load_npy(path), HED_SHAPE(2), HED_INT16, API_LIST(0x5a5a, 0x5a5a), "Python 2's numbers; bytes behind the array");
  forge(1, "{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", 8);
  api_is(hed_load_npy(path), HED_SHAPE(1, 2), HED_UINT32, API_LIST(0x5a5a5a5a, 0x5a5a5a5a), "text, along one more axis");
  forge(4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8);
  API_NULL(hed_load_npy(path), HED_E_FORMAT, "version 4.0 is not 1 to 3");
  FILE *f = fopen(path, "wb");
  fwrite("\x93NUMPY\x02\0\xff\xff\xff\xff", 1, 12, f);
  fclose(f);
  API_NULL(hed_load_npy(path), HED_E_FORMAT, "a head of 4294967295 bytes in a file of 12");
  f = fopen(path, "wb");
  fwrite("PK\3\4abcdefgh", 1, 12, f);
  fclose(f);
  API_NULL(hed_load_npy(path), HED_E_FORMAT, "not a .npy file");
  f = fopen(path, "wb");
  fclose(f);
  API_NULL(hed_load_npy(path), HED_E_FORMAT, "the file ends 8 bytes early");
}

int main(void)
{
  if (!mkdtemp(folder))
    bail("no folder for temporary files");
  snprintf(path, sizeof path, "%s/x.npy", folder);
  api_each_backend(from_numpy);
  api_each_backend(round_trips);
  api_each_backend(hostile);
  unlink(path);
  rmdir(folder);
  done_testing();
  return done();
}
