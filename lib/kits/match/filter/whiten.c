// SPDX-License-Identifier: BSD-3-Clause
/* The profile that flattens a volume's spectrum.
 *
 * Layer: L4, match kit. Particles and gold are in few windows and make them vary more, so windows with the largest variance are
 * left out: what remains is the background's spectrum.
 */
#include "kits/match/run/job.h"
#include <heddle/kits/filter.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_whitening";

/* The volume, axes padded to three in front, and its windows. */
typedef struct view {
  const float *v;
  const uint8_t *known; /* 0: padding; NULL: nowhere */
  int ndim;
  int64_t n[3], size[3], count[3]; /* extents; of a window; windows along each axis */
  size_t shells;
  double *hann;
} view;

/* A window's variance and the power of its shells. */
typedef struct window { double variance; double *power; } window;

static int quietest_first(const void *a, const void *b)
{
  const double p = ((const window *)a)->variance, q = ((const window *)b)->variance;
  return p < q ? -1 : p > q;
}

static hed_shape window_shape(const view *w)
{
  hed_shape s = { .ndim = w->ndim };
  for (int i = 0; i < w->ndim; i++)
    s.dim[i] = w->size[3 - w->ndim + i];
  return s;
}

/* Voxels of the window at AT that are known. */
static int64_t known_in(const view *w, const int64_t at[3])
{
  int64_t n = 0;
  for (int64_t z = 0; w->known && z < w->size[0]; z++)
    for (int64_t y = 0; y < w->size[1]; y++) {
      const uint8_t *row = w->known + ((at[0] + z) * w->n[1] + at[1] + y) * w->n[2] + at[2];
      for (int64_t i = 0; i < w->size[2]; i++)
        n += row[i];
    }
  return w->known ? n : w->size[0] * w->size[1] * w->size[2];
}

/* The window at AT without its mean, under the Hann window, into X; its variance, 0 where too much is padding. */
static double cut(const view *w, const int64_t at[3], float *x)
{
  double sum = 0, squares = 0;
  const double count = (double)known_in(w, at);
  if (count < 0.95 * (double)(w->size[0] * w->size[1] * w->size[2]))
    return 0;
  for (int pass = 0; pass < 2; pass++) {
    float *to = x;
    for (int64_t z = 0; z < w->size[0]; z++)
      for (int64_t y = 0; y < w->size[1]; y++) {
        const int64_t first = ((at[0] + z) * w->n[1] + at[1] + y) * w->n[2] + at[2];
        const float *row = w->v + first;
        for (int64_t i = 0; i < w->size[2]; i++) {
          const bool here = !w->known || w->known[first + i];
          if (pass == 0) {
            sum += here ? (double)row[i] : 0;
            continue;
          }
          const double d = here ? (double)row[i] - sum / count : 0;
          squares += d * d;
          *to++ = (float)(d * (w->size[0] > 1 ? w->hann[z] : 1) * w->hann[y] * w->hann[i]);
        }
      }
  }
  return squares / count;
}

/* Means of |F|^2 over shells of X. */
static hed_status shell_powers(const view *w, const float *x, double *power, double *number)
{
  hed_array *cut_out = hed_keep(hed_from_host(x, window_shape(w), HED_FLOAT32)), *spectrum = hed_keep(hed_rfftn(cut_out, NULL));
  hed_array *host = spectrum ? hed__on_host(spectrum) : NULL;
  const float *f = host ? hed_array_data(host) : NULL;
  const int64_t edge = w->size[2];
  for (int64_t z = 0; f && z < w->size[0]; z++)
    for (int64_t y = 0; y < w->size[1]; y++)
      for (int64_t q = 0; q <= edge / 2; q++, f += 2) {
        const int64_t a = 2 * z < w->size[0] ? z : z - w->size[0], b = 2 * y < w->size[1] ? y : y - w->size[1];
        const size_t shell = (size_t)lrint(sqrt((double)(a * a + b * b + q * q)));
        if (shell >= w->shells)
          continue;
        const double both = q > 0 && 2 * q < edge ? 2 : 1; /* and its conjugate */
        power[shell] += both * ((double)f[0] * (double)f[0] + (double)f[1] * (double)f[1]);
        number[shell] += both;
      }
  for (size_t s = 0; host && s < w->shells; s++)
    power[s] /= number[s] > 0 ? number[s] : 1;
  const hed_status status = host ? HED_OK : hed_error();
  hed_release(cut_out);
  hed_release(spectrum);
  hed_release(host);
  return status;
}

static double mean_power(const view *w, const double *power, double low, double high)
{
  double sum = 0, n = 0;
  for (size_t s = 1; s < w->shells; s++) {
    const double k = (double)s / (double)w->size[2];
    if (k >= low && k <= high) {
      sum += power[s];
      n++;
    }
  }
  return n > 0 ? sum / n : 0;
}

/* The mean power of windows but the tenth that varies most, and the profile from it. */
static hed_status profile_of(const view *w, window *windows, size_t n, float *out, double *colour)
{
  double *power = calloc(w->shells, sizeof *power), most = 0;
  size_t first = 0, used;
  if (!power)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu shells", op, w->shells);
  qsort(windows, n, sizeof *windows, quietest_first);
  while (first < n && !(windows[first].variance > 0))
    first++;
  used = n - first - (n - first) / 10;
  for (size_t i = first; i < first + used; i++)
    for (size_t s = 1; s < w->shells; s++)
      power[s] += windows[i].power[s] / (double)used;
  for (size_t s = 1; s < w->shells; s++)
    most = fmax(most, power[s]);
  if (!(most > 0)) {
    free(power);
    return hed_fail(HED_E_INVAL, "%s: the volume has no variance", op);
  }
  double largest = 0;
  for (size_t s = 1; s < w->shells; s++)
    largest = fmax(largest, 1 / sqrt(power[s] + 1e-4 * most));
  out[0] = 0;
  for (size_t s = 1; s < w->shells; s++)
    out[s] = (float)(1 / sqrt(power[s] + 1e-4 * most) / largest);
  if (colour) {
    const size_t quiet = (n - first + 3) / 4;
    memset(power, 0, w->shells * sizeof *power);
    for (size_t i = first; i < first + quiet; i++)
      for (size_t s = 1; s < w->shells; s++)
        power[s] += windows[i].power[s] / (double)quiet;
    const double rest = fmax(mean_power(w, power, 0.4, 0.5), 1e-12 * most);
    *colour = fmax(fmax(mean_power(w, power, 0.05, 0.1), mean_power(w, power, 0.1, 0.2)), mean_power(w, power, 0.2, 0.3)) / rest;
  }
  free(power);
  return HED_OK;
}

static hed_status measure(view *w, float *out, double *colour)
{
  const size_t n = (size_t)(w->count[0] * w->count[1] * w->count[2]);
  const size_t cells = (size_t)(w->size[0] * w->size[1] * w->size[2]);
  window *windows = calloc(n, sizeof *windows);
  double *powers = calloc(n * w->shells, sizeof *powers), *number = calloc(w->shells, sizeof *number);
  float *x = malloc(cells * sizeof *x);
  w->hann = malloc((size_t)w->size[2] * sizeof *w->hann);
  hed_status status = HED_OK;
  if (!windows || !powers || !number || !x || !w->hann)
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu windows", op, n);
  for (int64_t i = 0; status == HED_OK && i < w->size[2]; i++)
    w->hann[i] = 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * ((double)i + 0.5) / (double)w->size[2]);
  for (size_t i = 0; status == HED_OK && i < n; i++) {
    const int64_t k = (int64_t)i, q[3] = { k / w->count[2] / w->count[1], k / w->count[2] % w->count[1], k % w->count[2] };
    const int64_t at[3] = { q[0] * (w->size[0] / 2), q[1] * (w->size[1] / 2), q[2] * (w->size[2] / 2) };
    windows[i].power = powers + i * w->shells;
    windows[i].variance = cut(w, at, x);
    for (size_t s = 0; s < w->shells; s++)
      number[s] = 0;
    if (windows[i].variance > 0)
      status = shell_powers(w, x, windows[i].power, number);
  }
  if (status == HED_OK)
    status = profile_of(w, windows, n, out, colour);
  free(windows);
  free(powers);
  free(number);
  free(x);
  free(w->hann);
  return status;
}

/* Windows of PATCH voxels an edge; how many are known well enough, counted up to ENOUGH. */
static int64_t lay_out(view *w, int64_t patch, int64_t enough)
{
  int64_t usable = 0;
  for (int a = 3 - w->ndim; a < 3; a++) {
    w->size[a] = patch;
    w->count[a] = (w->n[a] - patch) / (patch / 2) + 1;
  }
  w->shells = (size_t)patch / 2 + 1;
  const double most = (double)(w->size[0] * w->size[1] * w->size[2]);
  for (int64_t k = 0; k < w->count[0] * w->count[1] * w->count[2] && usable < enough; k++) {
    const int64_t at[3] = { k / w->count[2] / w->count[1] * (w->size[0] / 2), k / w->count[2] % w->count[1] * (w->size[1] / 2),
                            k % w->count[2] * (w->size[2] / 2) };
    usable += (double)known_in(w, at) >= 0.95 * most;
  }
  return usable;
}

static hed_status take_known(view *w, const hed_array *known, hed_shape s, hed_array **host)
{
  if (!known)
    return HED_OK;
  const hed_shape k = hed_array_shape(known);
  for (int i = 0; i < s.ndim || i < k.ndim; i++)
    if (k.ndim != s.ndim || k.dim[i] != s.dim[i] || hed_array_dtype(known) != HED_BOOL)
      return hed_fail(HED_E_SHAPE, "%s: known is %s of %d dimensions, %lld along axis %d, the volume has %d, %lld; bool is expected",
                      op, hed_dtype_name(hed_array_dtype(known)), (int)k.ndim, i < k.ndim ? (long long)k.dim[i] : 0LL, i, (int)s.ndim,
                      i < s.ndim ? (long long)s.dim[i] : 0LL);
  hed_array *packed = hed_keep(hed_copy(known));
  *host = packed ? hed__on_host(packed) : NULL;
  hed_release(packed);
  w->known = *host ? hed_array_data(*host) : NULL;
  return *host ? HED_OK : hed_error();
}

hed_array *hed_match_whitening(const hed_array *volume, int64_t patch, double *colour)
{
  return hed_match_whitening_known(volume, NULL, patch, colour);
}

hed_array *hed_match_whitening_known(const hed_array *volume, const hed_array *known, int64_t patch, double *colour)
{
  enum { LEAST = 16, ENOUGH = 8 };
  view w = { .n = { 1, 1, 1 }, .size = { 1, 1, 1 }, .count = { 1, 1, 1 } };
  int64_t least = INT64_MAX;
  hed_array *x = hed__checked(op, "volume", volume), *host = NULL, *out = NULL, *where = NULL;
  if (!x)
    return NULL;
  const hed_shape s = hed_array_shape(x);
  w.ndim = s.ndim;
  for (int i = 0; i < s.ndim; i++)
    least = s.dim[i] < least ? s.dim[i] : least;
  if (s.ndim != 2 && s.ndim != 3)
    (void)hed_fail(HED_E_SHAPE, "%s: the volume has %d dimensions, not 2 or 3", op, (int)s.ndim);
  else if (patch < 0 || patch % 2 || patch > least || least < 8 || (patch > 0 && patch < 8))
    (void)hed_fail(HED_E_INVAL, "%s: patches of %lld voxels in a volume whose least extent is %lld; an even number from 8 on", op,
                   (long long)patch, (long long)least);
  else if (take_known(&w, known, s, &where) == HED_OK && (host = hed__on_host(x)) != NULL) {
    const bool chosen = patch > 0;
    patch = patch > 0 ? patch : least >= 128 ? 64 : least >= 16 ? least / 4 * 2 : 8;
    for (int i = 0; i < s.ndim; i++)
      w.n[3 - s.ndim + i] = s.dim[i];
    w.v = hed_array_data(host);
    int64_t usable = lay_out(&w, patch, ENOUGH);
    while (w.known && !chosen && usable < ENOUGH && patch > LEAST) {
      patch = patch / 4 * 2 > LEAST ? patch / 4 * 2 : LEAST;
      usable = lay_out(&w, patch, ENOUGH);
    }
    if (usable == 0)
      (void)hed_fail(HED_E_INVAL, "%s: every window of %lld voxels an edge has padding", op, (long long)patch);
    else if ((out = hed__host_empty(HED_SHAPE((int64_t)w.shells), HED_FLOAT32)) &&
        measure(&w, hed_array_data(out), colour) != HED_OK) {
      hed_release(out);
      out = NULL;
    }
  }
  hed_release(where);
  hed_release(host);
  hed_release(x);
  return out;
}
