// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/vsa_memory.h: memories of hypervectors: item memory, clean-up, associative stores, classifiers, factors.
 *
 * Layer: public header of the vsa kit; needs <heddle/kits/vsa.h>.
 *
 * Conventions are those of vsa.h: the last axes of an array are a vector, what is before them a batch. Objects keep a reference to
 * their model. Whoever changes an object has it alone; any number of threads may read one that nobody changes.
 */
#ifndef HEDDLE_KITS_VSA_MEMORY_H
#define HEDDLE_KITS_VSA_MEMORY_H
#include <heddle/kits/vsa.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- item memory: vectors with names ---- */

typedef struct hed_vsa_items hed_vsa_items;

/* An empty one. *OUT is NULL on failure. Errors: HED_E_INVAL, HED_E_NOMEM. */
HED_API hed_status hed_vsa_items_create(hed_vsa *v, hed_vsa_items **out);
HED_API void hed_vsa_items_release(hed_vsa_items *s); /* NULL is fine */

/* Add N vectors X (n, ..) (or one, without the axis) under LABELS, UTF-8, not empty, each once; X NULL: the vectors of these names
 * (hed_vsa_symbols). All or, on failure, none. Errors: HED_E_INVAL (a label that is there already, or twice, by name), HED_E_SHAPE,
 * HED_E_DTYPE, HED_E_NOMEM. */
HED_API hed_status hed_vsa_items_add(hed_vsa_items *s, int n, const char *const *labels, const hed_array *x);

/* Take LABEL out; those behind it move up by one. HED_E_NOTFOUND. */
HED_API hed_status hed_vsa_items_remove(hed_vsa_items *s, const char *label);

HED_API int64_t hed_vsa_items_count(const hed_vsa_items *s);                    /* 0 for NULL               */
HED_API const char *hed_vsa_items_label(const hed_vsa_items *s, int64_t k);     /* NULL when out of range; valid until S changes */
HED_API int64_t hed_vsa_items_find(const hed_vsa_items *s, const char *label);  /* -1 when it is not there  */
HED_API hed_vsa *hed_vsa_items_model(const hed_vsa_items *s);                   /* borrowed; NULL for NULL  */

/* All vectors, (count, ..): a read-only view, valid until S changes; NULL with HED_E_INVAL when there are none. That of
 * LABEL: a copy, or NULL with HED_E_NOTFOUND. */
HED_NEW hed_array *hed_vsa_items_vectors(const hed_vsa_items *s);
HED_NEW hed_array *hed_vsa_items_get(const hed_vsa_items *s, const char *label);

/* The K items most similar to each vector of Q, best first, of equal ones the lower index: *INDEX int64 and *SIMILARITY,
 * both (batch of q, k). Where the similarity is below THRESHOLD (-INFINITY: nowhere) the index is -1. Not more than 64 MiB
 * of similarities are held at a time. Errors: HED_E_INVAL (K not in [1, count]), those of hed_vsa_similarity_matrix; both
 * are NULL then. */
HED_API hed_status hed_vsa_items_query(const hed_vsa_items *s, const hed_array *q, int64_t k, double threshold, hed_array **index,
                                       hed_array **similarity);

/* The vector of the most similar item for each of Q. */
HED_NEW hed_array *hed_vsa_items_clean(const hed_vsa_items *s, const hed_array *q);

/* To and from an .npz archive: "model" (the text of hed_vsa_by_name, as bytes), "format_version" 1, "dim", "seed", "matrix"
 * (count, ..) in the model's layout, "labels" (all labels one after the other, as bytes of UTF-8) and "label_ends" (where
 * each ends). V NULL: the model of the file; else the file's has to have the same vectors. Read is also what HoloVec 1.0 writes,
 * "format_version" 2, "matrix" and "labels" as NumPy's text: it names no model, V must, and the matrix, in the plain layout and of
 * any dtype that holds them, becomes V's vectors. Errors: HED_E_IO, HED_E_FORMAT, HED_E_UNAVAILABLE (no libzip), HED_E_SHAPE and
 * HED_E_DTYPE (another model), HED_E_INVAL (no model at all), HED_E_NOMEM. */
HED_API hed_status hed_vsa_items_save(const hed_vsa_items *s, const char *path);
HED_API hed_status hed_vsa_items_load(const char *path, hed_vsa *v, hed_vsa_items **out);

/* ---- clean-up ---- */

typedef enum hed_vsa_cleanup_kind {
  HED_VSA_NEAREST,  /* the most similar vector of the codebook                                                  */
  HED_VSA_HOPFIELD  /* x <- quantise(sum of softmax(beta similarity) c) until nothing changes
                       H. Ramsauer et al., Hopfield networks is all you need, arXiv:2008.02217 (2020)           */
} hed_vsa_cleanup_kind;

/* All zero is the default. */
typedef struct hed_vsa_cleanup_options {
  int32_t kind;
  double beta;            /* 0: 20                                                             */
  int64_t max_iterations; /* 0: 50                                                             */
} hed_vsa_cleanup_options;

/* Each vector of X in the light of CODEBOOK (n, ..), n at least 1. */
HED_NEW hed_array *hed_vsa_cleanup(const hed_vsa *v, const hed_array *codebook, const hed_array *x,
                                   const hed_vsa_cleanup_options *opt);

/* ---- sums that go on ---- */

/* Numbers that stand for vectors in sums, whatever the layout: what hed_vsa_quantise() takes, so that quantise(sum of
 * weights numbers) is the weighted bundle. MAP: -1 and 1; BSC: -1 for 0; BSDC: 0 and 1; BSDC_SEG: one-hots (.., S L); MCR
 * and CGR: phasors; else the vector itself. float32 or complex64, of double precision when the model is. */
HED_NEW hed_array *hed_vsa_numbers(const hed_vsa *v, const hed_array *x);

/* ---- associative store: values under keys ---- */

typedef enum hed_vsa_store_kind {
  HED_VSA_TRACE, /* one vector, the bundle of bind(value, key): its size does not grow, what comes back is noisy */
  HED_VSA_PAIRS  /* keys and values as they are; a key is found by similarity                                    */
} hed_vsa_store_kind;

typedef struct hed_vsa_store hed_vsa_store;

/* An empty one; *OUT is NULL on failure. HED_E_INVAL, HED_E_NOMEM. */
HED_API hed_status hed_vsa_store_create(hed_vsa *v, hed_vsa_store_kind kind, hed_vsa_store **out);
HED_API void hed_vsa_store_release(hed_vsa_store *s); /* NULL is fine */

/* Add VALUES under KEYS, both (n, ..) or one vector. */
HED_API hed_status hed_vsa_store_put(hed_vsa_store *s, const hed_array *keys, const hed_array *values);
/* Take them out again. TRACE: their products, with weight -1; PAIRS: those pairs of which key and value are equal to them. */
HED_API hed_status hed_vsa_store_forget(hed_vsa_store *s, const hed_array *keys, const hed_array *values);
/* What is under each of KEYS. TRACE: unbind of the trace; PAIRS: the value of the most similar key. HED_E_INVAL when nothing
 * was put. Clean it up with hed_vsa_cleanup() or hed_vsa_items_clean(). */
HED_NEW hed_array *hed_vsa_store_get(const hed_vsa_store *s, const hed_array *keys);
/* The trace as one vector; HED_E_UNSUPPORTED for PAIRS. */
HED_NEW hed_array *hed_vsa_store_trace(const hed_vsa_store *s);

/* ---- classifier: a prototype for each class ---- */

typedef struct hed_vsa_classifier hed_vsa_classifier;

/* All zero is the default. */
typedef struct hed_vsa_classifier_options {
  bool raw; /* compare with the sums themselves, by the cosine of hed_vsa_numbers(); false: with the sums quantised */
  bool online; /* retrain: by RATE times 1 - similarity, so that what is nearly right changes little (OnlineHD: A. Hernandez-Cano et
                  al., DATE 2021, 56-61); false: by RATE (AdaptHD: M. Imani et al., BioCAS 2019, 1-4) */
  double ridge; /* above 0: fit() takes in place of sums the read-out of least squares, X w near 1 for a vector's class and 0 for
                   others, with this times the sum of |w|^2; of that call's vectors alone. Scores are its values */
} hed_vsa_classifier_options;

/* One that knows nothing yet, of CLASSES of at least 1; *OUT is NULL on failure. HED_E_INVAL, HED_E_NOMEM. */
HED_API hed_status hed_vsa_classifier_create(hed_vsa *v, int64_t classes, const hed_vsa_classifier_options *opt,
                                             hed_vsa_classifier **out);
HED_API void hed_vsa_classifier_release(hed_vsa_classifier *c); /* NULL is fine */

/* Add X (n, ..) to the sums of their classes LABELS (n), integers in [0, classes). May go on at any time. HED_E_RANGE: elements that
 * vectors cannot have. */
HED_API hed_status hed_vsa_classifier_fit(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels);

/* EPOCHS times: add RATE times each vector that is taken for another class to its own, and take it from that other one; all vectors
 * of an epoch are compared with the prototypes at its beginning. HED_E_UNSUPPORTED with a ridge.
 * It ends where none is wrong; *WRONG (NULL: not wanted): how many were in the last epoch, before its changes. */
HED_API hed_status hed_vsa_classifier_retrain(hed_vsa_classifier *c, const hed_array *x, const hed_array *labels, int64_t epochs,
                                              double rate, int64_t *wrong);

/* Similarity of each vector of X to each prototype, (batch, classes). Of its class, the most similar one of those that have had
 * samples, the number, int64 (batch), the lowest of equals; HED_E_INVAL before any fit. */
HED_NEW hed_array *hed_vsa_classifier_scores(const hed_vsa_classifier *c, const hed_array *x);
HED_NEW hed_array *hed_vsa_classifier_predict(const hed_vsa_classifier *c, const hed_array *x);

/* The prototypes as vectors, (classes, ..), and as sums. */
HED_NEW hed_array *hed_vsa_classifier_prototypes(const hed_vsa_classifier *c);
HED_NEW hed_array *hed_vsa_classifier_sums(const hed_vsa_classifier *c);

/* ---- resonator: the factors of bound vectors ---- */

typedef enum hed_vsa_activation {
  HED_VSA_LINEAR, HED_VSA_SOFTMAX /* of beta times the similarity */, HED_VSA_RELU,
  HED_VSA_TOP_K     /* the K largest, others 0            */,
  HED_VSA_THRESHOLD /* those above threshold, others 0    */
} hed_vsa_activation;

/* All zero is the default. */
typedef struct hed_vsa_resonator_options {
  int32_t activation;
  double beta;             /* SOFTMAX; 0: 250                                                                          */
  int64_t top_k;           /* TOP_K; 0: 1                                                                              */
  double threshold;        /* THRESHOLD                                                                                */
  bool synchronous;        /* all factors at once; false: each with what those before it have become                   */
  int64_t max_iterations;  /* of one start; 0: 200                                                                     */
  int64_t restarts;        /* at most, from random sums, for vectors  that end in a cycle of up to 4 steps, nowhere, or  */
  double least_fit;        /* at items whose product is less similar to the vector than this; 0: at any                */
  hed_random random;       /* of those starts                                                                          */
  const hed_array *const *initial; /* one array per factor, (..) or (batch, ..); NULL: the bundle of each codebook     */
  const int *cancel;       /* read between iterations; nonzero: HED_E_CANCELLED. NULL: never                           */
  int (*progress)(void *arg, int64_t done, int64_t total); /* vectors whose search has ended; nonzero: HED_E_CANCELLED */
  void *progress_arg;
} hed_vsa_resonator_options;

/* All zero is an empty one; hed_vsa_factors_clear() releases what it owns. Batch is that of the vectors. */
typedef struct hed_vsa_factors {
  hed_array *index;      /* int64 (batch, n): of each factor's most similar item                         */
  hed_array *similarity; /* (batch, n): that similarity                                                  */
  hed_array *confidence; /* (batch, n): less that of the second; of one item alone the similarity itself */
  hed_array *fit;        /* (batch): similarity of the vector to the product of those items              */
  hed_array *iterations; /* int64 (batch): of all starts                                                 */
  hed_array *starts;     /* int64 (batch)                                                                */
  hed_array *converged;  /* bool (batch): did the estimates repeat?                                      */
} hed_vsa_factors;

/* Factors of each vector of S, each a product bind(bind(c_0, c_1), ..) of one item from each of N codebooks (items, ..), 2
 * <= N <= 16. Every estimate in turn becomes quantise(sum of phi(similarity of what the others leave) c). Where all
 * codebooks are one array and the model is commutative, the order of factors is not defined: they are sorted by index. Items
 * of MAP and BSC count by the absolute value of their (cosine) similarity, as an even number of factors may come out
 * negated. Vectors that have ended are not computed on. Sums of MAP and BSC are of whole numbers and exact (but for SOFTMAX):
 * there each of many vectors has the outcome that it has alone, on every backend. Those of other models are rounded, and near
 * the most that a dimension can hold a search may end elsewhere. On failure *OUT is all zero. E. P. Frady, S. J. Kent, B. A.
 * Olshausen, F. T. Sommer, Neural Computation 32 (2020) 2311-2331. Errors: HED_E_INVAL, HED_E_SHAPE, HED_E_DTYPE,
 * HED_E_UNSUPPORTED (no unbinding: BSDC CDT and SHIFT, VTB_SHIFT), HED_E_CANCELLED, HED_E_NOMEM. */
HED_API hed_status hed_vsa_resonate(const hed_vsa *v, const hed_array *s, int n, const hed_array *const *codebooks,
                                    const hed_vsa_resonator_options *opt, hed_vsa_factors *out);

/* Release what F owns and set it to all zero. NULL is fine. */
HED_API void hed_vsa_factors_clear(hed_vsa_factors *f);

/* ---- sparse distributed memory ---- */

typedef struct hed_vsa_sdm hed_vsa_sdm;

/* LOCATIONS random addresses; data go to, and come from, those within RADIUS (places that differ) of an address. MAP and BSC.
 * P. Kanerva, Sparse Distributed Memory, MIT Press (1988). */
HED_API hed_status hed_vsa_sdm_create(hed_vsa *v, int64_t locations, int64_t radius, hed_vsa_sdm **out);
HED_API void hed_vsa_sdm_release(hed_vsa_sdm *m); /* NULL is fine */
/* Both (n, ..) or one vector. */
HED_API hed_status hed_vsa_sdm_write(hed_vsa_sdm *m, const hed_array *addresses, const hed_array *data);
/* The majority of what lies there; ties, and addresses without any location: the tie vector. */
HED_NEW hed_array *hed_vsa_sdm_read(const hed_vsa_sdm *m, const hed_array *addresses);

#ifdef __cplusplus
}
#endif
#endif
