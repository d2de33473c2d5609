// SPDX-License-Identifier: BSD-3-Clause
/* Files of ultrasound: what HDF5 writes comes back, and hostile extents do not. The HDF5 library writes the files. */
#include "kit_files.h"
#include "us.h"
#include <unistd.h>

static void refused(const char *path, const char *name, hed_status status, const char *part)
{
  hed_us_data d;
  ok(hed_us_read(path, name, &d) == status, "%s: %s", path, hed_error_text());
  has_str(hed_error_text(), part, "says %s", part);
  ok(!d.data && !d.z, "nothing comes out");
  hed_error_clear();
}

static void others(void)
{
  hed_us_data d = { 0 };
  hed_array *x = hed_ones(HED_SHAPE(3, 4), HED_COMPLEX64);
  is_int(hed_save_npy(kit_path("a.npy"), x), HED_OK, "an .npy file");
  is_int(hed_us_read(kit_path("a.npy"), NULL, &d), HED_OK, "is read");
  is_int(hed_array_size(d.data), 12, "as it is");
  ok(isnan(d.sampling_frequency) && d.content == HED_US_ARRAY, "and says no more");
  hed_us_data_clear(&d);
  hed_release(x);
  refused(kit_path("a.npy"), "b", HED_E_NOTFOUND, "no 'b'");
  refused(kit_path("none.npy"), NULL, HED_E_IO, "none.npy");
  kit_write(kit_path("text"), "neither", 7);
  refused(kit_path("text"), NULL, HED_E_FORMAT, "neither .npy nor HDF5");
  kit_write(kit_path("empty"), "", 0);
  refused(kit_path("empty"), NULL, HED_E_FORMAT, "neither");
  is_int(hed_us_read(NULL, NULL, &d), HED_E_INVAL, "no path");
}

#ifdef HED_HAVE_HDF5
#include <hdf5.h>

static hid_t file_new(const char *name)
{
  return H5Fcreate(kit_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t group_new(hid_t at, const char *name, const char *class, bool varies)
{
  const hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (class) {
    const hid_t t = H5Tcopy(H5T_C_S1), s = H5Screate(H5S_SCALAR);
    H5Tset_size(t, varies ? H5T_VARIABLE : strlen(class));
    const hid_t a = H5Acreate2(g, "class", t, s, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, t, varies ? (const void *)&class : class);
    H5Aclose(a);
    H5Sclose(s);
    H5Tclose(t);
  }
  return g;
}

/* VALUES of NDIM axes in type T; NULL: extents without values, in chunks of one element of the last axes. */
static void dataset(hid_t at, const char *name, hid_t t, int ndim, const hsize_t *dim, hid_t memory, const void *values)
{
  const hid_t s = H5Screate_simple(ndim, dim, NULL), p = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t one[4] = { 1, 1, 1, 1 };
  if (!values)
    H5Pset_chunk(p, ndim, one);
  const hid_t d = H5Dcreate2(at, name, t, s, H5P_DEFAULT, p, H5P_DEFAULT);
  if (values)
    H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(d);
  H5Pclose(p);
  H5Sclose(s);
}

static void number(hid_t at, const char *name, double value)
{
  dataset(at, name, H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){ 1, 1 }, H5T_NATIVE_DOUBLE, &value);
}

static void pair(hid_t at, const char *name, int ndim, const hsize_t *dim, const float *re, const float *im)
{
  const hid_t g = group_new(at, name, "single", false);
  dataset(g, "real", H5T_IEEE_F32BE, ndim, dim, H5T_NATIVE_FLOAT, re);
  dataset(g, "imag", H5T_IEEE_F32BE, ndim, dim, H5T_NATIVE_FLOAT, im);
  H5Gclose(g);
}

static void numbers_are(const hed_array *x, hed_dtype t, hed_shape s, const float *re, const float *im, const char *what)
{
  const hed_shape got = hed_array_shape(x);
  bool good = got.ndim == s.ndim && memcmp(got.dim, s.dim, sizeof s.dim) == 0;
  float v[2 * 64] = { 0 };
  ok(good && hed_array_dtype(x) == t, "%s: extents, and %s", what, hed_dtype_name(hed_array_dtype(x)));
  hed_array *z = hed_keep(hed_astype(x, HED_COMPLEX64));
  good = good && hed_to_host(z, v, hed_array_nbytes(z)) == HED_OK;
  for (int64_t i = 0; good && i < hed_array_size(z); i++)
    good = v[2 * i] == re[i] && v[2 * i + 1] == (im ? im[i] : 0);
  ok(good, "%s: its numbers", what);
  hed_release(z);
}

/* Elements in another file, in chunks that are larger than all, in none of the file. */
static void apart(hid_t at)
{
  const hsize_t none[3] = { 0, (hsize_t)1 << 40, (hsize_t)1 << 40 }, two[2] = { 2, 2 }, large[2] = { 1 << 14, 1 << 13 };
  const hsize_t any[3] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
  static const char *const names[] = { "elsewhere", "chunky", "virtual", "twice", "vast" };
  for (int k = 0; k < 5; k++) {
    const hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t s = k == 4 ? H5Screate_simple(3, none, any) : H5Screate_simple(2, two, k == 1 ? any : NULL);
    if (k == 0)
      H5Pset_external(p, kit_path("text"), 0, 32);
    if (k == 2)
      H5Pset_virtual(p, s, kit_path("b.h5"), "x", s);
    if (k == 1 || k == 3)
      H5Pset_chunk(p, 2, k == 1 ? large : two);
    if (k == 4)
      H5Pset_chunk(p, 3, (const hsize_t[]){ 1, 1, 1 });
    for (int i = 0; i < 2 && k == 3; i++)
      H5Pset_deflate(p, 9);
    const hid_t d = H5Dcreate2(at, names[k], H5T_NATIVE_DOUBLE, s, H5P_DEFAULT, p, H5P_DEFAULT);
    H5Dclose(d);
    H5Pclose(p);
    H5Sclose(s);
  }
}

static void arrays(void)
{
  static const float re[6] = { 1, 2, 3, 4, 5, 6 }, im[6] = { -1, 0, 7, 8, 9, 2 };
  static const float both[12] = { 1, -1, 2, 0, 3, 7, 4, 8, 5, 9, 6, 2 };
  const hsize_t dim[2] = { 2, 3 };
  const hid_t f = file_new("a.h5"), us = group_new(f, "US", NULL, false), in = group_new(us, "set", NULL, false);
  dataset(in, "plain", H5T_STD_I16BE, 2, dim, H5T_NATIVE_FLOAT, re);
  dataset(in, "wide", H5T_IEEE_F64LE, 2, dim, H5T_NATIVE_FLOAT, re);
  pair(in, "data", 2, dim, re, im);
  const hid_t z = H5Tcreate(H5T_COMPOUND, 8), text = H5Tcopy(H5T_C_S1);
  H5Tinsert(z, "r", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(z, "i", 4, H5T_NATIVE_FLOAT);
  dataset(in, "z", z, 2, dim, z, both);
  dataset(in, "word", text, 1, dim, text, "ab");
  dataset(in, "huge", H5T_NATIVE_DOUBLE, 3, (const hsize_t[]){ 1 << 20, 1 << 20, 8 }, 0, NULL);
  dataset(in, "endless", H5T_NATIVE_DOUBLE, 3, (const hsize_t[]){ 1 << 30, 1 << 30, 1 << 30 }, 0, NULL);
  const hid_t odd = group_new(in, "odd", NULL, false);
  dataset(odd, "real", H5T_NATIVE_FLOAT, 2, dim, H5T_NATIVE_FLOAT, re);
  dataset(odd, "imag", H5T_NATIVE_FLOAT, 1, dim, H5T_NATIVE_FLOAT, re);
  H5Lcreate_soft("plain", in, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external(kit_path("a.h5"), "US/set/plain", in, "outside", H5P_DEFAULT, H5P_DEFAULT);
  const hid_t zone = group_new(us, "zone", NULL, false);
  apart(zone);
  H5Gclose(zone);
  H5Tclose(text);
  H5Tclose(z);
  H5Gclose(odd);
  H5Gclose(in);
  H5Gclose(us);
  H5Fclose(f);
  const struct { const char *name; hed_dtype t; const float *im; } whats[] = {
    { "US/set/plain", HED_INT16, NULL }, { "/US/set/wide", HED_FLOAT64, NULL }, { "US/set/data", HED_COMPLEX64, im },
        { "US//set/z/", HED_COMPLEX64, im },
    { NULL, HED_COMPLEX64, im },
  };
  for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
    hed_us_data d = { 0 };
    const char *what = whats[i].name ? whats[i].name : "the first array";
    is_int(hed_us_read(kit_path("a.h5"), whats[i].name, &d), HED_OK, "%s: %s", what, hed_error_text());
    numbers_are(d.data, whats[i].t, HED_SHAPE(2, 3), re, whats[i].im, what);
    hed_us_data_clear(&d);
  }
  refused(kit_path("a.h5"), "US/set/none", HED_E_NOTFOUND, "US");
  refused(kit_path("a.h5"), "US/set/plain/x", HED_E_NOTFOUND, "no US/set/plain/x");
  refused(kit_path("a.h5"), "US/set", HED_E_FORMAT, "no array");
  refused(kit_path("a.h5"), "US/set/word", HED_E_DTYPE, "word");
  refused(kit_path("a.h5"), "US/set/huge", HED_E_FORMAT, "of which 0 are");
  refused(kit_path("a.h5"), "US/set/endless", HED_E_FORMAT, "can be counted");
  refused(kit_path("a.h5"), "US/set/soft", HED_E_NOTFOUND, "no US/set/soft");
  refused(kit_path("a.h5"), "US/set/outside", HED_E_NOTFOUND, "no US/set/outside");
  refused(kit_path("a.h5"), "US/zone/elsewhere", HED_E_FORMAT, "in other files");
  refused(kit_path("a.h5"), "US/zone/chunky", HED_E_FORMAT, "32 bytes, and chunks that are larger");
  refused(kit_path("a.h5"), "US/zone/virtual", HED_E_FORMAT, "from other places");
  refused(kit_path("a.h5"), "US/zone/twice", HED_E_FORMAT, "a filter twice");
  refused(kit_path("a.h5"), "US/zone/vast", HED_E_FORMAT, "can be counted");
  refused(kit_path("a.h5"), "US/set/odd", HED_E_FORMAT, "different extents");
  is_int(truncate(kit_path("a.h5"), 100), 0, "a file that is cut");
  refused(kit_path("a.h5"), NULL, HED_E_FORMAT, "is none");
}

static void objects(void)
{
  float re[24], im[24], turned[24];
  static const double x_axis[3] = { -1, 0, 1 }, z_axis[4] = { 10, 20, 30, 40 };
  for (int i = 0; i < 24; i++) {
    re[i] = (float)i;
    im[i] = (float)-i;
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 3; j++)
        turned[(k * 4 + i) * 3 + j] = re[(k * 3 + j) * 4 + i];
  hid_t f = file_new("a.uff");
  hid_t c = group_new(f, "channel_data", "uff.channel_data", false);
  pair(c, "data", 3, (const hsize_t[]){ 2, 3, 4 }, re, im);
  number(c, "sampling_frequency", 2e7);
  number(c, "sound_speed", 1540);
  hid_t b = group_new(f, "image", "uff.beamformed_data", true);
  dataset(b, "data", H5T_NATIVE_FLOAT, 4, (const hsize_t[]){ 2, 1, 1, 12 }, H5T_NATIVE_FLOAT, re);
  const hid_t scan = group_new(b, "scan", "uff.linear_scan", false);
  dataset(scan, "x_axis", H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){ 1, 3 }, H5T_NATIVE_DOUBLE, x_axis);
  dataset(scan, "z_axis", H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){ 1, 4 }, H5T_NATIVE_DOUBLE, z_axis);
  const hid_t other = group_new(f, "sector", "uff.beamformed_data", true), sector = group_new(other, "scan", "uff.sector_scan",
      false);
  dataset(other, "data", H5T_NATIVE_FLOAT, 2, (const hsize_t[]){ 12, 1 }, H5T_NATIVE_FLOAT, re);
  dataset(sector, "azimuth_axis", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ 3 }, H5T_NATIVE_DOUBLE, x_axis);
  dataset(sector, "depth_axis", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ 4 }, H5T_NATIVE_DOUBLE, z_axis);
  const hid_t bare = group_new(f, "zz", "uff.beamformed_data", false);
  dataset(bare, "data", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 12 }, H5T_NATIVE_FLOAT, re);
  const hid_t opened[] = { sector, other, scan, bare, b, c };
  for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
    H5Gclose(opened[i]);
  H5Fclose(f);

  hed_us_data d = { 0 };
  is_int(hed_us_read(kit_path("a.uff"), NULL, &d), HED_OK, "the first object: %s", hed_error_text());
  is_str(d.name, "channel_data", "are channels");
  is_int(d.content, HED_US_CHANNELS, "which it says");
  numbers_are(d.data, HED_COMPLEX64, HED_SHAPE(2, 3, 4), re, im, "channels");
  ok(d.sampling_frequency == 2e7 && d.sound_speed == 1540 && isnan(d.initial_time),
      "numbers, and NaN for those that are not there");
  hed_us_data_clear(&d);
  is_int(hed_us_read(kit_path("a.uff"), "image", &d), HED_OK, "an image: %s", hed_error_text());
  numbers_are(d.data, HED_FLOAT32, HED_SHAPE(2, 4, 3), turned, NULL, "frames of depth by width");
  ok(d.content == HED_US_IMAGE && hed_array_size(d.z) == 4 && hed_array_size(d.x) == 3 && !d.rho, "and its axes");
  is_near(us_value(hed_index(d.z, 0, 3)), 40, 0, 0, "in metres");
  hed_us_data_clear(&d);
  is_int(hed_us_read(kit_path("a.uff"), "sector", &d), HED_OK, "a sector: %s", hed_error_text());
  numbers_are(d.data, HED_FLOAT32, HED_SHAPE(4, 3), turned, NULL, "samples of beams, places on the first axis");
  ok(hed_array_size(d.rho) == 4 && hed_array_size(d.theta) == 3 && !d.x, "and its axes");
  hed_us_data_clear(&d);
  refused(kit_path("a.uff"), "zz", HED_E_FORMAT, "no scan");
  f = file_new("b.uff");
  b = group_new(f, "image", "uff.beamformed_data", false);
  dataset(b, "data", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 11 }, H5T_NATIVE_FLOAT, re);
  c = group_new(b, "scan", NULL, false);
  dataset(c, "x_axis", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ 3 }, H5T_NATIVE_DOUBLE, x_axis);
  dataset(c, "z_axis", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ 4 }, H5T_NATIVE_DOUBLE, z_axis);
  H5Gclose(c);
  H5Gclose(b);
  H5Fclose(f);
  refused(kit_path("b.uff"), NULL, HED_E_FORMAT, "4 x 3");
  f = file_new("d.uff"); /* frequencies and speeds are above 0 */
  c = group_new(f, "channel_data", "uff.channel_data", false);
  pair(c, "data", 3, (const hsize_t[]){ 2, 3, 4 }, re, im);
  number(c, "sampling_frequency", -2e7);
  H5Gclose(c);
  H5Fclose(f);
  refused(kit_path("d.uff"), NULL, HED_E_FORMAT, "sampling_frequency -2e+07");
  f = file_new("c.h5");
  H5Fclose(f);
  refused(kit_path("c.h5"), NULL, HED_E_NOTFOUND, "nothing");
}

/* As the PICMUS challenge has them: no classes, numbers in vectors of one, arrays beside the data. */
static void picmus(void)
{
  static const float one[3] = { 31250000, 1540, 5208000 }, angle[2] = { -0.28F, 0.28F };
  float re[24], im[24];
  for (int i = 0; i < 24; i++) {
    re[i] = (float)i;
    im[i] = (float)(3 * i);
  }
  const hid_t f = file_new("picmus.hdf5"), us = group_new(f, "US", NULL, false), set = group_new(us, "US_DATASET0000", NULL, false);
  static const char *const names[] = { "sampling_frequency", "sound_speed", "modulation_frequency" };
  for (int i = 0; i < 3; i++)
    dataset(set, names[i], H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 1 }, H5T_NATIVE_FLOAT, &one[i]);
  dataset(set, "PRF", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 1 }, H5T_NATIVE_FLOAT, one);
  dataset(set, "angles", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 2 }, H5T_NATIVE_FLOAT, angle);
  pair(set, "data", 3, (const hsize_t[]){ 2, 3, 4 }, re, im);
  H5Gclose(set);
  H5Gclose(us);
  H5Fclose(f);
  hed_us_data d = { 0 };
  is_int(hed_us_read(kit_path("picmus.hdf5"), NULL, &d), HED_OK, "a file of the challenge: %s", hed_error_text());
  is_str(d.name, "US/US_DATASET0000", "is found");
  is_int(d.content, HED_US_CHANNELS, "as channels");
  numbers_are(d.data, HED_COMPLEX64, HED_SHAPE(2, 3, 4), re, im, "of two waves");
  ok(d.sampling_frequency == 31250000 && d.sound_speed == 1540 && d.modulation_frequency == 5208000 && isnan(d.initial_time),
     "with its numbers");
  hed_us_data_clear(&d);
  is_int(hed_us_read(kit_path("picmus.hdf5"), "US/US_DATASET0000/angles", &d), HED_OK, "what is beside it: %s", hed_error_text());
  ok(d.content != HED_US_CHANNELS && hed_array_size(d.data) == 2, "by its path");
  hed_us_data_clear(&d);
}

/* However short a file is cut. */
static void cut_short(void)
{
  const hid_t f = file_new("whole.h5");
  dataset(f, "x", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 4 }, H5T_NATIVE_FLOAT, (const float[]){ 1, 2, 3, 4 });
  H5Fclose(f);
  size_t n;
  uint8_t *bytes = kit_read(kit_path("whole.h5"), &n);
  int answers = 0, tries = 0;
  for (size_t cut = 0; cut < n; cut += 1 + n / 60, tries++) {
    hed_us_data d = { 0 };
    kit_write(kit_path("cut.h5"), bytes, cut);
    answers += hed_us_read(kit_path("cut.h5"), NULL, &d) != HED_OK;
    hed_us_data_clear(&d);
  }
  is_int(answers, tries, "no file that is cut is read");
  free(bytes);
}

int main(void)
{
  kit_folder();
  others();
  if (!hed_us_hdf5_available())
    skip(1, "the HDF5 library is not there");
  else
    HED_BACKEND_CONTEXT("reference") {
      arrays();
      objects();
      picmus();
      cut_short();
    }
  done_testing();
  return done();
}

#else

int main(void)
{
  static const char hdf5[] = "\x89HDF\r\n\x1a\n";
  kit_folder();
  others();
  kit_write(kit_path("a.h5"), hdf5, 8);
  refused(kit_path("a.h5"), NULL, HED_E_UNAVAILABLE, "HDF5");
  ok(!hed_us_hdf5_available(), "built without HDF5");
  done_testing();
  return done();
}

#endif
