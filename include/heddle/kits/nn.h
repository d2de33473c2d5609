// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/nn.h: neural networks for time series: parameters.
 *
 * Layer: public header of the nn kit. Cells, sequences and layers are in <heddle/kits/nn_cells.h> and <heddle/kits/nn_layers.h>.
 *
 * Everything is made of public operations: it runs on the backend in force, and in a recording (<heddle/grad.h>) it has a gradient.
 * Parameters live in trees of named arrays, which functions of cells and layers read under a prefix:
 *
 *   HED_RECORD HED_SCOPE {
 *     hed_nn_params *v, *g;
 *     hed_nn_params_variables(p, &v);                   p's arrays as variables
 *     hed_array *loss = hed_mse(hed_nn_linear(v, "out", x), target, NULL);
 *     hed_nn_params_grad(loss, v, &g);                  a tree of gradients, of the same names
 *     ...
 *   }
 *
 * Options structs are all zero by default. Whoever changes a tree has it alone; any number of threads may read one that nobody
 * changes.
 */
#ifndef HEDDLE_KITS_NN_H
#define HEDDLE_KITS_NN_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- trees of parameters ---- */

typedef struct hed_nn_params hed_nn_params;

typedef enum hed_nn_role {
  HED_NN_LEARNT,  /* by gradients                                                            */
  HED_NN_FROZEN,  /* a parameter that stays as it is                                         */
  HED_NN_BUFFER   /* no parameter, but part of the model: running statistics, counts, masks  */
} hed_nn_role;

/* An empty tree. *OUT is NULL on failure. Errors: HED_E_INVAL, HED_E_NOMEM. */
HED_API hed_status hed_nn_params_create(hed_nn_params **out);
HED_API hed_nn_params *hed_nn_params_retain(hed_nn_params *p);  /* another reference; returns P */
HED_API void hed_nn_params_release(hed_nn_params *p);           /* NULL is fine                 */

/* How many arrays P has (NULL: 0); the name of that at place K, in the order they came, NULL when out of range, valid until P changes;
 * the place of NAME, -1 when it is not there. */
HED_API int64_t hed_nn_params_count(const hed_nn_params *p);
HED_API const char *hed_nn_params_name(const hed_nn_params *p, int64_t k);
HED_API int64_t hed_nn_params_find(const hed_nn_params *p, const char *name);

/* The array NAME, or that at place K: the tree's own, not to be released (hed_retain() it), valid until another one is put in its
 * place. HED_E_NOTFOUND lists names that there are; HED_E_INVAL. */
HED_API hed_array *hed_nn_params_get(const hed_nn_params *p, const char *name);
HED_API hed_array *hed_nn_params_at(const hed_nn_params *p, int64_t k);

/* Put X under NAME, in the place of what is there (whose role stays) or at the end: a reference, not a copy. NAME is UTF-8, parts
 * joined by dots as in PyTorch's state_dict ("rnn.weight_ih_l0"), without control characters, '/' and '\', an empty part, or
 * "__metadata__" as the first. A new array that is not float or complex is a BUFFER. Errors: HED_E_INVAL, HED_E_NOMEM; P is as it
 * was then. */
HED_API hed_status hed_nn_params_set(hed_nn_params *p, const char *name, const hed_array *x);
/* Take NAME out; those behind it move up by one. HED_E_NOTFOUND. */
HED_API hed_status hed_nn_params_remove(hed_nn_params *p, const char *name);

/* The role of the array at K (BUFFER when out of range); give one to all below PREFIX, or to that of this very name; NULL: all.
 * HED_E_NOTFOUND: there is none; HED_E_DTYPE: an array that is neither float nor complex is to be learnt. */
HED_API hed_nn_role hed_nn_params_role(const hed_nn_params *p, int64_t k);
HED_API hed_status hed_nn_params_set_role(hed_nn_params *p, const char *prefix, hed_nn_role role);

/* How many numbers arrays of ROLE have together. */
HED_API int64_t hed_nn_params_size(const hed_nn_params *p, hed_nn_role role);

/* A short text that goes along with the arrays into files ("format", a wiring's name): KEY and VALUE are UTF-8; VALUE NULL takes it
 * out. The other way NULL when there is none; valid until P changes. hed_nn_params_key: the key of text K, NULL when out of range. */
HED_API hed_status hed_nn_params_set_text(hed_nn_params *p, const char *key, const char *value);
HED_API const char *hed_nn_params_text(const hed_nn_params *p, const char *key);
HED_API const char *hed_nn_params_key(const hed_nn_params *p, int64_t k);

/* A tree of those below PREFIX under the rest of their names, and the other way round: all of Q into P, below PREFIX (NULL or "": as
 * they are called). References, not copies. hed_nn_params_merge: HED_E_INVAL when a name is there already; P is as it was then. */
HED_API hed_status hed_nn_params_below(const hed_nn_params *p, const char *prefix, hed_nn_params **out);
HED_API hed_status hed_nn_params_merge(hed_nn_params *p, const char *prefix, const hed_nn_params *q);

/* A tree of copies, of dtype T where they are float (NULL: as they are). */
HED_API hed_status hed_nn_params_copy(const hed_nn_params *p, hed_dtype t, hed_nn_params **out);

/* ---- between trees ---- */

/* What keeps the values of FROM from being put into P: names that are missing, too many, or of another shape or kind of dtype. Returns
 * how many there are, and writes them into TEXT, a line each, as snprintf() does; *NEEDED (NULL: not wanted): bytes of all lines with
 * the final 0. */
HED_API int64_t hed_nn_params_differ(const hed_nn_params *p, const hed_nn_params *from, char *text, size_t size, size_t *needed);

/* Write the values of FROM into the arrays of P, which has the same names and shapes: float dtypes and memory spaces may be others.
 * HED_E_SHAPE begins with the number of differences and has as many of them as a sentence holds; hed_nn_params_differ() has all. Also
 * HED_E_INVAL (NULL, read-only), HED_E_NOMEM. P is as it was then. */
HED_API hed_status hed_nn_params_assign(hed_nn_params *p, const hed_nn_params *from);

/* ---- gradients ---- */

/* P's arrays for the open recording: those that are learnt as variables (hed_variable), others as they are. The calling thread's,
 * to be released before the recording ends or after. Errors: as of hed_variable. */
HED_API hed_status hed_nn_params_variables(const hed_nn_params *p, hed_nn_params **out);

/* The gradient of Y, one real number, by all arrays of V that are learnt, under their names. Errors: as of hed_grad; *OUT is NULL
 * then. */
HED_API hed_status hed_nn_params_grad(const hed_array *y, const hed_nn_params *v, hed_nn_params **out);

/* ---- files ---- */

/* To and from a file, by the end of its name: ".safetensors" (a header of JSON, then raw little-endian data; float16 and bfloat16 as
 * they are) or ".npz" (NumPy's; bfloat16 as float32, which holds it exactly; texts as arrays of bytes "__metadata__.KEY"). Names are
 * those of PyTorch's state_dict, so that weights pass both ways. Written as hed_file_create() writes: whole or not at all.
 * Loaded arrays are in the current context's space, those that are float or complex LEARNT. A file is believed in nothing: lengths are
 * compared with its size before memory is taken, and ranges of arrays have to follow each other without overlap and gap.
 * Errors: HED_E_IO, HED_E_FORMAT, HED_E_DTYPE (a type that the format, or Heddle, does not have), HED_E_UNAVAILABLE (no libzip),
 * HED_E_INVAL (another end), HED_E_NOMEM; *OUT is NULL then. */
HED_API hed_status hed_nn_params_save(const hed_nn_params *p, const char *path);
HED_API hed_status hed_nn_params_load(const char *path, hed_nn_params **out);

#ifdef __cplusplus
}
#endif
#endif
