// SPDX-License-Identifier: BSD-3-Clause
/* What knows of contrast transfer: Warp's and M's XML, CTFFIND's and AreTomo's lists.
 *
 * Layer: L4, match kit. Warp: angles of the other sign than here, defocus and its astigmatism in micrometres, phase shifts in
 * units of pi, a grid of one node a tilt. CTFFIND: number, two defoci in angstrom, azimuth, phase shift in radians, and more.
 */
#include "kits/match/files/fileio.h"
#include "kits/match/files/tilts.h"
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
enum { MOST_TILTS = 100000 };

/* The numbers of a tag's content, a line each; the first sets how many tilts there are. */
static hed_status numbers(const hed__text *text, const hed__tag *tag, const char *what, hed_tilts *t, double factor, double **array)
{
  hed__text inner = { .op = text->op, .path = text->path, .p = tag->content, .end = tag->content + tag->n_content,
                      .line = tag->name.line - 1 };
  const hed__text start = inner;
  hed__word w[HED__MOST_WORDS];
  size_t count = 0;
  int n;
  hed_status status;
  while (hed__next_words(&inner, w, &n, &status))
    count += (size_t)n;
  if (status != HED_OK)
    return status;
  if (*array || count == 0 || count > MOST_TILTS || (t->n && count != t->n))
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %zu values of %s%s of %zu tilts", text->op, text->path, tag->name.line, count,
                    what, *array ? ", once more," : "", t->n);
  t->n = count;
  if ((status = hed__tilts_array(text, t, array)) != HED_OK)
    return status;
  inner = start;
  for (size_t k = 0; hed__next_words(&inner, w, &n, &status);)
    for (int i = 0; i < n; i++, k++) {
      if ((status = hed__word_number(text, &w[i], what, &(*array)[k])) != HED_OK)
        return status;
      (*array)[k] *= factor;
    }
  return status;
}

static hed_status flags(const hed__text *text, const hed__tag *tag, hed_tilts *t)
{
  hed__text inner = { .op = text->op, .path = text->path, .p = tag->content, .end = tag->content + tag->n_content };
  hed__word w[HED__MOST_WORDS];
  size_t k = 0;
  int n;
  hed_status status;
  if (t->use || t->n == 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: UseTilt before Angles, or twice", text->op, text->path, tag->name.line);
  if (!(t->use = calloc(t->n, sizeof *t->use)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu tilts of '%s'", text->op, t->n, text->path);
  while (hed__next_words(&inner, w, &n, &status))
    for (int i = 0; i < n && k <= t->n; i++, k++)
      if (k < t->n)
        t->use[k] = w[i].n > 0 && (*w[i].s == 'T' || *w[i].s == 't' || *w[i].s == '1');
  if (status == HED_OK && k != t->n)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %zu tilts and another number of UseTilt", text->op, text->path, tag->name.line,
                      t->n);
  return status;
}

/* What a CTF's parameters and grids say; NaN: nothing. */
typedef struct warp {
  double defocus, delta, angle, phase; /* of all tilts */
  double **grid;                       /* that nodes go into; NULL: none of interest */
  double *node_defocus, *node_delta, *node_angle;
  bool ctf;
} warp;

static hed_status parameter(const hed__text *text, const hed__tag *tag, hed_tilts *t, warp *w)
{
  const struct { const char *name; double *to; double factor; } known[] = {
    { "Voltage", &t->kilovolt, 1 }, { "Cs", &t->cs_mm, 1 }, { "Amplitude", &t->amplitude_contrast, 1 }, { "Defocus",
         &w->defocus, 1e4 },
    { "DefocusDelta", &w->delta, 1e4 }, { "DefocusAngle", &w->angle, 1 }, { "PhaseShift", &w->phase, pi },
  };
  hed__word name, value;
  if (!hed__attribute(tag, "Name", &name) || !hed__attribute(tag, "Value", &value))
    return HED_OK;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (hed__word_is(&name, known[i].name)) {
      const hed_status status = hed__word_number(text, &value, known[i].name, known[i].to);
      *known[i].to *= known[i].factor;
      w->ctf = true;
      return status;
    }
  return HED_OK;
}

/* A grid along the tilts: its nodes by their Z. */
static hed_status node(const hed__text *text, const hed__tag *tag, const hed_tilts *t, double **grid, double factor)
{
  hed__word z, value;
  double at = 0, v;
  hed_status status = HED_OK;
  if (!hed__attribute(tag, "Z", &z) || !hed__attribute(tag, "Value", &value))
    return HED_OK;
  if ((status = hed__word_number(text, &z, "Z", &at)) != HED_OK || (status = hed__word_number(text, &value, "Value", &v)) != HED_OK)
    return status;
  if (!(at >= 0) || at >= (double)t->n)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a node of tilt %g; there are %zu", text->op, text->path,
         tag->name.line, at, t->n);
  if (!*grid && (status = hed__tilts_array(text, t, grid)) != HED_OK)
    return status;
  (*grid)[(size_t)at] = v * factor;
  return HED_OK;
}

static hed_status fill_ctf(const hed__text *text, hed_tilts *t, const warp *w)
{
  hed_status status = HED_OK;
  if (!w->ctf && !w->node_defocus)
    return HED_OK;
  if ((status = hed__tilts_array(text, t, &t->defocus_u)) != HED_OK ||
      (status = hed__tilts_array(text, t, &t->defocus_v)) != HED_OK ||
      (status = hed__tilts_array(text, t, &t->astigmatism)) != HED_OK || (status = hed__tilts_array(text, t,
           &t->phase_shift)) != HED_OK)
    return status;
  for (size_t i = 0; i < t->n; i++) {
    const double defocus = w->node_defocus ? w->node_defocus[i] : w->defocus, delta = w->node_delta ? w->node_delta[i] : w->delta;
    t->defocus_u[i] = defocus + delta / 2;
    t->defocus_v[i] = defocus - delta / 2;
    t->astigmatism[i] = w->node_angle ? w->node_angle[i] : w->angle;
    t->phase_shift[i] = w->phase;
  }
  return HED_OK;
}

hed_status hed__tilts_warp(hed__text *text, hed_tilts *t)
{
  warp w = { .grid = NULL };
  double factor = 1;
  hed__tag tag;
  hed_status status;
  bool ours = false;
  while (hed__next_tag(text, &tag, &status)) {
    const hed__word *name = &tag.name;
    ours = ours || hed__word_is(name, "TiltSeries");
    if (tag.closing)
      w.grid = hed__word_is(name, "Node") ? w.grid : NULL;
    else if (hed__word_is(name, "Angles"))
      status = numbers(text, &tag, "Angles", t, -1, &t->angle);
    else if (hed__word_is(name, "Dose"))
      status = numbers(text, &tag, "Dose", t, 1, &t->dose);
    else if (hed__word_is(name, "UseTilt"))
      status = flags(text, &tag, t);
    else if (hed__word_is(name, "Param"))
      status = parameter(text, &tag, t, &w);
    else if (hed__word_is(name, "Node") && w.grid)
      status = node(text, &tag, t, w.grid, factor);
    else if (!hed__word_is(name, "Node")) {
      w.grid = hed__word_is(name, "GridCTF") ? &w.node_defocus : hed__word_is(name, "GridCTFDefocusDelta") ? &w.node_delta
             : hed__word_is(name, "GridCTFDefocusAngle") ? &w.node_angle : NULL;
      factor = hed__word_is(name, "GridCTFDefocusAngle") ? 1 : 1e4;
    }
    if (status != HED_OK)
      break;
  }
  if (status == HED_OK && (!ours || !t->angle))
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no TiltSeries with Angles", text->op, text->path);
  if (status == HED_OK)
    status = fill_ctf(text, t, &w);
  free(w.node_defocus);
  free(w.node_delta);
  free(w.node_angle);
  return status;
}

/* What a comment says behind KEY. */
static void from_comments(const hed__text *text, const char *key, double *v)
{
  const size_t k = strlen(key);
  for (const char *s = text->p; s + k < text->end; s++)
    if (*s == key[0] && memcmp(s, key, k) == 0) {
      size_t n = 0;
      for (s += k; s < text->end && *s == ' '; s++)
        continue;
      while (s + n < text->end && strchr("0123456789.", s[n]) && s[n])
        n++;
      (void)hed__parse_number(s, n, v);
      return;
    }
}

/* Number of the column that the comments call dfHand, counted from 1; 0: there is none. */
static int hand_column(const hed__text *text)
{
  const char *s = memmem(text->p, (size_t)(text->end - text->p), "dfHand", 6);
  double number = 0;
  while (s && s > text->p && *s != '#' && *s != '\n')
    s--;
  const bool any = s && *s == '#' && hed__parse_number(s + 1, strspn(s + 1, "0123456789"), &number);
  return any && number < HED__MOST_WORDS ? (int)number : 0;
}

hed_status hed__tilts_ctffind(hed__text *text, hed_tilts *t)
{
  const hed__text start = *text;
  const int hand = hand_column(text);
  hed__word w[HED__MOST_WORDS];
  hed_status status;
  int n;
  from_comments(text, "acceleration voltage:", &t->kilovolt);
  from_comments(text, "spherical aberration:", &t->cs_mm);
  from_comments(text, "amplitude contrast:", &t->amplitude_contrast);
  while (hed__next_words(text, w, &n, &status))
    t->n++;
  if (t->n > MOST_TILTS)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has %zu lines; at most %d tilts are read", text->op, text->path, t->n, MOST_TILTS);
  if (status != HED_OK || (status = hed__tilts_array(text, t, &t->defocus_u)) != HED_OK ||
      (status = hed__tilts_array(text, t, &t->defocus_v)) != HED_OK ||
      (status = hed__tilts_array(text, t, &t->astigmatism)) != HED_OK || (status = hed__tilts_array(text, t,
           &t->phase_shift)) != HED_OK)
    return status;
  *text = start;
  for (size_t i = 0; hed__next_words(text, w, &n, &status); i++) {
    static const char *const names[] = { "defocus 1", "defocus 2", "azimuth", "phase shift" };
    double *const to[] = { &t->defocus_u[i], &t->defocus_v[i], &t->astigmatism[i], &t->phase_shift[i] };
    if (n < 7)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; there are 7 and more", text->op, text->path, text->line, n);
    for (int c = 0; c < 4; c++)
      if ((status = hed__word_number(text, &w[c + 1], names[c], to[c])) != HED_OK)
        return status;
    double side = 0;
    if (hand > 7 && hand <= n && (status = hed__word_number(text, &w[hand - 1], "dfHand", &side)) != HED_OK)
      return status;
    const int sign = side < 0 ? -1 : side > 0;
    if (i > 0 && sign != t->handedness)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: dfHand is %g, and %d in the lines before", text->op, text->path, text->line,
                      side, t->handedness);
    t->handedness = sign;
  }
  return status;
}
