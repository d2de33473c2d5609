// SPDX-License-Identifier: BSD-3-Clause
/* .npy files mapped into memory: what is seen, what writing does in each mode, what cannot be mapped. */
#include "arrays.h"
#include "tap.h"

#include <heddle.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static const char *data(const char *name)
{
  static char p[512];
  snprintf(p, sizeof p, "%s/tests/data/npy/%s.npy", getenv("HEDDLE_TEST_SRCDIR"), name);
  return p;
}

static double element(const hed_array *x, int64_t i)
{
  double v = -999;
  hed_array *e = hed_index(x, 0, i);
  hed_item(e, &v);
  hed_release(e);
  return v;
}

static double stored(int64_t i)
{
  hed_array *x = hed_load_npy(path);
  double v = element(x, i);
  hed_release(x);
  return v;
}

/* The mapped file equals the file that is read. */
static void same(const char *name)
{
  hed_array *m = hed_map_npy(data(name), HED_MAP_READ), *r = hed_load_npy(data(name));
  hed_array *eq = m ? hed_equal(m, r) : NULL, *every = eq ? hed_all(eq, NULL) : NULL;
  double v = 0;
  hed_item(every, &v);
  hed_shape a = hed_array_shape(m), b = hed_array_shape(r);
  ok(m && v == 1 && hed_array_dtype(m) == hed_array_dtype(r) && a.ndim == b.ndim &&
         memcmp(a.dim, b.dim, (size_t)(a.ndim > 0 ? a.ndim : 0) * sizeof *a.dim) == 0, "%s: as it is read (%s)", name,
     hed_error_text());
  ok(hed_array_is_read_only(m), "%s: read-only", name);
  hed_array *all[] = { m, r, eq, every };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void modes(void)
{
  hed_array *x = hed_arange(0, 1000, 1, HED_FLOAT32);
  is_int(hed_save_npy(path, x), HED_OK, "a file");
  hed_array *c = hed_map_npy(path, HED_MAP_COPY), *w = hed_map_npy(path, HED_MAP_WRITE), *r = hed_map_npy(path, HED_MAP_READ);
  is_int(hed_fill(r, 1), HED_E_INVAL, "mapped for reading: writing is an error");
  is_int(hed_add_scalar_into(c, c, 5), HED_OK, "mapped as a copy: it may be written");
  ok(element(c, 10) == 15 && stored(10) == 10, "and the file stays");
  hed_array *part = hed_slice(w, 1, (hed_slice_range[]){ HED_RANGE(10, 20, 1) });
  hed_release(w);
  is_int(hed_fill(part, 7), HED_OK, "mapped for writing, through a view that outlives the array");
  hed_release(part);
  ok(stored(9) == 9 && stored(10) == 7 && stored(19) == 7 && stored(20) == 20, "the file has it");
  is_ulp(element(r, 10), 7, 0, "and so has who reads");
  RELEASE(c, r, x);
}

static void create(void)
{
  hed_array *x = hed_create_npy(path, HED_SHAPE(3, 500), HED_INT16);
  ok(x && !hed_array_is_read_only(x), "a new file to write (%s)", hed_error_text());
  hed_array *row = hed_index(x, 0, 1);
  is_int(hed_fill(row, -3), HED_OK, "written");
  hed_array *back = hed_load_npy(path), *sum = hed_sum(back, NULL);
  double v = 0;
  hed_item(sum, &v);
  is_ulp(v, -1500, 0, "read, while it is mapped: zeros and what was written");
  struct stat st;
  is_int(stat(path, &st), 0, "the file");
  ok(st.st_size == 128 + 3000 || st.st_size == 64 + 3000, "has %lld bytes", (long long)st.st_size);
  ok((int64_t)st.st_blocks * 512 >= 3000, "which the disk has reserved");
  hed_array *none = hed_create_npy(path, HED_SHAPE(0, 4), HED_FLOAT64);
  is_int(hed_array_size(none), 0, "a file without elements");
  ok(hed_array_dtype(none) == HED_FLOAT64, "replaces the other");
  is_int(hed_fill(row, -4), HED_OK, "whose mapping stays");
  hed_array *all[] = { x, row, back, sum, none };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void is_refused(hed_array *x, hed_status want, const char *text, const char *what)
{
  is_ptr(x, NULL, "%s", what);
  is_int(hed_error(), want, "%s: status", what);
  ok(strstr(hed_error_text(), text) != NULL, "%s: %s", what, hed_error_text());
}

static void write_bytes(const void *p, size_t n)
{
  FILE *f = fopen(path, "wb");
  fwrite(p, 1, n, f);
  fclose(f);
}

static void refusals(void)
{
  static const char odd[] = "\x93NUMPY\x01\0\x3f\0{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }         \n1234";
  static const char huge[] = "\x93NUMPY\x01\0\x46\0{'descr': '<i4', 'fortran_order': False, 'shape': (1099511627776,), }  \n1234";
  is_refused(hed_map_npy(data("big_f4"), HED_MAP_READ), HED_E_FORMAT, "other byte order", "big-endian");
  is_refused(hed_map_npy(data("record"), HED_MAP_READ), HED_E_DTYPE, "record", "records");
  write_bytes(odd, 10 + 63 + 4);
  is_refused(hed_map_npy(path, HED_MAP_READ), HED_E_FORMAT, "byte 73, not aligned to 4", "an odd head");
  hed_array *x = hed_load_npy(path);
  ok(x != NULL, "which hed_load_npy reads (%s)", hed_error_text());
  hed_release(x);
  static const char native[] = "\x93NUMPY\x01\0\x43\0{'descr': '=i4', 'fortran_order': False, 'shape': (1,), }         \n1234";
  int32_t one = 0;
  write_bytes(native, sizeof native - 1);
  x = hed_load_npy(path);
  ok(x && hed_to_host(x, &one, sizeof one) == HED_OK && memcmp(&one, "1234", sizeof one) == 0, "the machine's own byte order");
  hed_release(x);
  write_bytes(huge, 10 + 70 + 4);
  is_refused(hed_map_npy(path, HED_MAP_READ), HED_E_FORMAT, "(1099511627776,)", "more than the file has");
  write_bytes(huge, 5);
  is_refused(hed_map_npy(path, HED_MAP_READ), HED_E_FORMAT, "early", "a cut head");
  is_refused(hed_map_npy(NULL, HED_MAP_READ), HED_E_INVAL, "path", "no path");
  is_refused(hed_map_npy(path, (hed_map_mode)9), HED_E_INVAL, "9", "an unknown mode");
  is_refused(hed_map_npy("/nonexistent/x", HED_MAP_READ), HED_E_IO, "/nonexistent/x", "no file");
  is_refused(hed_create_npy("/nonexistent/x", HED_SHAPE(1), HED_INT8), HED_E_IO, "/nonexistent/x", "no folder");
  is_refused(hed_create_npy(path, HED_SHAPE(1), HED_BFLOAT16), HED_E_DTYPE, "bfloat16", "a type without a name");
  is_refused(hed_create_npy(path, HED_SHAPE(-1), HED_INT8), HED_E_SHAPE, "-1", "a negative extent");
  is_refused(hed_create_npy(NULL, HED_SHAPE(1), HED_INT8), HED_E_INVAL, "path", "nowhere");
  ok(unlink(path) == 0 && mkfifo(path, 0600) == 0, "a pipe");
  is_refused(hed_create_npy(path, HED_SHAPE(1), HED_INT8), HED_E_IO, "exists and is not a regular file", "is not replaced");
}

int main(void)
{
  snprintf(path, sizeof path, "/tmp/heddle-map-%ld.npy", (long)getpid());
  static const char *const files[] = { "little_b1", "little_i2", "little_u8", "little_f2", "little_f8", "little_c8",
                                       "little_c16", "fortran", "scalar", "version_2", "version_3" };
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    same(files[k]);
  modes();
  create();
  refusals();
  unlink(path);
  return done();
}
