// SPDX-License-Identifier: BSD-3-Clause
/* Decompose a tensor with missing entries: simulated responses of an immune assay, ligand x time x dose x kind of cell. Three
 * programs act in it, each a ligand's, with a course of time, a dose that half saturates it and the cells that answer. A tenth of
 * the wells failed. The programs are found again as readable profiles, and the failed wells are filled in.
 *
 *   cc 08_tensor.c $(pkg-config --cflags --libs heddle-kits) -lm && ./a.out
 */
#include <heddle/kits/decompose.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIGANDS = 6, TIMES = 8, DOSES = 7, CELLS = 5, PROGRAMS = 3, WELLS = LIGANDS * TIMES * DOSES * CELLS };

static const char *const ligands[] = { "wild type", "mutant 1", "mutant 2", "mutant 3", "fusion 1", "fusion 2" };
static const char *const cells[] = { "regulatory", "helper", "killer", "NK", "B" };

static const double binds[LIGANDS][PROGRAMS] = { { 1, 0.5, 0.1 }, { 0.9, 0.1, 0 }, { 0.2, 1, 0.1 }, { 0, 0.7, 0.3 }, { 0.4, 0, 1 },
                                                 { 0.1, 0.2, 0.8 } };
static const double answers[CELLS][PROGRAMS] = { { 1, 0.1, 0 }, { 0.5, 0.4, 0.2 }, { 0, 1, 0.1 }, { 0.1, 0.3, 1 }, { 0, 0, 0.4 } };
static const double half_dose[PROGRAMS] = { 0.01, 1, 0.1 }, peak_time[PROGRAMS] = { 1, 6, 3 };

static double course(int t, int p) { return (t + 0.5) / peak_time[p] * exp(1 - (t + 0.5) / peak_time[p]); }

static double dose_of(int d) { return pow(10, d / 1.5 - 3); }

/* Column R of a factor as a line of bars. */
static void profile(const char *what, const double *f, int rows, int r, const char *const *names)
{
  static const char *const bars[] = { " ", ".", ":", "-", "=", "+", "*", "#" };
  double most = 0;
  for (int i = 0; i < rows; i++)
    most = fmax(most, f[i * PROGRAMS + r]);
  printf("  %-6s|", what);
  for (int i = 0; i < rows; i++)
    printf("%s", bars[(int)(7 * f[i * PROGRAMS + r] / most + 0.5)]);
  printf("|");
  for (int i = 0; i < rows && names; i++)
    if (f[i * PROGRAMS + r] > 0.4 * most)
      printf(" %s", names[i]);
  puts("");
}

int main(void)
{
  double *truth = malloc(WELLS * sizeof *truth), *seen = malloc(WELLS * sizeof *seen), f[4][8 * PROGRAMS];
  const int rows[4] = { LIGANDS, TIMES, DOSES, CELLS };
  const hed_shape shape = HED_SHAPE(LIGANDS, TIMES, DOSES, CELLS);
  hed_cp c = { 0 };
  hed_fit fit = { 0 };
  double off = 0, size = 0;
  bool bad = !truth || !seen || hed_set_seed(11) != HED_OK;

  HED_SCOPE_OR(return 1) {
    hed_array *noise = hed_random_normal(shape, HED_FLOAT64, NULL), *failed = hed_random_bernoulli(shape, 0.1, HED_FLOAT64, NULL);
    double *n = malloc(WELLS * sizeof *n), *lost = malloc(WELLS * sizeof *lost);
    bad = bad || !n || !lost || hed_tolist(noise, n, WELLS) != HED_OK || hed_tolist(failed, lost, WELLS) != HED_OK;
    for (int i = 0; i < WELLS && !bad; i++) {
      const int cell = i % CELLS, d = i / CELLS % DOSES, t = i / CELLS / DOSES % TIMES, l = i / CELLS / DOSES / TIMES;
      truth[i] = 0;
      for (int p = 0; p < PROGRAMS; p++)
        truth[i] += binds[l][p] * course(t, p) * dose_of(d) / (dose_of(d) + half_dose[p]) * answers[cell][p];
      seen[i] = lost[i] > 0 ? NAN : truth[i] + 0.01 * n[i];
    }
    hed_array *x = bad ? NULL : hed_from_doubles(seen, shape, HED_FLOAT64);
    const hed_cp_hals_options o = { .cp = { .nan_is_missing = true, .normalise = true, .restarts = 5, .sweeps = { .max = 500 },
                                            .random = { .seed = 1, .seeded = true } } };
    bad = bad || hed_cp_nn_hals(x, PROGRAMS, &o, &c, &fit) != HED_OK;
    for (int k = 0; k < 4 && !bad; k++)
      bad = hed_tolist(c.factor[k], f[k], rows[k] * PROGRAMS) != HED_OK;
    double *filled = malloc(WELLS * sizeof *filled);
    bad = bad || !filled || hed_tolist(hed_cp_full(&c), filled, WELLS) != HED_OK;
    for (int i = 0; i < WELLS && !bad; i++)
      if (isnan(seen[i])) {
        off += (filled[i] - truth[i]) * (filled[i] - truth[i]);
        size += truth[i] * truth[i];
      }
    free(n);
    free(lost);
    free(filled);
  }
  if (bad)
    fprintf(stderr, "%s\n", hed_error_text());
  for (int r = 0; r < PROGRAMS && !bad; r++) {
    printf("program %d\n", r + 1);
    profile("ligand", f[0], LIGANDS, r, ligands);
    profile("time", f[1], TIMES, r, NULL);
    profile("dose", f[2], DOSES, r, NULL);
    profile("cells", f[3], CELLS, r, cells);
  }
  if (!bad)
    printf("%d sweeps, error %.3f of what was seen, %.3f of what was not\n", (int)fit.n_sweeps, fit.error, sqrt(off / size));
  free(truth);
  free(seen);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  return bad;
}
