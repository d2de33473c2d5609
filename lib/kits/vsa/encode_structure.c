// SPDX-License-Identifier: BSD-3-Clause
/* Graphs, automata and trees.
 *
 * Layer: L4, vsa kit.
 */
#include "kits/vsa/encode.h"

static bool fit(const hed_vsa *v, const char *op, int n, const char *const *names, const hed_array *const *x)
{
  for (int k = 0; k < n; k++)
    if (!hed__vsa_fits(v, op, names[k], x[k]))
      return false;
  return true;
}

static bool commutes(const hed_vsa *v, const char *op)
{
  if (!(v->flags & HED_VSA_COMMUTATIVE))
    (void)hed_fail(HED_E_UNSUPPORTED, "%s: bind of %s is not commutative", op, hed_vsa_model_name((int)v->model));
  return v->flags & HED_VSA_COMMUTATIVE;
}

/* ---- graphs ---- */

hed_array *hed_vsa_graph(const hed_vsa *v, const hed_array *from, const hed_array *to, const hed_array *weights, bool directed)
{
  hed_array *out = NULL;
  if (!fit(v, "hed_vsa_graph", 2, (const char *const[]){ "from", "to" }, (const hed_array *const[]){ from, to }))
    return NULL;
  HED_SCOPE out = hed_keep(hed_vsa_bind_pairs(v, from, directed ? hed_vsa_permute(v, to, 1) : to, weights));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_graph_neighbours(const hed_vsa *v, const hed_array *graph, const hed_array *node, bool directed, bool incoming)
{
  hed_array *out = NULL;
  if (!fit(v, "hed_vsa_graph_neighbours", 2, (const char *const[]){ "graph", "node" }, (const hed_array *const[]){ graph, node }))
    return NULL;
  HED_SCOPE {
    hed_array *key = directed && incoming ? hed_vsa_permute(v, node, 1) : NULL;
    hed_array *found = key ? hed_vsa_unbind(v, graph, key) : hed_vsa_unbind_left(v, graph, node);
    out = hed_keep(directed && !incoming ? hed_vsa_permute(v, found, -1) : found);
  }
  return hed__vsa_out(out);
}

/* ---- automata ---- */

hed_array *hed_vsa_automaton(const hed_vsa *v, const hed_array *token, const hed_array *from, const hed_array *to)
{
  static const char *const op = "hed_vsa_automaton", *const names[] = { "token", "from", "to" };
  hed_array *out = NULL;
  if (!fit(v, op, 3, names, (const hed_array *const[]){ token, from, to }) || !commutes(v, op))
    return NULL;
  HED_SCOPE out = hed_keep(hed_vsa_bind_pairs(v, hed_vsa_bind(v, token, from), hed_vsa_permute(v, to, 1), NULL));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_automaton_next(const hed_vsa *v, const hed_array *automaton, const hed_array *token, const hed_array *from)
{
  static const char *const op = "hed_vsa_automaton_next", *const names[] = { "automaton", "token", "from" };
  hed_array *out = NULL;
  if (!fit(v, op, 3, names, (const hed_array *const[]){ automaton, token, from }) || !commutes(v, op))
    return NULL;
  HED_SCOPE out = hed_keep(hed_vsa_permute(v, hed_vsa_unbind(v, automaton, hed_vsa_bind(v, token, from)), -1));
  return hed__vsa_out(out);
}

/* ---- trees ---- */

/* bind of the steps of PATH. */
static hed_array *path_vector(const hed_vsa *v, const char *op, const char *path)
{
  hed_array *out = NULL;
  if (!path || !path[0]) {
    (void)hed_fail(HED_E_INVAL, "%s: a path is %s", op, path ? "empty" : "NULL");
    return NULL;
  }
  for (int64_t k = 0; path[k]; k++) {
    if (path[k] != 'l' && path[k] != 'r') {
      (void)hed_fail(HED_E_INVAL, "%s: step %lld of path '%.40s' is not 'l' or 'r'", op, (long long)k, path);
      return NULL;
    }
    hed_array *step = hed_vsa_permute(v, hed_vsa_symbol(v, path[k] == 'l' ? "left" : "right"), k);
    out = k ? hed_vsa_bind(v, out, step) : step;
    if (!out)
      return NULL;
  }
  return out;
}

hed_array *hed_vsa_tree(const hed_vsa *v, const hed_array *x, const char *const *paths)
{
  static const char *const op = "hed_vsa_tree";
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, op, "x", x) || !commutes(v, op))
    return NULL;
  const int64_t n = hed__vsa_batch(v, x) == 1 ? hed_array_shape(x).dim[0] : 0;
  if (n < 1 || n > INT32_MAX || !paths) {
    (void)hed_fail(HED_E_INVAL, "%s: x has %lld leaves%s", op, (long long)n, paths ? "" : " and paths are NULL");
    return NULL;
  }
  HED_SCOPE {
    hed_array *keys = hed_empty(hed__vsa_joined(HED_SHAPE(n), v->shape), v->dtype);
    hed_status status = keys ? HED_OK : hed_error();
    for (int64_t k = 0; k < n && status == HED_OK; k++) {
      hed_array *key = path_vector(v, op, paths[k]);
      status = key ? hed_copy_into(hed_index(keys, 0, k), key) : hed_error();
    }
    out = status == HED_OK ? hed_keep(hed_vsa_bind_pairs(v, keys, x, NULL)) : NULL;
  }
  return hed__vsa_out(out);
}

hed_array *hed_vsa_tree_leaf(const hed_vsa *v, const hed_array *tree, const char *path)
{
  static const char *const op = "hed_vsa_tree_leaf";
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, op, "tree", tree) || !commutes(v, op))
    return NULL;
  HED_SCOPE {
    hed_array *key = path_vector(v, op, path);
    out = key ? hed_keep(hed_vsa_unbind(v, tree, key)) : NULL;
  }
  return hed__vsa_out(out);
}
