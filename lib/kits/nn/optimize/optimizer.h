// SPDX-License-Identifier: BSD-3-Clause
/* What an optimiser is made of.
 *
 * Layer: L4, nn kit, internal. rules.c has a function for each rule, optimizer.c the object, optimizer_file.c its archive.
 */
#ifndef HED_KITS_NN_OPTIMIZER_H
#define HED_KITS_NN_OPTIMIZER_H
#include "kits/nn/lists.h"
#include <heddle/kits/nn_optimize.h>

enum { HED__NN_SLOTS = 3, HED__NN_NAME = 40 };

typedef struct hed__nn_group {
  hed_nn_optimizer_options o; /* every default filled in */
  hed_array *rate;
  char name[HED__NN_NAME];
} hed__nn_group;

/* Factors of a group at a step, without axes, in the widest type: each rule has its own. */
typedef struct hed__nn_factors {
  const hed_array *rate, *keep, *eps, *first;
} hed__nn_factors;

typedef struct hed__nn_param {
  hed_array *w;      /* the caller's                                   */
  hed_array *master; /* float32, of a 16-bit W, else NULL              */
  hed_array *slot[HED__NN_SLOTS];
  char name[HED__NN_SLOTS + 1][HED__NN_NAME]; /* the master's is the last */
  int group;
} hed__nn_param;

struct hed_nn_optimizer {
  int n, groups;
  hed__nn_param *p;
  hed__nn_group *g;
  hed_array *steps;
};

/* optimizer.c: array K of the state, borrowed, and its name (NULL: not wanted); NULL when there is none, and no error is set. */
hed_array *hed__nn_state_of(const hed_nn_optimizer *s, int k, const char **name);

/* rules.c */
typedef struct hed__nn_rule {
  double rate, beta2, eps, weight_decay;              /* defaults              */
  const char *(*slot)(const hed_nn_optimizer_options *o, int k); /* its name, NULL: none */
  hed__nn_factors (*factors)(const hed__nn_group *g, const hed_array *t);
  /* W and the slots of P, along G, in their type */
  hed_status (*step)(const hed__nn_param *p, hed_array *w, const hed_array *g, const hed_nn_optimizer_options *o,
                     const hed__nn_factors *f);
} hed__nn_rule;
extern const hed__nn_rule hed__nn_rules[HED_NN_RULES];

#endif
