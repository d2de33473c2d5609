// SPDX-License-Identifier: BSD-3-Clause
// hed::array from C++17: values, operators, options, several results, keys, host data, contexts, failure with exceptions or
// without them (the same file is compiled both ways).
#include <heddle/heddle.hpp>

#include <thread>

#include "tap.h" // last: its names are short

using hed::array;

static std::int64_t live()
{
  hed_stats s = {};
  s.struct_size = sizeof s;
  return hed_stats_get(&s) == HED_OK ? std::int64_t(s.arrays_live) : -1;
}

static void equal(const array &x, std::vector<double> want, const char *name)
{
  const std::vector<double> got = x ? x.to_vector<double>() : std::vector<double>();
  bool same = got.size() == want.size();
  for (std::size_t k = 0; same && k < got.size(); k++)
    same = got[k] == want[k] || (got[k] != got[k] && want[k] != want[k]);
  ok(same, "%s", name);
}

#if defined(__cpp_exceptions)
template <class F> static void refused(F f, hed_status status, const char *words, const char *name)
{
  hed_status got = HED_OK;
  std::string text;
  try {
    f();
  } catch (const hed::error &e) {
    got = e.status();
    text = e.what();
    ok(e.is(status), "%s: of that kind", name);
  }
  is_int(got, status, "%s: refused", name);
  has_str(text.c_str(), words, "%s: sentence", name);
  is_int(hed::last_error(), HED_OK, "%s: the exception took the error", name);
}
#else
template <class F> static void refused(F f, hed_status status, const char *words, const char *name)
{
  f();
  is_int(hed::last_error(), status, "%s: refused", name);
  has_str(hed_error_text(), words, "%s: sentence", name);
  hed_error_clear();
}
#endif

static void values()
{
  array x = hed::from({ 1.0f, 2.0f, 3.0f });
  is_ptr(x.dtype(), HED_FLOAT32, "a list's type");
  array y = x;
  is_int(hed_array_refs(x.get()), 2, "a copy counts");
  array z = std::move(y);
  is_int(hed_array_refs(x.get()), 2, "a move does not");
  ok(!y && z, "and leaves nothing behind");
  z = x + 1;
  equal(z, { 2, 3, 4 }, "a number on the right");
  is_ptr(z.dtype(), HED_FLOAT32, "is weak");
  equal(10 - x, { 9, 8, 7 }, "on the left");
  equal(x * x / 2.0, { 0.5, 2, 4.5 }, "arithmetic");
  equal(-x, { -1, -2, -3 }, "minus");
  equal(x > 1.5, { 0, 1, 1 }, "comparisons");
  x += z;
  equal(x, { 3, 5, 7 }, "in place");
  x *= 2;
  equal(x, { 6, 10, 14 }, "by a number");

  array i = hed::from(std::vector<std::int8_t>{ 1, 2, 3 });
  is_ptr((i + 1).dtype(), HED_INT8, "whole numbers stay whole");
  is_ptr((i + 0.5).dtype(), HED_FLOAT32, "real ones lift");
  is_ptr((i * std::complex<double>(0, 1)).dtype(), HED_COMPLEX64, "complex ones too");
  equal((i << 2) | 1, { 5, 9, 13 }, "bits");
  equal(i == 300, { 0, 0, 0 }, "beyond the type");
  equal(hed::left_shift(1, i), { 2, 4, 8 }, "functions take numbers as well");
}

static void operations()
{
  const array x = hed::reshape(hed::arange(0, 6), { 2, 3 });
  equal(hed::sum(x), { 15 }, "sum");
  const array kept = hed::sum(x, hed::reduce().axes(0).keepdims());
  equal(kept, { 3, 5, 7 }, "options");
  is_int(kept.ndim(), 2, "are chained");
  equal(hed::var(x, hed::reduce().axes({ 0, 1 }).correction(1)), { 3.5 }, "several axes");
  equal(hed::sum(x, hed::reduce().axes(hed::axes::none())), { 0, 1, 2, 3, 4, 5 }, "or none");
  equal(hed::concatenate({ x, x + 6 }, 1), { 0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11 }, "lists of arrays");
  equal(hed::transpose(x), { 0, 3, 1, 4, 2, 5 }, "defaults");
  equal(hed::permute_dims(x, { 0, 1 }), { 0, 1, 2, 3, 4, 5 }, "other names");
  auto [u, s, vh] = hed::svd(x.astype(HED_FLOAT64), false);
  ok(u.ndim() == 2 && s.size() == 2 && vh.ndim() == 2, "several results");
  ok(hed::allclose(hed::matmul(u * s, vh), x, hed::tolerance().rtol(1e-6).atol(1e-12)), "of the right values, and a bool");
  const std::vector<array> parts = hed::split_indices(x, { 1 }, -1);
  is_int(std::int64_t(parts.size()), 2, "lists of results");
  equal(parts[1], { 1, 2, 4, 5 }, "with all of them");
  is_int(std::int64_t(hed::gradient(x).size()), 2, "as many as there are axes");
  is_int(std::int64_t(hed::gradient(x, hed::gradient_options().axes(1)).size()), 1, "or as are asked for");
  is_int(std::int64_t(hed::unstack(x, 1).size()), 3, "or as the extent says");
  equal(hed::einsum("ij->j", { x }), { 3, 5, 7 }, "texts");
  equal(hed::quantile(x, { 0, 1 }), { 0, 5 }, "lists of numbers");
  equal(hed::pad_with(hed::from({ 1, 2 }), { 1 }, { 1 }, HED_PAD_EDGE), { 1, 1, 2, 2 }, "enumerations");
  equal(hed::gaussian_filter(hed::from({ 0.0f, 0.0f, 0.0f }), { 1 }), { 0, 0, 0 }, "a list that is counted");
  equal(hed::real(hed::ifft1(hed::fft1(hed::from({ 1.0, 2.0, 3.0, 4.0 })))), { 1, 2, 3, 4 }, "transforms");
  array out = hed::zeros({ 3 });
  hed::into::add(out, hed::from({ 1.0f, 2.0f, 3.0f }), 1);
  equal(out, { 2, 3, 4 }, "into an array");
  hed::fill(out, 7);
  equal(out, { 7, 7, 7 }, "in place");
  const array a = hed::random_normal({ 4 }, HED_FLOAT32, hed::random().seed(3).seeded());
  const array b = hed::random_normal({ 4 }, HED_FLOAT32, hed::random().seed(3).seeded());
  ok(hed::all(a == b).item() == 1, "random numbers by options");
}

static void keys()
{
  array x = hed::reshape(hed::arange(0, 12), { 3, 4 });
  equal(x(1), { 4, 5, 6, 7 }, "an element of the first axis");
  equal(x(hed::_, -1), { 3, 7, 11 }, "of another");
  equal(x(hed::slice(0, 2), hed::slice(1, HED_SLICE_END, 2)), { 1, 3, 5, 7 }, "slices");
  equal(x(hed::from({ 2, 0 }), 0), { 8, 0 }, "arrays of indices");
  equal(x(x > 9), { 10, 11 }, "masks");
  is_int(x(hed::newaxis, hed::ellipsis).ndim(), 3, "new axes");
  x.set(hed::zeros({ 4 }), 0);
  equal(x(0), { 0, 0, 0, 0 }, "writing");
}

static void host()
{
  std::vector<double> data{ 1, 2, 3 };
  {
    array x = hed::wrap(data);
    x *= 2;
  }
  ok(data[2] == 6, "the caller's own memory");
  const std::vector<float> fixed{ 1, 2 };
  ok(hed_array_is_read_only(hed::wrap(fixed).get()), "what is const is read-only");
  array owner = hed::wrap(std::make_unique<std::vector<float>>(5, 1.5f));
  is_int(owner.size(), 5, "memory that the array owns");
  const array grid = hed::from(std::vector<std::int32_t>{ 1, 2, 3, 4, 5, 6 }, { 2, 3 });
  const array turned = hed::transpose(grid);
  auto v = turned.view<const std::int32_t, 2>();
  is_int(v(2, 1), 6, "a view of the elements");
  is_int(v.extent(0), 3, "with its extents");
  is_int(std::int64_t(grid.to_vector<std::complex<float>>()[5].real()), 6, "and converted copies");
  refused([&] { (void)grid.view<float, 2>(); }, HED_E_DTYPE, "view: the array has dtype int32", "a view of another type");
  refused([&] { (void)grid.view<std::int32_t, 1>(); }, HED_E_SHAPE, "view: the array has 2 axes, not 1", "of other axes");
  refused([&] { (void)hed::wrap(fixed).view<float, 1>(); }, HED_E_INVAL, "read-only", "of what is not to be written");
  refused([&] { (void)hed::from(data, { 2, 2 }); }, HED_E_INVAL, "from: the data has 3 elements, 4 are needed", "too few elements");
}

static void contexts()
{
  const std::string before = hed_get_backend();
  {
    hed::context_guard guard("reference;threads=1");
    is_str(hed_get_backend(), "reference", "a guard");
    hed::context c(";seed=5");
    hed::context copy = c;
    hed::context_guard inner(copy);
    is_int(int(hed_context_depth()), 2, "in another");
  }
  is_str(hed_get_backend(), before.c_str(), "and back");
  hed_status status = HED_OK;
  hed::context_guard none("no such backend", status);
  is_int(status, HED_E_NOTFOUND, "a guard with a status");
  is_int(int(hed_context_depth()), 0, "holds nothing then");
  hed_error_clear();
  refused([] { hed::context_guard g("no such backend"); }, HED_E_NOTFOUND, "no such backend", "a guard that fails");

  std::string seen;
  std::vector<std::uint32_t> first, second;
  auto draw = [] { return hed::random_bits({ 2 }, HED_UINT32).to_vector<std::uint32_t>(); };
  for (std::vector<std::uint32_t> *v : { &first, &second }) {
    hed::context_guard guard("reference;threads=1;seed=9");
    auto task = hed::bind([&] {
      seen = hed_get_backend();
      *v = draw();
    });
    std::thread([&] {
      hed_context_info info = {};
      info.struct_size = sizeof info;
      task();
      hed_context_query(nullptr, &info);
      is_int(int(hed_context_depth()), 0, "the thread has its own again");
    }).join();
  }
  is_str(seen.c_str(), "reference", "a bound function runs in the context it was bound in");
  ok(first == second && !first.empty(), "with its random numbers");
}

static void failures()
{
  const array a = hed::ones({ 2 }), b = hed::ones({ 3 });
  refused([&] { (void)(a + b); }, HED_E_SHAPE, "do not broadcast", "shapes that do not fit");
  refused([&] { (void)hed::sum(a, hed::reduce().axes(4)); }, HED_E_AXIS, "axis 4 is out of range", "an axis that there is not");
  refused([&] { (void)a(7); }, HED_E_INDEX, "index 7 is out of range", "an index");
  refused([&] { (void)(hed::from({ std::int8_t(1) }) + 300); }, HED_E_RANGE, "does not fit int8", "a number");
  refused([&] { (void)hed::ones({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }); }, HED_E_SHAPE, "17 axes", "too many axes");
  refused([&] { (void)hed::mask_ellipse({ 4, 4 }, { 1 }); }, HED_E_INVAL, "mask_ellipse: radii has 1 elements, 2 are needed",
          "a list that is too short");
#if !defined(__cpp_exceptions)
  const array none = hed::sqrt((a + b) * 2);
  ok(!none, "what failed passes through");
  is_int(hed::last_error(), HED_E_SHAPE, "and the first error stands");
  hed_error_clear();
#endif
}

int main()
{
  const std::int64_t before = live();
  values();
  operations();
  keys();
  host();
  contexts();
  failures();
  is_int(live(), before, "nothing is left");
  done_testing();
  return done();
}
