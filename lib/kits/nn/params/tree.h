// SPDX-License-Identifier: BSD-3-Clause
/* Trees of parameters: what the files of this room share. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_TREE_H
#define HED_KITS_NN_TREE_H
#include <heddle/kits/nn.h>
#include <stdatomic.h>

typedef struct hed__nn_entry {
  char *name;
  hed_array *x;     /* a reference */
  hed_nn_role role;
} hed__nn_entry;

typedef struct hed__nn_text {
  char *key, *value;
} hed__nn_text;

/* Entries in the order they came, and a table of their places by hashes of names: less than half of it is taken. */
struct hed_nn_params {
  atomic_int refs;
  int64_t n, room;
  hed__nn_entry *entry;
  int64_t slots;    /* a power of two */
  int64_t *slot;    /* a place, or -1 */
  int64_t texts;
  hed__nn_text *text;
};

/* Why NAME cannot be one of an array, or NULL. */
const char *hed__nn_bad_name(const char *name);
/* X under NAME, a reference, in role ROLE. */
hed_status hed__nn_enter(hed_nn_params *p, const char *op, const char *name, const hed_array *x, hed_nn_role role);
/* The part of NAME below PREFIX, or NULL; NAME itself for an empty PREFIX. */
const char *hed__nn_rest(const char *name, const char *prefix);

/* The two formats. */
hed_status hed__nn_save_safetensors(const hed_nn_params *p, const char *path);
hed_status hed__nn_load_safetensors(const char *path, hed_nn_params *p);
hed_status hed__nn_save_npz(const hed_nn_params *p, const char *path);
hed_status hed__nn_load_npz(const char *path, hed_nn_params *p);

#endif
