// SPDX-License-Identifier: BSD-3-Clause
/* Heddle in C++17: arrays as values, operators, every operation as a function, contexts as guards.
 *
 *   hed::context_guard context("cpu;threads=2");
 *   hed::array x = hed::from(std::vector<float>{ 3, 1, 2 });
 *   hed::array y = hed::sqrt(x * x + 1) / hed::sum(x, hed::reduce().axes(0).keepdims());
 *   auto [u, s, vh] = hed::svd(hed::outer({ x, y }), false);
 *   std::vector<double> host = y.to_vector<double>();
 *
 * hed::array holds one reference to a handle: copies count, moves do not, and all share the elements. Functions have the names
 * and the meaning of the C functions without hed_; numbers in place of arrays are weak scalars; options are structs whose
 * setters have the fields' names. They are made from the table of the interface, <heddle/ops.hpp>.
 *
 * Failure throws hed::error, with status and sentence. With -fno-exceptions the result is an array without a handle, which
 * every operation passes on, and hed::last_error() says why. Threads: as in C; a handle itself belongs to one thread at a time.
 */
#ifndef HEDDLE_HEDDLE_HPP
#define HEDDLE_HEDDLE_HPP

#include <heddle.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__has_include)
#  if __has_include(<mdspan>) && __cplusplus >= 202302L
#    include <array>
#    include <mdspan>
#  endif
#endif

namespace hed {

/* ---- failure ---- */

#if defined(__cpp_exceptions)
class error : public std::runtime_error {
public:
  error(hed_status status, const std::string &sentence) : std::runtime_error(sentence), status_(status) {}
  hed_status status() const noexcept { return status_; }
  bool is(hed_status kind) const noexcept { return hed_status_is(status_, kind); }

private:
  hed_status status_;
};
#endif

/* The calling thread's failure: for programs without exceptions. */
inline hed_status last_error() noexcept { return hed_error(); }

namespace detail {
inline void fail()
{
#if defined(__cpp_exceptions)
  const error e(hed_error(), hed_error_text());
  hed_error_clear();
  throw e;
#endif
}
inline void check(hed_status status)
{
  if (status != HED_OK)
    fail();
}
} // namespace detail

/* ---- dtypes of C++ types ---- */

template <class T> struct dtype_of;
template <> struct dtype_of<bool> { static hed_dtype get() { return HED_BOOL; } };
template <> struct dtype_of<std::int8_t> { static hed_dtype get() { return HED_INT8; } };
template <> struct dtype_of<std::int16_t> { static hed_dtype get() { return HED_INT16; } };
template <> struct dtype_of<std::int32_t> { static hed_dtype get() { return HED_INT32; } };
template <> struct dtype_of<std::int64_t> { static hed_dtype get() { return HED_INT64; } };
template <> struct dtype_of<std::uint8_t> { static hed_dtype get() { return HED_UINT8; } };
template <> struct dtype_of<std::uint16_t> { static hed_dtype get() { return HED_UINT16; } };
template <> struct dtype_of<std::uint32_t> { static hed_dtype get() { return HED_UINT32; } };
template <> struct dtype_of<std::uint64_t> { static hed_dtype get() { return HED_UINT64; } };
template <> struct dtype_of<float> { static hed_dtype get() { return HED_FLOAT32; } };
template <> struct dtype_of<double> { static hed_dtype get() { return HED_FLOAT64; } };
template <> struct dtype_of<std::complex<float>> { static hed_dtype get() { return HED_COMPLEX64; } };
template <> struct dtype_of<std::complex<double>> { static hed_dtype get() { return HED_COMPLEX128; } };

/* ---- shapes, axes, numbers ---- */

/* A list that is too long becomes one of 17, which every function refuses. */
struct shape : hed_shape {
  shape() : hed_shape() {}
  shape(const hed_shape &s) : hed_shape(s) {}
  shape(std::initializer_list<std::int64_t> d) : hed_shape() { take(d.begin(), d.size()); }
  shape(const std::vector<std::int64_t> &d) : hed_shape() { take(d.data(), d.size()); }
  std::int64_t operator[](int k) const { return dim[k]; }

private:
  void take(const std::int64_t *d, std::size_t n)
  {
    ndim = n <= HED_MAX_NDIM ? std::int32_t(n) : HED_MAX_NDIM + 1;
    for (std::size_t k = 0; k < n && k < HED_MAX_NDIM; k++)
      dim[k] = d[k];
  }
};

struct axes : hed_axes {
  axes() : hed_axes() {}
  axes(const hed_axes &a) : hed_axes(a) {}
  axes(int a) : hed_axes() { n = 1, axis[0] = a; }
  axes(std::initializer_list<int> a) : hed_axes()
  {
    n = a.size() <= HED_MAX_NDIM ? std::int32_t(a.size()) : HED_MAX_NDIM + 1;
    std::size_t k = 0;
    for (int v : a)
      if (k < HED_MAX_NDIM)
        axis[k++] = v;
  }
  static axes none() { return axes(HED_NO_AXES); }
};

/* A number in place of an array: integers stay integers. */
class scalar {
public:
  template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>> scalar(T v)
      : kind_(std::is_floating_point<T>::value ? real : std::is_signed<T>::value ? whole : natural), real_(double(v)),
        whole_(std::is_floating_point<T>::value ? 0 : std::int64_t(v))
  {
  }
  template <class T> scalar(const std::complex<T> &v) : kind_(complex), real_(double(v.real())), imag_(double(v.imag())) {}
  bool is_real() const { return kind_ == real; }
  double value() const { return real_; }
  /* A new handle. */
  hed_array *make() const
  {
    return kind_ == real    ? hed_scalar(real_)
           : kind_ == whole ? hed_scalar_int(whole_)
           : kind_ == natural ? hed_scalar_uint(std::uint64_t(whole_)) : hed_scalar_complex(real_, imag_);
  }

private:
  enum { real, whole, natural, complex } kind_;
  double real_, imag_ = 0;
  std::int64_t whole_ = 0;
};

/* ---- host views ---- */

/* N-dimensional view of elements of type T in host memory, with strides in elements; valid while the array lives. */
template <class T, int N> class host_view {
public:
  host_view() = default;
  host_view(T *data, const hed_shape &s, const std::int64_t *bytes) : data_(data)
  {
    for (int k = 0; k < N; k++) {
      extent_[k] = s.dim[k];
      stride_[k] = bytes[k] / std::int64_t(sizeof(T));
    }
  }
  template <class... I> T &operator()(I... i) const
  {
    static_assert(sizeof...(I) == N, "as many indices as axes");
    const std::int64_t at[] = { std::int64_t(i)..., 0 };
    std::int64_t place = 0;
    for (int k = 0; k < N; k++)
      place += at[k] * stride_[k];
    return data_[place];
  }
  T *data() const { return data_; }
  std::int64_t extent(int k) const { return extent_[k]; }
  std::int64_t stride(int k) const { return stride_[k]; }
#if defined(__cpp_lib_mdspan)
  auto mdspan() const
  {
    std::array<std::int64_t, N> e{}, s{};
    for (int k = 0; k < N; k++)
      e[std::size_t(k)] = extent_[k], s[std::size_t(k)] = stride_[k];
    using extents = std::dextents<std::int64_t, N>;
    return std::mdspan<T, extents, std::layout_stride>(data_, std::layout_stride::mapping<extents>(extents(e), s));
  }
#endif

private:
  T *data_ = nullptr;
  std::int64_t extent_[N > 0 ? N : 1] = {}, stride_[N > 0 ? N : 1] = {};
};

/* ---- arrays ---- */

class array;
namespace detail {
array take(hed_array *handle);
}

class array {
public:
  array() noexcept = default;
  explicit array(hed_array *owned) noexcept : p_(owned) {} /* takes the reference */
  array(const array &o) noexcept : p_(hed_retain(o.p_)) {}
  array(array &&o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  array &operator=(const array &o) noexcept
  {
    array copy(o);
    std::swap(p_, copy.p_);
    return *this;
  }
  array &operator=(array &&o) noexcept
  {
    std::swap(p_, o.p_);
    return *this;
  }
  ~array()
  {
    if (p_)
      hed_release(p_);
  }

  explicit operator bool() const noexcept { return p_ != nullptr; } /* has a handle */
  hed_array *get() const noexcept { return p_; }
  hed_array *release() noexcept /* the reference becomes the caller's */
  {
    hed_array *p = p_;
    p_ = nullptr;
    return p;
  }

  hed::shape shape() const { return hed_array_shape(p_); }
  hed_dtype dtype() const { return hed_array_dtype(p_); }
  int ndim() const { return hed_array_ndim(p_); }
  std::int64_t size() const { return hed_array_size(p_); }
  std::int64_t extent(int axis) const
  {
    const hed_shape s = hed_array_shape(p_);
    const int k = axis < 0 ? axis + s.ndim : axis;
    return k >= 0 && k < s.ndim ? s.dim[k] : 0;
  }
  std::string space() const { return hed_array_space(p_); }

  array to(const std::string &spec) const { return detail::take(hed_to(p_, spec.c_str())); }
  array astype(hed_dtype t) const { return detail::take(hed_astype(p_, t)); }
  void wait() const { detail::check(hed_wait(p_)); }

  /* The single element. */
  double item() const
  {
    double v = 0;
    detail::check(hed_item(p_, &v));
    return v;
  }
  std::int64_t item_int() const
  {
    std::int64_t v = 0;
    detail::check(hed_item_int(p_, &v));
    return v;
  }

  /* All elements in C order, converted. */
  template <class T> std::vector<T> to_vector() const
  {
    static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no bools: take char with HED_UINT8");
    const array x = astype(dtype_of<T>::get());
    std::vector<T> v(x ? std::size_t(x.size()) : 0);
    if (x)
      detail::check(hed_to_host(x.p_, v.data(), v.size() * sizeof(T)));
    return v;
  }

  /* The elements themselves, in host memory: HED_E_DTYPE, HED_E_SHAPE when they are not T in N axes. */
  template <class T, int N> host_view<T, N> view() const
  {
    std::int64_t strides[HED_MAX_NDIM] = { 0 };
    if (dtype() != dtype_of<std::remove_const_t<T>>::get())
      hed_fail(HED_E_DTYPE, "view: the array has dtype %s", p_ ? hed_dtype_name(dtype()) : "none");
    else if (ndim() != N)
      hed_fail(HED_E_SHAPE, "view: the array has %d axes, not %d", ndim(), N);
    else if (!std::is_const<T>::value && hed_array_is_read_only(p_))
      hed_fail(HED_E_INVAL, "view: the array is read-only");
    else if (void *data = hed_array_data(p_)) {
      detail::check(hed_array_strides(p_, strides));
      return host_view<T, N>(static_cast<T *>(data), hed_array_shape(p_), strides);
    }
    detail::fail();
    return {};
  }

  /* x(0, hed::_, hed::slice(1, 4)) as NumPy's x[...]; keys are numbers, _, slices, integer arrays, masks (hed::mask_of). */
  template <class... K> array operator()(const K &...keys) const;
  template <class... K> void set(const array &value, const K &...keys);

private:
  hed_array *p_ = nullptr;
};

namespace detail {
inline array take(hed_array *handle)
{
  if (!handle)
    fail();
  return array(handle);
}
inline hed_array *get(const array &x) { return x.get(); }
inline hed_array *get(const array *x) { return x ? x->get() : nullptr; }
inline int ndim(const array &x) { return x.ndim() < 0 ? 0 : x.ndim(); }
inline int ndim(const hed_shape &s) { return s.ndim; }
inline std::int64_t extent(const array &x, int axis) { return x.extent(axis); }
inline int len(const hed_axes &a) { return a.n < 0 ? 0 : a.n; }
inline const hed_axes *given(const hed_axes &a) { return a.n ? &a : nullptr; }

/* Arrays as the list of handles that C functions take. */
class handles {
public:
  explicit handles(const std::vector<array> &list)
  {
    for (const array &x : list)
      p_.push_back(x.get());
  }
  const hed_array *const *data() const { return p_.data(); }

private:
  std::vector<const hed_array *> p_;
};

/* Room for N results. */
class results {
public:
  explicit results(std::int64_t n) : p_(n > 0 ? std::size_t(n) : 0, nullptr) {}
  hed_array **data() { return p_.data(); }
  std::vector<array> take(hed_status status)
  {
    std::vector<array> list;
    check(status);
    for (hed_array *p : p_)
      list.emplace_back(p);
    return list;
  }

private:
  std::vector<hed_array *> p_;
};

inline bool enough(const char *function, const char *argument, std::size_t n, std::int64_t wanted)
{
  if (std::int64_t(n) == wanted)
    return true;
  hed_fail(HED_E_INVAL, "%s: %s has %lld elements, %lld are needed", function, argument, (long long)n, (long long)wanted);
  fail();
  return false;
}

/* A binary operation with a number on a side: as a double by the form for these, else by a weak scalar of its kind. */
template <class A, class S> array right(A both, S real, const array &a, const scalar &s)
{
  if (s.is_real())
    return take(real(a.get(), s.value()));
  const array w(s.make());
  return take(both(a.get(), w.get()));
}
template <class A, class S> array left(A both, S real, const scalar &s, const array &b)
{
  if (s.is_real())
    return take(real(s.value(), b.get()));
  const array w(s.make());
  return take(both(w.get(), b.get()));
}
template <class A, class S> void right_into(A both, S real, array &out, const array &a, const scalar &s)
{
  if (s.is_real())
    return check(real(out.get(), a.get(), s.value()));
  const array w(s.make());
  check(both(out.get(), a.get(), w.get()));
}
template <class A, class S> void left_into(A both, S real, array &out, const scalar &s, const array &b)
{
  if (s.is_real())
    return check(real(out.get(), s.value(), b.get()));
  const array w(s.make());
  check(both(out.get(), w.get(), b.get()));
}
} // namespace detail

/* ---- keys ---- */

struct whole {};
inline constexpr whole _{}; /* an axis as it is */
struct newaxis_key {};
inline constexpr newaxis_key newaxis{};
struct ellipsis_key {};
inline constexpr ellipsis_key ellipsis{};
struct slice_key { std::int64_t start, stop, step; };
/* start:stop:step; the ends are left out by HED_SLICE_BEGIN and HED_SLICE_END. */
inline slice_key slice(std::int64_t start, std::int64_t stop, std::int64_t step = 1) { return { start, stop, step }; }

namespace detail {
template <class T, class = std::enable_if_t<std::is_integral<T>::value>> hed_key key(T i) { return HED_AT(std::int64_t(i)); }
inline hed_key key(whole) { return HED_WHOLE; }
inline hed_key key(newaxis_key) { return HED_NEWAXIS; }
inline hed_key key(ellipsis_key) { return HED_ELLIPSIS; }
inline hed_key key(const slice_key &s) { return HED_SLICE(s.start, s.stop, s.step); }
inline hed_key key(const array &x) { return x.dtype() == HED_BOOL ? HED_MASK(x.get()) : HED_IDX(x.get()); }
} // namespace detail

template <class... K> array array::operator()(const K &...keys) const
{
  const hed_key list[] = { detail::key(keys)..., hed_key{} };
  return detail::take(hed_get(p_, int(sizeof...(K)), list));
}
template <class... K> void array::set(const array &value, const K &...keys)
{
  const hed_key list[] = { detail::key(keys)..., hed_key{} };
  detail::check(hed_set(p_, int(sizeof...(K)), list, value.get()));
}

/* ---- host data ---- */

/* A copy of R's elements, anything with data() and size(); one axis, or SHAPE. */
template <class R> array from(const R &r, hed::shape s)
{
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*r.data())>>;
  std::int64_t n = 1;
  for (int k = 0; k < s.ndim && k < HED_MAX_NDIM; k++)
    n *= s.dim[k];
  if (!detail::enough("from", "the data", std::size_t(r.size()), n))
    return array();
  return detail::take(hed_from_host(r.data(), s, dtype_of<T>::get()));
}
template <class R> array from(const R &r) { return from(r, hed::shape{ std::int64_t(r.size()) }); }
template <class T> array from(std::initializer_list<T> list)
{
  return detail::take(hed_from_host(list.begin(), hed::shape{ std::int64_t(list.size()) }, dtype_of<T>::get()));
}

/* R's elements themselves; R outlives the array. */
template <class R> array wrap(R &r)
{
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*r.data())>>;
  constexpr bool fixed = std::is_const<std::remove_reference_t<decltype(*r.data())>>::value;
  const array x = detail::take(hed_wrap(const_cast<T *>(r.data()), hed::shape{ std::int64_t(r.size()) }, nullptr,
                                        dtype_of<T>::get(), nullptr, nullptr));
  return fixed ? detail::take(hed_read_only(x.get())) : x;
}
/* The same, and the array owns it. */
template <class R> array wrap(std::unique_ptr<R> r)
{
  using T = std::remove_cv_t<std::remove_reference_t<decltype(*r->data())>>;
  hed_array *x = hed_wrap(r->data(), hed::shape{ std::int64_t(r->size()) }, nullptr, dtype_of<T>::get(),
                          [](void *p) { delete static_cast<R *>(p); }, r.get());
  if (x)
    r.release();
  return detail::take(x);
}

/* ---- contexts ---- */

/* A counted context. */
class context {
public:
  explicit context(const std::string &spec, const context *base = nullptr)
  {
    detail::check(hed_context_derive(base ? base->c_ : nullptr, spec.c_str(), &c_));
  }
  context(const context &o) : c_(o.c_ ? hed_context_retain(o.c_) : nullptr) {}
  context &operator=(context o) noexcept
  {
    std::swap(c_, o.c_);
    return *this;
  }
  ~context() { hed_context_release(c_); }
  hed_context *get() const { return c_; }

private:
  hed_context *c_ = nullptr;
};

/* In force until the end of the block, in this thread: a coroutine holds none across co_await, but calls hed_context_set. */
class context_guard {
public:
  explicit context_guard(const char *spec) { detail::check(hed_backend_context_push(spec, &f_)); }
  explicit context_guard(const std::string &spec) : context_guard(spec.c_str()) {}
  explicit context_guard(const context &c) { detail::check(hed_context_push(c.get(), &f_)); }
  context_guard(const char *spec, hed_status &status) { status = hed_backend_context_push(spec, &f_); }
  context_guard(const context_guard &) = delete;
  context_guard &operator=(const context_guard &) = delete;
  ~context_guard()
  {
    if (f_.cookie)
      (void)hed_context_unwind(f_);
  }

private:
  hed_frame f_ = {};
};

/* F as a task of the context in force now, wherever and however often it is called: for pools that reuse their threads. Calls
 * draw random numbers as their number says, in the order in which they come. */
template <class F> auto bind(F f)
{
  hed_snapshot *s = nullptr;
  detail::check(hed_capture(&s));
  std::shared_ptr<hed_snapshot> held(s, hed_snapshot_release);
  auto calls = std::make_shared<std::uint64_t>(0);
  return [held, calls, f = std::move(f)](auto &&...args) mutable -> decltype(auto) {
    struct task {
      hed_frame frame = {};
      task(const hed_snapshot *from, std::uint64_t index) { detail::check(hed_adopt(from, index, &frame)); }
      ~task()
      {
        if (frame.cookie)
          (void)hed_context_unwind(frame);
      }
    } running(held.get(), __atomic_fetch_add(calls.get(), 1, __ATOMIC_RELAXED));
    return f(std::forward<decltype(args)>(args)...);
  };
}

} // namespace hed

#include <heddle/ops.hpp>

/* ---- operators ---- */

namespace hed {
#define HED_CXX_BINARY_(op, name)                                                    \
  inline array operator op(const array &a, const array &b) { return name(a, b); }    \
  inline array operator op(const array &a, const scalar &b) { return name(a, b); }   \
  inline array operator op(const scalar &a, const array &b) { return name(a, b); }
HED_CXX_BINARY_(+, add)
HED_CXX_BINARY_(-, subtract)
HED_CXX_BINARY_(*, multiply)
HED_CXX_BINARY_(/, divide)
HED_CXX_BINARY_(%, mod)
HED_CXX_BINARY_(&, bitwise_and)
HED_CXX_BINARY_(|, bitwise_or)
HED_CXX_BINARY_(^, bitwise_xor)
HED_CXX_BINARY_(<<, left_shift)
HED_CXX_BINARY_(>>, right_shift)
HED_CXX_BINARY_(==, equal)
HED_CXX_BINARY_(!=, not_equal)
HED_CXX_BINARY_(<, less)
HED_CXX_BINARY_(<=, less_equal)
HED_CXX_BINARY_(>, greater)
HED_CXX_BINARY_(>=, greater_equal)
#undef HED_CXX_BINARY_
inline array operator-(const array &x) { return negative(x); }
inline array operator~(const array &x) { return bitwise_not(x); }

/* In place: the elements change, for all who share them. */
#define HED_CXX_UPDATE_(op, name)                                                                        \
  inline array &operator op(array &a, const array &b) { return into::name(a, a, b), a; }                 \
  inline array &operator op(array &a, const scalar &b) { return into::name(a, a, b), a; }
HED_CXX_UPDATE_(+=, add)
HED_CXX_UPDATE_(-=, subtract)
HED_CXX_UPDATE_(*=, multiply)
HED_CXX_UPDATE_(/=, divide)
#undef HED_CXX_UPDATE_
} // namespace hed

#endif
