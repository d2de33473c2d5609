// SPDX-License-Identifier: BSD-3-Clause
/* Trees of parameters: names, roles, parts, values of another tree, gradients; files both ways, and files that lie. */
#include "nn.h"

/* An array of each type that safetensors has, and odd shapes. */
static hed_nn_params *of_all_types(void)
{
  static const struct { const char *name; hed_dtype_id t; hed_shape shape; } rows[] = {
    { "encoder.weight", HED_ID_FLOAT32, { 2, { 3, 5 } } }, { "encoder.bias", HED_ID_BFLOAT16, { 1, { 3 } } },
    { "half", HED_ID_FLOAT16, { 1, { 7 } } },              { "double", HED_ID_FLOAT64, { 3, { 2, 1, 2 } } },
    { "mask", HED_ID_BOOL, { 1, { 5 } } },                 { "i8", HED_ID_INT8, { 1, { 3 } } },
    { "i16", HED_ID_INT16, { 1, { 1 } } },                 { "i32", HED_ID_INT32, { 0, { 0 } } },
    { "num_batches_tracked", HED_ID_INT64, { 0, { 0 } } }, { "u8", HED_ID_UINT8, { 1, { 9 } } },
    { "u16", HED_ID_UINT16, { 1, { 3 } } },                { "u32", HED_ID_UINT32, { 1, { 2 } } },
    { "u64", HED_ID_UINT64, { 1, { 1 } } },                { "c64", HED_ID_COMPLEX64, { 1, { 2 } } },
    { "empty", HED_ID_FLOAT32, { 2, { 0, 4 } } },          { "\xc3\xa4 \"q\"", HED_ID_FLOAT32, { 1, { 1 } } },
  };
  hed_nn_params *p = NULL;
  is_int(hed_nn_params_create(&p), HED_OK, "a tree");
  HED_SCOPE
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
      const hed_array *x = hed_random_normal(rows[k].shape, HED_FLOAT32, &(hed_random){ .seed = k + 1, .seeded = true });
      x = hed_astype(hed_abs(hed_multiply_scalar(x, 10)), hed_dtype_of((int)rows[k].t));
      is_int(hed_nn_params_set(p, rows[k].name, x), HED_OK, "%s: %s", rows[k].name, hed_error_text());
    }
  return p;
}

static void trees(void)
{
  hed_nn_params *p = of_all_types(), *part = NULL, *whole = NULL, *copy = NULL;
  char known[100];
  is_int(hed_nn_params_count(p), 16, "all are there");
  is_str(hed_nn_params_name(p, 1), "encoder.bias", "in their order");
  is_int(hed_nn_params_find(p, "half"), 2, "and found");
  is_int(hed_nn_params_role(p, 4), HED_NN_BUFFER, "a mask is not learnt");
  is_int(hed_nn_params_size(p, HED_NN_LEARNT), 15 + 3 + 7 + 4 + 2 + 1, "numbers that are learnt");
  ok(!hed_nn_params_get(p, "encoder.wait") && hed_error() == HED_E_NOTFOUND, "an unknown name");
  has_str(hed_error_text(), "encoder.weight, encoder.bias", "lists the known ones");
  for (size_t k = 0; k < 7; k++) {
    static const char *const names[] = { "", ".a", "a..b", "a.", "a/b", "a\n", "__metadata__.x" };
    is_int(hed_nn_params_set(p, names[k], hed_nn_params_at(p, 0)), HED_E_INVAL, "no name: \"%s\"", names[k]);
  }
  is_int(hed_nn_params_set_role(p, "encoder", HED_NN_FROZEN), HED_OK, "frozen");
  is_int(hed_nn_params_role(p, 1), HED_NN_FROZEN, "both below the prefix");
  is_int(hed_nn_params_role(p, 2), HED_NN_LEARNT, "no other");
  is_int(hed_nn_params_set_role(p, "mask", HED_NN_LEARNT), HED_E_DTYPE, "what has no gradient is not learnt");
  is_int(hed_nn_params_set_role(p, "enc", HED_NN_LEARNT), HED_E_NOTFOUND, "a prefix is whole parts");

  is_int(hed_nn_params_below(p, "encoder", &part), HED_OK, "a part");
  ok(hed_nn_params_count(part) == 2 && hed_nn_params_find(part, "weight") == 0 && hed_nn_params_role(part, 0) == HED_NN_FROZEN,
      "with names, order and roles");
  is_int(hed_nn_params_merge(p, "encoder", part), HED_E_INVAL, "names that are there");
  is_int(hed_nn_params_create(&whole), HED_OK, "another tree");
  is_int(hed_nn_params_merge(whole, "a.b", part), HED_OK, "put below a prefix");
  ok(hed_nn_params_get(whole, "a.b.bias") == hed_nn_params_get(p, "encoder.bias"), "the same array");
  is_int(hed_nn_params_remove(p, "half"), HED_OK, "taken out");
  ok(hed_nn_params_find(p, "half") < 0 && hed_nn_params_find(p, "double") == 2, "those behind move up");

  is_int(hed_nn_params_set_text(whole, "format", "x"), HED_OK, "a text");
  is_int(hed_nn_params_copy(whole, HED_FLOAT64, &copy), HED_OK, "a copy in float64");
  ok(hed_array_dtype(hed_nn_params_get(copy, "a.b.bias")) == HED_FLOAT64, "of that dtype");
  is_str(hed_nn_params_text(copy, "format"), "x", "with its text");
  for (int k = 0; k < 100; k++) {
    (void)snprintf(known, sizeof known, "layer.%d", k);
    (void)hed_nn_params_set(copy, known, hed_nn_params_at(copy, 0));
  }
  ok(hed_nn_params_count(copy) == 102 && hed_nn_params_find(copy, "layer.77") == 79, "many names");
  hed_nn_params_release(copy);
  hed_nn_params_release(whole);
  hed_nn_params_release(part);
  hed_nn_params_release(p);
}

/* A small model, in the dtype T. */
static hed_nn_params *model(hed_dtype t, double value, int64_t hidden)
{
  hed_nn_params *p = NULL;
  is_int(hed_nn_params_create(&p), HED_OK, "a model");
  HED_SCOPE {
    is_int(hed_nn_params_set(p, "l.weight", hed_full(HED_SHAPE(hidden, 3), value, t)), HED_OK, "a weight");
    is_int(hed_nn_params_set(p, "l.bias", hed_full(HED_SHAPE(hidden), value, t)), HED_OK, "a bias");
    is_int(hed_nn_params_set(p, "count", hed_full_int(HED_SHAPE0, (int64_t)value, HED_INT64)), HED_OK, "a count");
  }
  return p;
}

static void assign(void)
{
  hed_nn_params *p = model(HED_FLOAT32, 1, 4), *from = model(HED_FLOAT64, 2, 4), *wrong = model(HED_FLOAT32, 3, 5);
  char text[300];
  size_t needed;
  double v = 0;
  HED_SCOPE {
    hed_array *handle = hed_nn_params_get(p, "l.weight");
    is_int(hed_nn_params_assign(p, from), HED_OK, "values of another tree: %s", hed_error_text());
    ok(handle == hed_nn_params_get(p, "l.weight") && hed_array_dtype(handle) == HED_FLOAT32, "into the same arrays");
    ok(hed_item(hed_index(hed_index(handle, 0, 3), 0, 2), &v) == HED_OK && v == 2, "converted");
    is_int(hed_nn_params_remove(wrong, "count"), HED_OK, "one less");
    is_int(hed_nn_params_set(wrong, "more", handle), HED_OK, "one more");
    is_int(hed_nn_params_assign(p, wrong), HED_E_SHAPE, "does not fit");
    has_str(hed_error_text(), "4 differences: shape: l.weight has (4, 3), given is (5, 3); shape: l.bias has (4), given is (5); "
                              "missing: count; not wanted: more", "all are listed");
    ok(hed_item(hed_index(hed_nn_params_get(p, "l.bias"), 0, 0), &v) == HED_OK && v == 2, "nothing is changed");
    is_int(hed_nn_params_differ(p, wrong, text, sizeof text, &needed), 4, "as lines");
    ok(strlen(text) + 1 == needed, "of that length");
    is_int(hed_nn_params_differ(p, wrong, text, 10, &needed), 4, "into little room");
    ok(strlen(text) == 9 && needed > 10, "cut");
    for (int k = 0; k < 60; k++) {
      (void)snprintf(text, sizeof text, "module.with.a.long.name.%d", k);
      (void)hed_nn_params_set(wrong, text, handle);
    }
    is_int(hed_nn_params_assign(p, wrong), HED_E_SHAPE, "more differences than a sentence holds");
    has_str(hed_error_text(), "; ...", "says so");
    is_int(hed_nn_params_set(wrong, "count", hed_ones(HED_SHAPE0, HED_FLOAT32)), HED_OK, "a count that is a float");
    (void)hed_nn_params_differ(p, wrong, text, sizeof text, NULL);
    has_str(text, "dtype: count is int64, given is float32", "of another kind");
  }
  hed_nn_params_release(p);
  hed_nn_params_release(from);
  hed_nn_params_release(wrong);
}

static void gradients(void)
{
  hed_nn_params *p = model(HED_FLOAT64, 2, 2), *v = NULL, *g = NULL;
  is_int(hed_nn_params_set_role(p, "l.bias", HED_NN_FROZEN), HED_OK, "one is frozen");
  HED_RECORD HED_SCOPE {
    is_int(hed_nn_params_variables(p, &v), HED_OK, "variables");
    hed_array *y = hed_sum(hed_square(hed_add(hed_sum(hed_nn_params_get(v, "l.weight"), NULL), hed_nn_params_get(v, "l.bias"))), NULL);
    is_int(hed_nn_params_grad(y, v, &g), HED_OK, "gradients: %s", hed_error_text());
  }
  HED_SCOPE {
    double d = 0;
    is_int(hed_nn_params_count(g), 1, "by what is learnt");
    ok(hed_item(hed_index(hed_index(hed_nn_params_get(g, "l.weight"), 0, 0), 0, 0), &d) == HED_OK && d == 2 * 2 * 14, "%g", d);
    ok(!hed_array_is_recorded(hed_nn_params_get(g, "l.weight")), "after the recording");
  }
  hed_nn_params *none = p;
  is_int(hed_nn_params_variables(p, &none), HED_E_INVAL, "no recording");
  ok(!none, "nothing comes out");
  hed_nn_params_release(v);
  hed_nn_params_release(g);
  hed_nn_params_release(p);
}

/* ---- files ---- */

static void both_ways(const char *end)
{
  const bool npz = strcmp(end, ".npz") == 0;
  hed_nn_params *p = of_all_types(), *back = NULL;
  if (npz)
    is_int(hed_nn_params_remove(p, "\xc3\xa4 \"q\""), HED_OK, "no such name in an archive");
  is_int(hed_nn_params_set_text(p, "made \"by\"", "t\xc3\xa4st\n\\"), HED_OK, "a text");
  is_int(hed_nn_params_set_text(p, "b", ""), HED_OK, "another");
  const hed_status status = hed_nn_params_save(p, nn_path(end));
  if (status == HED_E_UNAVAILABLE)
    skip(1, "no libzip");
  else {
    is_int(status, HED_OK, "%s: saved: %s", end, hed_error_text());
    is_int(hed_nn_params_load(nn_path(end), &back), HED_OK, "%s: loaded: %s", end, hed_error_text());
    is_int(hed_nn_params_count(back), hed_nn_params_count(p), "%s: all", end);
    for (int64_t k = 0; k < hed_nn_params_count(back); k++)
      HED_SCOPE {
        const hed_array *x = hed_nn_params_at(p, k);
        if (npz && hed_array_dtype(x) == HED_BFLOAT16)
          x = hed_astype(x, HED_FLOAT32);
        is_str(hed_nn_params_name(back, k), hed_nn_params_name(p, k), "%s: in the same order", end);
        ok(same_array(hed_nn_params_at(back, k), x), "%s: the bits of %s", end, hed_nn_params_name(p, k));
      }
    is_str(hed_nn_params_text(back, "made \"by\""), "t\xc3\xa4st\n\\", "%s: the text", end);
    is_str(hed_nn_params_text(back, "b"), "", "%s: an empty one", end);
  }
  (void)unlink(nn_path(end));
  is_int(hed_nn_params_save(p, "x.pt"), HED_E_INVAL, "another format");
  hed_nn_params_release(back);
  hed_nn_params_release(p);
}

/* HEADER, of LENGTH bytes by its own account (-1: as long as it is), and DATA bytes after it. */
static void write_file(const char *header, int64_t length, int data)
{
  FILE *f = fopen(nn_path(".safetensors"), "wb");
  const uint64_t n = length < 0 ? strlen(header) : (uint64_t)length;
  for (int k = 0; f && k < 8; k++)
    (void)fputc((int)(n >> 8 * k & 255), f);
  if (f) {
    (void)fputs(header, f);
    for (int k = 0; k < data; k++)
      (void)fputc(k, f);
    (void)fclose(f);
  }
}

static void hostile(void)
{
#define F32(shape, from, to) "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" from "," to "]}"
  static const struct { const char *header; int64_t length; int data; hed_status status; const char *part; } files[] = {
    { "{\"a\":" F32("[2]", "0", "8") "}", -1, 8, HED_OK, "" },
    { " { \"a\" : {\"shape\": [ ], \"data_offsets\":[0,4],\"dtype\":\"F32\"} , \"__metadata__\": {} } ", -1, 4, HED_OK, "" },
    { "{}", -1, 0, HED_OK, "" },
    { "{\"\\u00e4\\ud83d\\ude00\":" F32("[0]", "0", "0") "}", -1, 0, HED_OK, "" },
    { "{\"a\":" F32("[2]", "0", "8") "}", INT64_MAX, 8, HED_E_FORMAT, "header of 9223372036854775807 bytes" },
    { "{\"a\":" F32("[2]", "0", "8") "}", 200, 8, HED_E_FORMAT, "header of 200 bytes" },
    { "{\"a\":" F32("[2]", "0", "8") "}", 20, 8, HED_E_FORMAT, "" },
    { "{\"a\":" F32("[2]", "0", "8") "}", -1, 7, HED_E_FORMAT, "bytes 0 to 8 of 7" },
    { "{\"a\":" F32("[2]", "0", "8") "}", -1, 9, HED_E_FORMAT, "9 bytes of data, arrays have 8" },
    { "{\"a\":" F32("[3]", "0", "8") "}", -1, 8, HED_E_FORMAT, "8 bytes, its shape wants 12" },
    { "{\"a\":" F32("[2]", "8", "0") "}", -1, 8, HED_E_FORMAT, "bytes 8 to 0" },
    { "{\"a\":" F32("[4611686018427387904,4]", "0", "8") "}", -1, 8, HED_E_FORMAT, "too large a shape" },
    { "{\"a\":" F32("[4611686018427387904,0,4611686018427387904]", "0", "0") "}", -1, 0, HED_E_FORMAT, "too large a shape" },
    { "{\"a\":" F32("[99999999999999999999]", "0", "8") "}", -1, 8, HED_E_FORMAT, "no shape" },
    { "{\"a\":" F32("[-2]", "0", "8") "}", -1, 8, HED_E_FORMAT, "no shape" },
    { "{\"a\":" F32("[2.0]", "0", "8") "}", -1, 8, HED_E_FORMAT, "no shape" },
    { "{\"a\":" F32("[02]", "0", "8") "}", -1, 8, HED_E_FORMAT, "no shape" },
    { "{\"a\":" F32("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", "0", "8") "}", -1, 8, HED_E_FORMAT, "more than 16 axes" },
    { "{\"a\":" F32("[1]", "0", "4") ",\"b\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "same bytes" },
    { "{\"a\":" F32("[1]", "0", "4") ",\"b\":" F32("[1]", "8", "12") "}", -1, 12, HED_E_FORMAT, "no array before" },
    { "{\"a\":" F32("[1]", "0", "4") ",\"a\":" F32("[1]", "4", "8") "}", -1, 8, HED_E_FORMAT, "twice" },
    { "{\"a\":" F32("[1]", "0", "4") ",}", -1, 4, HED_E_FORMAT, "something else than a name" },
    { "{\"a\":" F32("[1]", "0", "4") "} x", -1, 4, HED_E_FORMAT, "does not end" },
    { "{\"a\":" F32("[1]", "0", "4"), -1, 4, HED_E_FORMAT, "does not end" },
    { "{\"a/b\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "a/b" },
    { "{\"..\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "empty part" },
    { "{\"a\\u0000\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "" },
    { "{\"a\\ud83d\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "" },
    { "{\"a\xc0\xaf\":" F32("[1]", "0", "4") "}", -1, 4, HED_E_FORMAT, "" },
    { "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", -1, 4, HED_E_DTYPE, "F8_E4M3" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", -1, 4, HED_E_FORMAT, "missing" },
    { "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", -1, 4, HED_E_FORMAT, "twice" },
    { "{\"a\":{\"kind\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", -1, 4, HED_E_FORMAT, "unknown key" },
    { "{\"a\":[1]}", -1, 4, HED_E_FORMAT, "no object" },
    { "{\"__metadata__\":{\"k\":3}}", -1, 0, HED_E_FORMAT, "no text" },
    { "{\"__metadata__\":{\"k\":\"a\",\"k\":\"b\"}}", -1, 0, HED_E_FORMAT, "twice" },
    { "[]", -1, 0, HED_E_FORMAT, "no object" },
    { "", -1, 0, HED_E_FORMAT, "no object" },
    { "", 1, 0, HED_E_FORMAT, "header of 1 bytes" },
  };
  hed_nn_params *p = NULL;
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    write_file(files[k].header, files[k].length, files[k].data);
    hed_error_clear();
    is_int(hed_nn_params_load(nn_path(".safetensors"), &p), files[k].status, "%s: %s", files[k].header, hed_error_text());
    has_str(hed_error_text(), files[k].part, "and says why");
    ok(!p == (files[k].status != HED_OK), "nothing comes of it but what is right");
    hed_nn_params_release(p);
    p = NULL;
  }
  write_file("", 0, 0);
  is_int(truncate(nn_path(".safetensors"), 7), 0, "shorter than a length");
  is_int(hed_nn_params_load(nn_path(".safetensors"), &p), HED_E_FORMAT, "is refused");
  (void)unlink(nn_path(".safetensors"));
  is_int(hed_nn_params_load(nn_path(".safetensors"), &p), HED_E_IO, "no such file");
  is_int(hed_nn_params_load("/dev/null/x.safetensors", &p), HED_E_IO, "nor folder");
}

/* Each byte of a header changed to others, and the file cut anywhere: an error, or the same number of bytes. */
static void changed(void)
{
  static const char header[] = "{\"__metadata__\":{\"k\":\"v\"},\"a.b\":" F32("[1,2]", "0", "8") ",\"c\":" F32("[]", "8", "12") "}";
  static const char put[] = "\0\"\\{}[],:09z\x80\xff";
  int loaded = 0, wrong = 0;
  hed_nn_params *p;
  for (size_t k = 0; k + 1 < sizeof header; k++)
    for (size_t c = 0; c + 1 < sizeof put; c++) {
      FILE *f;
      write_file(header, -1, 12);
      if (!(f = fopen(nn_path(".safetensors"), "r+b")))
        bail("no file");
      (void)fseek(f, (long)(8 + k), SEEK_SET);
      (void)fputc(put[c], f);
      (void)fclose(f);
      p = NULL;
      const hed_status status = hed_nn_params_load(nn_path(".safetensors"), &p);
      loaded += status == HED_OK;
      wrong += status == HED_OK ? hed_nn_params_size(p, HED_NN_LEARNT) != 3 : status != HED_E_FORMAT && status != HED_E_DTYPE;
      hed_nn_params_release(p);
    }
  for (size_t n = 0; n < sizeof header - 1 + 8 + 12; n++) {
    write_file(header, -1, 12);
    p = NULL;
    wrong += truncate(nn_path(".safetensors"), (off_t)n) != 0 || hed_nn_params_load(nn_path(".safetensors"), &p) != HED_E_FORMAT || p;
  }
  (void)unlink(nn_path(".safetensors"));
  ok(loaded > 0 && wrong == 0, "of changed files %d are right, %d wrongly read", loaded, wrong);
}

int main(void)
{
  trees();
  assign();
  gradients();
  both_ways(".safetensors");
  both_ways(".npz");
  hostile();
  changed();
  done_testing();
  return done();
}
