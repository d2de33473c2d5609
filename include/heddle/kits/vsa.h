// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/vsa.h: hyperdimensional computing (vector symbolic architectures): models and their arithmetic.
 *
 * Layer: public header of the vsa kit; needs nothing but <heddle.h>.
 *
 * A model says what a hypervector is and how three operations work on it: bind makes one vector of two, that resembles
 * neither; bundle makes one of many, that resembles each; permute moves its elements round. A hed_vsa is such a model with
 * its dimension, its layout in memory and its seed. Encoders are in vsa_encode.h, memories in vsa_memory.h.
 *
 * Models, D the dimension, h the number of places that differ
 *   MAP       -1 and 1, int8; bind a b, bundle the sign of the sum, cosine
 *             CONTINUOUS: real numbers, sums stay sums; CLIPPED: they are limited to [-1, 1]
 *             R. W. Gayler, Advances in Analogy Research (1998)
 *   HRR       real; bind the circular convolution, unbind the circular correlation, bundle the sum of norm 1, cosine
 *             T. A. Plate, IEEE Trans. Neural Networks 6 (1995) 623-641
 *   FHRR      complex numbers of modulus 1; bind a b, unbind c conj(b), bundle the sum over its modulus, Re sum(a conj(b)) / D
 *             T. A. Plate, Holographic Reduced Representations, CSLI (2003)
 *   BSC       0 and 1; bind a xor b, bundle the majority, 1 - h / D
 *             P. Kanerva, Proc. RWC Symposium (1997); binary spatter code
 *   BSDC      0 and 1, k of them 1, k = round(sparsity D); bind a xor b, or CDT or SHIFT; bundle the k places with most ones;
 *             overlap over the lesser number of ones
 *             D. A. Rachkovskij, IEEE Trans. Knowledge Data Eng. 13 (2001) 261-276
 *   BSDC_SEG  one 1 in each of S segments of L places, stored as its index; bind (a + b) mod L, bundle the index with most votes,
 *             equal segments over S. XOR: one-hot segments, bound by xor
 *             M. Laiho et al., IEEE Biomedical Circuits and Systems Conf. (2015)
 *   GHRR      D unitary m x m matrices; bind the products a b, unbind c b^H (unbind_left a^H c), bundle the unitary polar factor
 *             of the sum, Re sum tr(a b^H) / (m D)
 *             C. Yeung, Z. Zou, M. Imani, arXiv:2405.09689 (2024)
 *   VTB       real, D = d^2; bind: sqrt(d) times the d x d matrix of b applied to each block of d elements of a; bundle and
 *             similarity as HRR
 *             J. Gosmann, C. Eliasmith, Neural Computation 31 (2019) 849-869
 *   VTB_SHIFT real; bind: a mean of rolled copies of b by a softmax over a's products with four fixed vectors, of norm 1.
 *             The model that HoloVec 1.0 calls VTB, for exchange
 *   MCR       integers below m, phases in m steps; bind (a + b) mod m, bundle the phase of the sum of phasors, rounded,
 *             sum(cos(2 pi (a - b) / m)) / D
 *   CGR       the same with the most frequent value as the bundle, equal places over D
 *
 * Arrays. The last axes of an array are a vector (one, for GHRR three: D, m, m), those before it a batch; batches broadcast. The
 * dtype is that of hed_vsa_info, else HED_E_DTYPE: hed_vsa_quantise() makes vectors of other numbers. Extents that are not the
 * model's are HED_E_SHAPE, empty batches give empty results, nothing to bundle is HED_E_INVAL. Results are new arrays of the
 * caller's, NULL with the error set on failure. Numbers that are not finite give what arithmetic makes of them.
 *
 * Packed layout (MAP, BSC, BSDC): an element a bit, element i is bit i mod 64 of word i / 64, uint64, what is left of the last
 * word 0. A 1 of BSC and BSDC is a 1, a 1 of MAP is a 0 and its -1 a 1, so that bind is xor. All functions work on the words;
 * their results are those of the plain layout, packed.
 *
 * Random vectors. Vector k of a seed depends on the seed, k and the model only: not on the backend, the number of threads or
 * how many are drawn at once; and the packed vectors of a seed are the plain ones, packed. Real ones are computed in float64 and
 * rounded once.
 *
 * Ties. Where a bundle has no majority its element is that of the tie vector, a random vector of the model's seed; of MAP, BSC,
 * BSDC_SEG (one index a segment) and CGR bound to the product of all members, moved on by a place: the result does not depend on
 * order, a bundle of two is no copy of one, and bundles of other vectors do not resemble each other by it. hed_vsa_bundle_with()
 * takes another tie vector, as it is.
 *
 * Adding one by one. bundle of [all so far, new] halves what earlier vectors count for with each step, as it is a vector again that
 * is added to. Vectors that are to count alike are bundled at once, with weights where some count more, or are counted: a memory of
 * hed_vsa_store_create() and a class of hed_vsa_classifier_fit() keep sums of numbers. The cosine of a sum of n to each is then about
 * sqrt(2 / (pi n)) for signs, 1 / sqrt(n) for sums.
 *
 * Thread-safety: a hed_vsa does not change once it is made; any number of threads may use it.
 */
#ifndef HEDDLE_KITS_VSA_H
#define HEDDLE_KITS_VSA_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hed_vsa_model {
  HED_VSA_MAP, HED_VSA_HRR, HED_VSA_FHRR, HED_VSA_BSC, HED_VSA_BSDC, HED_VSA_BSDC_SEG, HED_VSA_GHRR, HED_VSA_VTB,
  HED_VSA_VTB_SHIFT, HED_VSA_MCR, HED_VSA_CGR
} hed_vsa_model;

typedef enum hed_vsa_variant {
  HED_VSA_STANDARD,
  HED_VSA_CONTINUOUS, /* MAP: uniform in (-1, 1), bundles are sums           */
  HED_VSA_CLIPPED,    /* MAP: the same, bundles limited to [-1, 1]           */
  HED_VSA_RAW_SUM,    /* HRR, VTB, VTB_SHIFT: bundles are sums, of any norm  */
  HED_VSA_CDT,        /* BSDC: bind by context-dependent thinning            */
  HED_VSA_SHIFT,      /* BSDC: bind rolls a by the sum of the places of b's ones */
  HED_VSA_XOR         /* BSDC_SEG: one-hot segments, bound by xor: what HoloVec 1.0 does */
} hed_vsa_variant;

typedef enum hed_vsa_layout {
  HED_VSA_PLAIN,   /* an element each; BSDC_SEG: the index of each segment */
  HED_VSA_PACKED   /* MAP, BSC, BSDC: a bit each                           */
} hed_vsa_layout;

typedef enum hed_vsa_inverse {
  HED_VSA_INVOLUTION, /* HRR: unbind by correlation                                                    */
  HED_VSA_EXACT,      /* HRR: by the quotient of spectra; HED_E_SINGULAR when b's least modulus is below 1e-6 of its largest */
  HED_VSA_UNITARY     /* HRR: by correlation; random vectors have a spectrum of modulus 1, for which that is exact */
} hed_vsa_inverse;

typedef enum hed_vsa_tie {
  HED_VSA_TIE_VECTOR, /* the element of the tie vector                               */
  HED_VSA_TIE_FIRST,  /* that of the first vector of the bundle: HoloVec's MAP       */
  HED_VSA_TIE_ONE     /* 1: HoloVec's BSC                                            */
} hed_vsa_tie;

typedef enum hed_vsa_measure {
  HED_VSA_DEFAULT,    /* as the model's row above says                               */
  HED_VSA_HAMMING,    /* MAP, BSC, BSDC: 1 - h / D                                   */
  HED_VSA_COSINE      /* BSC: 1 - 2 h / D; MAP: its own                              */
} hed_vsa_measure;

/* All zero is the default. What a model does not have must be 0. */
typedef struct hed_vsa_options {
  int64_t dim;        /* D; 0: 10000, GHRR 1000. VTB: a square. BSDC_SEG: segments times block                        */
  int32_t variant, layout, inverse, tie, similarity; /* the enums above                                             */
  double sparsity;    /* BSDC: share of ones, in (0, 1/2]; 0: 1 / sqrt(D)                                           */
  bool bernoulli;     /* BSDC: each place of a random vector is 1 by itself; false: exactly k are                   */
  bool majority;      /* BSDC: a bundle has the majority, whatever its number of ones; false: the k places with most    */
  int64_t segments;   /* BSDC_SEG: S; 0: D / block, or the root of D                                                */
  int64_t block;      /* BSDC_SEG: L, at most 65536; GHRR: m, at most 64, 0: 3; MCR, CGR: the modulus, 0: 64        */
  double diagonality; /* GHRR: in [0, 1), how near random factors Q are to the identity; 0: Haar distributed        */
  hed_dtype dtype;    /* NULL: the model's. MAP: int8, float32, float64; BSC, BSDC: bool, uint8; real and complex models: either
                         precision                                                                                  */
  uint64_t seed;      /* of the tie vector, of permutations, of named vectors                                       */
} hed_vsa_options;

typedef struct hed_vsa hed_vsa;

/* What the arithmetic of a model keeps. */
typedef enum hed_vsa_flag {
  HED_VSA_COMMUTATIVE = 1,   /* bind(a, b) = bind(b, a)                               */
  HED_VSA_ASSOCIATIVE = 2,   /* bind(bind(a, b), c) = bind(a, bind(b, c))             */
  HED_VSA_SELF_INVERSE = 4,  /* unbind is bind                                        */
  HED_VSA_EXACT_INVERSE = 8, /* unbind(bind(a, b), b) = a, of random vectors          */
  HED_VSA_UNIT_NORM = 16,    /* the results of bundle have a fixed norm               */
  HED_VSA_PACKABLE = 32,     /* has a packed layout                                   */
  HED_VSA_BIPOLAR_BITS = 64, /* two values per element, as packed bits                */
  HED_VSA_HAS_IDENTITY = 128 /* hed_vsa_identity() has an answer                      */
} hed_vsa_flag;

typedef struct hed_vsa_info {
  uint32_t struct_size;  /* set before the call                                       */
  int32_t model;         /* hed_vsa_model                                             */
  const char *name;      /* of the model; static                                      */
  uint32_t flags;        /* hed_vsa_flag                                              */
  hed_shape shape;       /* of one vector as it is stored: (D), (words), (S), (D, m, m) */
  hed_dtype dtype;       /* of its elements as they are stored                        */
  hed_vsa_options options; /* with every default filled in                            */
  int64_t ones;          /* BSDC: k; else 0                                           */
} hed_vsa_info;

/* ---- models ---- */

/* Name of model M in lower case ("map", "bsdc_seg"); NULL when there is none. Static. */
HED_API const char *hed_vsa_model_name(int m);

/* A model with OPT (NULL: the defaults); hed_vsa_release() releases it. *OUT is NULL on failure.
 * Errors: HED_E_INVAL (no such model, an option that the model does not have or a value out of range), HED_E_SHAPE (a dimension
 * that the model cannot have, named with its neighbours that it can), HED_E_DTYPE, HED_E_UNSUPPORTED (packed layout of a model
 * that is not binary), HED_E_NOMEM. */
HED_API hed_status hed_vsa_create(hed_vsa_model m, const hed_vsa_options *opt, hed_vsa **out);

/* The same from text, in any case: the model's name, then ";key=value" for fields of hed_vsa_options, enums by their names in lower
 * case: "fhrr;dim=10000;seed=7", "bsc;layout=packed", "hrr;inverse=unitary;dtype=float64". Errors also: HED_E_NOTFOUND. */
HED_API hed_status hed_vsa_by_name(const char *spec, hed_vsa **out);

/* One more reference; returns V. NULL is fine in both. */
HED_API hed_vsa *hed_vsa_retain(hed_vsa *v);
HED_API void hed_vsa_release(hed_vsa *v);

/* What V is. HED_E_INVAL: NULL, or struct_size not set. */
HED_API hed_status hed_vsa_info_of(const hed_vsa *v, hed_vsa_info *out);

/* Whether all of X, in V's layout and dtype, are values that vectors of V have: HED_E_RANGE with the first place where not. MAP -1
 * and 1, BSC and BSDC 0 and 1 (packed: no bit behind the dimension), indices below the block, numbers below the modulus, finite
 * numbers. One pass over X; functions of this header take it for granted, memories, classifiers and resonators do this to what they
 * are given. */
HED_API hed_status hed_vsa_check_vectors(const hed_vsa *v, const hed_array *x);

/* ---- vectors ---- */

/* BATCH (NULL: one vector) random vectors: numbers 0, 1, .. in C order of the sequence that R chooses, which takes one draw of the
 * context's stream (R NULL) or of R's generator; low, high, mean and std of R are not used. */
HED_NEW hed_array *hed_vsa_random(const hed_vsa *v, const hed_shape *batch, const hed_random *r);

/* Numbers FIRST to FIRST + N - 1 of that sequence, (n, ..). */
HED_NEW hed_array *hed_vsa_random_from(const hed_vsa *v, int64_t first, int64_t n, const hed_random *r);

/* The vectors of N names, (n, ..): a name's vector depends on the model's seed and the bytes of the name only, by their 64-bit
 * FNV-1a hash. */
HED_NEW hed_array *hed_vsa_symbols(const hed_vsa *v, int n, const char *const *names);
HED_NEW hed_array *hed_vsa_symbol(const hed_vsa *v, const char *name);

/* The vector that bind leaves others alone with; HED_E_UNSUPPORTED for BSDC (but for xor), BSDC_SEG as one-hots, VTB, VTB_SHIFT. */
HED_NEW hed_array *hed_vsa_identity(const hed_vsa *v);

/* The tie vector. BSDC: int64, the rank of each place. */
HED_NEW hed_array *hed_vsa_tie_vector(const hed_vsa *v);

/* ---- arithmetic ---- */

/* The product of A and B, batches broadcast. */
HED_NEW hed_array *hed_vsa_bind(const hed_vsa *v, const hed_array *a, const hed_array *b);

/* What is bound to B in C: about a for C = bind(a, b). CDT: C itself. VTB_SHIFT, of which a cannot be had: as unbind_left. */
HED_NEW hed_array *hed_vsa_unbind(const hed_vsa *v, const hed_array *c, const hed_array *b);

/* About b for C = bind(a, b). That is unbind in commutative models; HED_E_UNSUPPORTED for BSDC SHIFT. */
HED_NEW hed_array *hed_vsa_unbind_left(const hed_vsa *v, const hed_array *c, const hed_array *a);

/* bind of all vectors along AXIS of the batch (negative: from the vector's first axis backwards), from the first. */
HED_NEW hed_array *hed_vsa_bind_all(const hed_vsa *v, const hed_array *x, int32_t axis);

/* The vector with bind(c, inverse(b)) = unbind(c, b); HED_E_UNSUPPORTED for CDT, SHIFT, VTB_SHIFT and VTB. */
HED_NEW hed_array *hed_vsa_inverse_of(const hed_vsa *v, const hed_array *x);

/* -x: in a bundle it takes x out. MAP, HRR, FHRR, VTB, VTB_SHIFT, GHRR; MAP packed: all bits turned; BSC likewise. Else
 * HED_E_UNSUPPORTED. */
HED_NEW hed_array *hed_vsa_negative(const hed_vsa *v, const hed_array *x);

/* Bundle of all vectors along AXIS of the batch (as in hed_vsa_bind_all). WEIGHTS: one per vector, of a real dtype and finite, NULL:
 * 1 each. HRR and VTB: a sum of norm 0 stays 0. */
HED_NEW hed_array *hed_vsa_bundle(const hed_vsa *v, const hed_array *x, int32_t axis, const hed_array *weights);

/* The same with TIE (a vector as hed_vsa_tie_vector() gives it, or a batch of such) in the tie vector's place; NULL: the model's. */
HED_NEW hed_array *hed_vsa_bundle_with(const hed_vsa *v, const hed_array *x, int32_t axis, const hed_array *weights,
                                       const hed_array *tie);

/* bundle over the last axis of the batch of bind(keys, values): (.., n, ..) to (.., ..). */
HED_NEW hed_array *hed_vsa_bind_pairs(const hed_vsa *v, const hed_array *keys, const hed_array *values,
                                      const hed_array *weights);

/* Element i goes to place i + k, round the end; of BSDC_SEG segments, of GHRR matrices. Bits of packed vectors count as elements. */
HED_NEW hed_array *hed_vsa_permute(const hed_vsa *v, const hed_array *x, int64_t k);

/* Element i of the result is element ORDER[i] of X; ORDER: integers, as many as there are elements. */
HED_NEW hed_array *hed_vsa_permute_by(const hed_vsa *v, const hed_array *x, const hed_array *order);

/* X as near as may be to what bundle would give of it: HRR, VTB, MAP CONTINUOUS: norm 1; FHRR: modulus 1; GHRR: the polar factor; the
 * others a copy. 0 stays 0, but FHRR and GHRR take the tie vector's element there. */
HED_NEW hed_array *hed_vsa_normalise(const hed_vsa *v, const hed_array *x);

/* Vectors of the model from numbers, one per element of the plain layout (GHRR: complex or real matrices; BSDC_SEG: as one-hots, (..,
 * S L)): MAP the sign, BSC whether above 0, BSDC the k largest above 0, BSDC_SEG the index of the largest in each segment, HRR and VTB
 * norm 1, FHRR modulus 1 of complex numbers and e^(i x) of real ones, MCR and CGR the nearest phase of complex numbers and round(x)
 * mod m of real ones. Zeros of MAP and BSC are ties (with tie FIRST the tie vector's: no vector is
 * the first here). The result is packed when the layout is. */
HED_NEW hed_array *hed_vsa_quantise(const hed_vsa *v, const hed_array *x);

/* x^p under bind. FHRR: any p, by the principal phase; HRR: the same of its spectrum (of elements 0 and D / 2, which are
 * real, the real part); GHRR of m = 1: any p; GHRR, MAP, BSC, BSDC, BSDC_SEG, MCR, CGR: whole p, else HED_E_INVAL. The others:
 * HED_E_UNSUPPORTED. */
HED_NEW hed_array *hed_vsa_power(const hed_vsa *v, const hed_array *x, double p);

/* ---- comparison: float32, or float64 for models in float64 ---- */

/* Of pairs, batches broadcast: the batch's shape. 0 where a vector that is divided by has norm 0. */
HED_NEW hed_array *hed_vsa_similarity(const hed_vsa *v, const hed_array *a, const hed_array *b);

/* Of every vector of Q with every one of X: batch of Q, then batch of X. */
HED_NEW hed_array *hed_vsa_similarity_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x);

/* ---- other layouts and models ---- */

/* From a plain layout to the packed one, and back: V may have either. */
HED_NEW hed_array *hed_vsa_pack(const hed_vsa *v, const hed_array *x);
HED_NEW hed_array *hed_vsa_unpack(const hed_vsa *v, const hed_array *x);

/* Vectors of V as those of TO, of equal dimension: MAP and BSC (1 is 0, -1 is 1) in any layout and dtype, FHRR and MCR (the nearest
 * phase), GHRR of m = 1 and FHRR, a model and itself in another layout or dtype. Else HED_E_UNSUPPORTED. */
HED_NEW hed_array *hed_vsa_convert(const hed_vsa *v, const hed_array *x, const hed_vsa *to);

/* Probability that a member of a bundle of N random vectors is nearer to it than each of the TOTAL - N others of a memory of TOTAL:
 *   integral of phi((t - s) / sqrt(r)) / sqrt(r) Phi(t)^(total - n) dt
 * s the mean similarity of a member and r its variance, in units of the deviation of an unrelated vector's similarity: with
 * a = sqrt(D) (FHRR: sqrt(2 D)) s = a / sqrt(n) and r = (n - 1) / n for sums, s = a c and r = 1 - c^2 for signs and majorities, whose
 * mean cosine is c = C(n - 1, (n - 1) / 2) / 2^(n - 1), n + 1 for n where n is even; s = a E|S| / n for phasors, S the sum of n
 * of them. NaN with the error set for models whose bundles have no such law (BSDC, BSDC_SEG, GHRR but for m = 1, VTB_SHIFT, MCR,
 * CGR) and for N < 1 or TOTAL < N. After E. P. Frady, D. Kleyko, F. T. Sommer, Neural Computation 30 (2018) 1449-1513. */
HED_API double hed_vsa_capacity(const hed_vsa *v, int64_t n, int64_t total);

/* The least dimension at which that is at least PROBABILITY, in (0, 1): of V's model, whatever V's own. -1 with the error set as
 * above, and where 2^31 - 1 are not enough. */
HED_API int64_t hed_vsa_capacity_dim(const hed_vsa *v, int64_t n, int64_t total, double probability);

#ifdef __cplusplus
}
#endif
#endif
