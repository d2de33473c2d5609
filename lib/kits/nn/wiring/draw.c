// SPDX-License-Identifier: BSD-3-Clause
/* A picture of a wiring.
 *
 * Layer: L4, nn kit. Columns: inputs, then neurons by their layers.
 */
#include "kits/nn/svg.h"
#include "kits/nn/wiring/wiring.h"
#include <stdio.h>
#include <stdlib.h>

static const char op[] = "hed_nn_wiring_draw";
enum { ACROSS = 180, DOWN = 26, MARGIN = 60, RADIUS = 8 };

typedef struct point {
  double x, y;
} point;

/* Column of a neuron, after that of the inputs. */
static int64_t column(const hed_nn_wiring *w, int64_t k) { return 1 + (w->layer[k] > 0 ? w->layer[k] : 0); }

/* Places of inputs, then of neurons; each column is centred. COUNTS has room for all columns, twice. */
static void lay_out(const hed_nn_wiring *w, int64_t columns, int64_t *counts, point *at, int64_t most)
{
  int64_t *used = counts + columns;
  for (int64_t k = 0; k < w->inputs + w->units; k++) {
    const int64_t c = k < w->inputs ? 0 : column(w, k - w->inputs);
    at[k].x = MARGIN + (double)(ACROSS * c);
    at[k].y = MARGIN + DOWN * ((double)(most - counts[c]) / 2 + (double)used[c]++);
  }
}

static void synapse(hed_file *f, point from, point to, int polarity)
{
  const char *colour = polarity > 0 ? "#1f6fb4" : "#c2571a", *dashes = polarity > 0 ? NULL : "4 3";
  if (from.x == to.x && from.y == to.y)
    hed__svg_circle(f, to.x + RADIUS, to.y - RADIUS, RADIUS / 2.0, "none", colour);
  else
    hed__svg_line(f, from.x, from.y, to.x, to.y, colour, dashes);
}

static void draw(hed_file *f, const hed_nn_wiring *w, int64_t columns, const point *at, int64_t most)
{
  static const char *const fill[] = { "#e8e8e8", "#ffe9a8", "#bfe3c0" };
  const point *neuron = at + w->inputs;
  char text[24];
  hed__svg_begin(f, (int)(2 * MARGIN + ACROSS * (columns - 1)), (int)(2 * MARGIN + DOWN * most));
  for (int64_t i = 0; i < w->inputs; i++)
    for (int64_t k = 0; k < w->units; k++)
      if (*hed__wiring_from(w, i, k))
        synapse(f, at[i], neuron[k], *hed__wiring_from(w, i, k));
  for (int64_t i = 0; i < w->units; i++)
    for (int64_t k = 0; k < w->units; k++)
      if (*hed__wiring_at(w, i, k))
        synapse(f, neuron[i], neuron[k], *hed__wiring_at(w, i, k));
  for (int64_t i = 0; i < w->inputs; i++)
    hed__svg_circle(f, at[i].x, at[i].y, RADIUS, "#ffffff", "#000000");
  for (int64_t k = 0; k < w->units; k++) {
    hed__svg_circle(f, neuron[k].x, neuron[k].y, RADIUS, fill[w->type[k]], "#000000");
    (void)snprintf(text, sizeof text, "%lld", (long long)k);
    hed__svg_text(f, neuron[k].x, neuron[k].y + 4, "middle", text);
  }
  hed__svg_text(f, MARGIN, MARGIN / 2.0, "middle", "inputs");
  for (int64_t c = 1; c < columns; c++)
    for (int64_t k = 0; k < w->units; k++)
      if (column(w, k) == c) {   /* the first one's kind stands for the column's */
        hed__svg_text(f, neuron[k].x, MARGIN / 2.0, "middle", hed_nn_neuron_name(w->type[k]));
        break;
      }
  hed__svg_end(f);
}

hed_status hed_nn_wiring_draw(const hed_nn_wiring *w, const char *path)
{
  if (!w || !path)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, w ? "path" : "the wiring");
  if (!hed__nn_ends(path, ".svg"))
    return hed_fail(HED_E_INVAL, "%s: \"%.100s\" does not end in .svg", op, path);
  int64_t columns = 1, most = w->inputs;
  for (int64_t k = 0; k < w->units; k++)
    columns = column(w, k) >= columns ? column(w, k) + 1 : columns;
  point *at = hed__train_room(op, w->inputs + w->units, sizeof *at);
  int64_t *counts = hed__train_room(op, 2 * columns, sizeof *counts);
  hed_file *f = NULL;
  hed_status status = at && counts ? hed_file_create(op, path, &f) : hed_error();
  if (status == HED_OK) {
    counts[0] = w->inputs;
    for (int64_t k = 0; k < w->units; k++) {
      const int64_t c = column(w, k);
      most = ++counts[c] > most ? counts[c] : most;
    }
    lay_out(w, columns, counts, at, most);
    draw(f, w, columns, at, most);
    status = hed_file_close(f, HED_OK);
  }
  free(at);
  free(counts);
  return status;
}
