// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/vsa_encode.h: hypervectors from numbers, sequences, images and structures, and back.
 *
 * Layer: public header of the vsa kit; needs <heddle/kits/vsa.h>.
 *
 * An encoder is made once of a model and options and does not change: encode takes an array of inputs and gives a batch of
 * vectors, decode goes back. What it draws (phases, levels, roles) depends on the model's seed and the option `number` alone, so
 * encoders of one model that are to be unlike each other get different numbers. Its arrays are made in the context in force; it is
 * used in contexts that reach that memory.
 *
 * A range [min, max], both 0 for [0, 1], is mapped to u in [0, 1]; what lies outside is clipped, wraps round, or is HED_E_RANGE,
 * which names the first such number. NaN stays NaN where the range is clipped or wraps: the vector is one of NaN, or of the first
 * level.
 *
 * Functions that return arrays or encoders return a new one of the caller's, or NULL (a negative status) with the error set.
 * Thread-safety: any number of threads may use an encoder.
 */
#ifndef HEDDLE_KITS_VSA_ENCODE_H
#define HEDDLE_KITS_VSA_ENCODE_H
#include <heddle/kits/vsa.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hed_vsa_encoder hed_vsa_encoder;

typedef enum hed_vsa_outside { HED_VSA_CLIP, HED_VSA_WRAP, HED_VSA_REFUSE } hed_vsa_outside;

typedef struct hed_vsa_range {
  double min, max;     /* both 0: 0 and 1                                             */
  int32_t outside;     /* hed_vsa_outside                                             */
} hed_vsa_range;

/* How phases theta are drawn, and the mean similarity of u and u + d that this gives, b the bandwidth. */
typedef enum hed_vsa_phases {
  HED_VSA_PHASES_UNIFORM,  /* in [-pi, pi): sin(pi b d) / (pi b d)                    */
  HED_VSA_PHASES_GAUSSIAN, /* normal: exp(-(b d)^2 / 2)                               */
  HED_VSA_PHASES_LAPLACE,  /* density exp(-|t|) / 2: 1 / (1 + (b d)^2)                */
  HED_VSA_PHASES_CAUCHY,   /* density 1 / (pi (1 + t^2)): exp(-|b d|)                 */
  HED_VSA_PHASES_STUDENT3, /* Student's t of 3 degrees of freedom: (1 + s) exp(-s), s = sqrt(3) |b d| */
  HED_VSA_PHASES_INTEGER   /* 2 pi k / period, k whole in (-period / 2, period / 2]: repeats with b d = period, 0 at other whole b d */
} hed_vsa_phases;

enum { HED_VSA_BANDWIDTHS = 8 };

/* ---- encoders of numbers ---- */

typedef struct hed_vsa_scalar_options {
  hed_vsa_range range;
  double bandwidth;    /* 0: 1                                                        */
  int32_t phases;      /* hed_vsa_phases                                              */
  int64_t period;      /* HED_VSA_PHASES_INTEGER: at least 2                          */
  int32_t mixture;     /* 0: one bandwidth; else so many of BANDWIDTHS and WEIGHTS, whose sum of phasors gets modulus 1 */
  double bandwidths[HED_VSA_BANDWIDTHS], weights[HED_VSA_BANDWIDTHS];
  uint64_t number;
} hed_vsa_scalar_options;

/* Fractional power encoding: FHRR exp(i b u theta) (T. A. Plate, 1994); HRR, VTB and VTB_SHIFT: the real vector whose spectrum that
 * is, so that in HRR bind(e(x), e(y)) = e(x + y) where min is 0 and nothing is clipped; GHRR: diagonal matrices of phasors. Other
 * models: HED_E_UNSUPPORTED. X of any shape gives vectors in that shape. */
HED_API hed_status hed_vsa_encoder_scalar(const hed_vsa *v, const hed_vsa_scalar_options *o, hed_vsa_encoder **out);

/* All zero is the default. */
typedef struct hed_vsa_residue_options {
  int32_t moduli;                      /* 0: 3, of 7, 11 and 13                        */
  int64_t modulus[HED_VSA_BANDWIDTHS]; /* 2 to 4096, no two with a common divisor, of a product below 2^53 */
  uint64_t number;
} hed_vsa_residue_options;

/* Whole numbers x, whatever their sign: the product over moduli m of the power x mod m of a vector whose phases are multiples of 2
 * pi / m. So bind(e(x), e(y)) = e(x + y), unbind(e(x), e(y)) = e(x - y), hed_vsa_power(e(x), k) = e(k x), modulo the product of all
 * moduli; numbers that are not equal are unlike. Decoded, as numbers from 0 on, by a resonator over sum(m) vectors, not their
 * product. FHRR and HRR. HED_E_RANGE: inputs that are not whole. (C. J. Kymn et al., Neural Computation 37 (2025) 1-37.) */
HED_API hed_status hed_vsa_encoder_residue(const hed_vsa *v, const hed_vsa_residue_options *o, hed_vsa_encoder **out);

typedef enum hed_vsa_levels {
  HED_VSA_LEVELS_LINEAR,      /* each element changes once between two random ends: similarity falls linearly with distance */
  HED_VSA_LEVELS_CIRCULAR,    /* the same round a circle: similarity falls with the distance on it, opposite levels are unlike */
  HED_VSA_LEVELS_THERMOMETER, /* level i: the first i D / (n - 1) elements are high, the others low */
  HED_VSA_LEVELS_BINS,        /* level i: the bundle of the random vectors 0 to i     */
  HED_VSA_LEVELS_INDEPENDENT  /* random vectors                                       */
} hed_vsa_levels;

typedef struct hed_vsa_level_options {
  hed_vsa_range range; /* CIRCULAR: max is min once more, and what lies outside always wraps */
  int64_t levels;      /* n, at least 2; 0: 100                                       */
  int32_t kind;        /* hed_vsa_levels                                              */
  double randomness;   /* LINEAR: in [0, 1]: 0 one pair of ends, 1 independent levels, between them several spans */
  uint64_t number;
} hed_vsa_level_options;

/* The nearest of n levels. LINEAR, CIRCULAR: elements of one end or the other, whatever the model (sums of HRR and VTB get norm 1);
 * THERMOMETER: high and low are 1 and -1 (MAP, FHRR, HRR, VTB, GHRR: identity matrices), 1 and 0 (BSC, BSDC), 0 and half of the
 * modulus (BSDC_SEG, MCR, CGR). BSDC_SEG of one-hots: HED_E_UNSUPPORTED but for BINS and INDEPENDENT. */
HED_API hed_status hed_vsa_encoder_level(const hed_vsa *v, const hed_vsa_level_options *o, hed_vsa_encoder **out);

/* ---- encoders of vectors of N numbers: inputs (.., n) ---- */

/* Roles and values: bundle of bind(role i, scalar(x_i)) with E's vectors and random roles. Decoded by unbinding each role. */
HED_API hed_status hed_vsa_encoder_vector(const hed_vsa_encoder *e, int64_t n, uint64_t number, hed_vsa_encoder **out);

/* exp(i W (b u)) with phases W (D, n) drawn as O says; mixtures are not for these. The kernel is the product over axes. */
HED_API hed_status hed_vsa_encoder_vector_power(const hed_vsa *v, int64_t n, const hed_vsa_scalar_options *o, hed_vsa_encoder **out);

typedef enum hed_vsa_matrix { HED_VSA_MATRIX_GAUSSIAN, HED_VSA_MATRIX_BIPOLAR, HED_VSA_MATRIX_SPARSE } hed_vsa_matrix;
typedef struct hed_vsa_projection_options {
  int32_t matrix;      /* hed_vsa_matrix: normal; -1 and 1; -1, 0, 0, 1, .. a third of them not 0 */
  double scale;        /* of the matrix; 0: 1                                         */
  bool shift;          /* adds an angle that is uniform in [-pi, pi) to each element  */
  bool sinusoid;       /* cos(R x + shift) sin(R x) is quantised, with such a shift always */
  uint64_t number;
} hed_vsa_projection_options;

/* hed_vsa_quantise(R x + shift): of FHRR the phasors of random projections, of MAP and BSC their signs; of MAP CONTINUOUS and HRR the
 * numbers over their norm. SINUSOID: torchhd's encoder of that name; with normal R two inputs have products of mean
 * (1 + e^(-2 |x - y|^2) - e^(-2 |x|^2) - e^(-2 |y|^2)) / 8 in each element. GHRR: HED_E_UNSUPPORTED. */
HED_API hed_status hed_vsa_encoder_projection(const hed_vsa *v, int64_t n, const hed_vsa_projection_options *o,
                                              hed_vsa_encoder **out);

/* ---- trajectories and images ---- */

/* Inputs (.., t, n): points of a curve in time: bundle over steps i of permute(bind(time_i, bundle_j bind(axis_j, e(x_ij))), i). TIME
 * encodes the step number i over its own range; NULL: without. */
HED_API hed_status hed_vsa_encoder_trajectory(const hed_vsa_encoder *e, int64_t n, const hed_vsa_encoder *time, uint64_t number,
                                              hed_vsa_encoder **out);

typedef enum hed_vsa_position { HED_VSA_POSITION_POWER, HED_VSA_POSITION_BUNDLE } hed_vsa_position;
typedef struct hed_vsa_image_options {
  int64_t height, width, channels; /* inputs (.., height, width), with channels above 0 (.., height, width, channels) */
  int32_t position;    /* POWER: bind(X^x, Y^y); BUNDLE: bundle(bind(X, e(x)), bind(Y, e(y))) */
  double bandwidth;    /* of positions, whose range is 0 to width - 1 and 0 to height - 1; 0: neighbours are unlike */
  uint64_t number;
} hed_vsa_image_options;

/* Bundle over pixels of bind(position, value), VALUES of the encoder of numbers; of channels the bundle of bind(channel, value).
 * Positions are fractional powers: models as in hed_vsa_encoder_scalar(). POWER is decoded pixel by pixel. */
HED_API hed_status hed_vsa_encoder_image(const hed_vsa_encoder *values, const hed_vsa_image_options *o, hed_vsa_encoder **out);

/* ---- all encoders ---- */

/* One more reference; returns E. */
HED_API hed_vsa_encoder *hed_vsa_encoder_retain(hed_vsa_encoder *e);
HED_API void hed_vsa_encoder_release(hed_vsa_encoder *e); /* NULL is fine */

/* A batch of inputs of real dtype as a batch of vectors. HED_E_SHAPE where the last axes are not the encoder's. */
HED_NEW hed_array *hed_vsa_encode(const hed_vsa_encoder *e, const hed_array *x);

typedef struct hed_vsa_decode_options {
  bool strict;              /* NaN where the similarity is below 3 / sqrt(2 D): noise  */
  hed_array **similarity;   /* NULL, or where the similarity of what was found goes    */
} hed_vsa_decode_options;

/* The inputs whose vectors are most like H, float32 or float64 as the model's similarities. Scalars: the best of a grid of
 * bandwidth, then Newton's iterations. Levels: the nearest. Encoders of vectors and images: each number by itself, after unbinding.
 * HED_E_UNSUPPORTED: vector_power, projection, trajectory, images with POSITION_BUNDLE. */
HED_NEW hed_array *hed_vsa_decode(const hed_vsa_encoder *e, const hed_array *h, const hed_vsa_decode_options *o);

/* ---- sequences: X (.., n, vector), symbols as vectors ---- */

typedef enum hed_vsa_order {
  HED_VSA_ORDER_BUNDLE, /* bundle over i of permute(x_i, i)                            */
  HED_VSA_ORDER_BIND    /* bind over i of permute(x_i, n - 1 - i)                      */
} hed_vsa_order;

/* All of X as one vector for each row of symbols. */
HED_NEW hed_array *hed_vsa_sequence(const hed_vsa *v, const hed_array *x, int32_t order);

/* The indices (.., n) int64 of those of ITEMS (m, vector) that are most like permute(S, -i), i below N; -1 where the similarity is
 * below THRESHOLD (0: 0.3). Of HED_VSA_ORDER_BUNDLE. */
HED_NEW hed_array *hed_vsa_sequence_decode(const hed_vsa *v, const hed_array *s, const hed_array *items, int64_t n,
                                           double threshold);

typedef enum hed_vsa_ngram {
  HED_VSA_NGRAM_BIND,   /* bundle over windows of bind over j of permute(x_(i + j), n - 1 - j) */
  HED_VSA_NGRAM_BUNDLE, /* bundle over windows of bundle over j of permute(x_(i + j), j)       */
  HED_VSA_NGRAM_CHAIN   /* the same, window number k permuted by k                             */
} hed_vsa_ngram;

/* Windows of N symbols of X (.., t, vector), STRIDE (0: 1) apart. HED_E_INVAL where t is below N. */
HED_NEW hed_array *hed_vsa_ngrams(const hed_vsa *v, const hed_array *x, int64_t n, int64_t stride, int32_t mode);

/* ---- structures; records are hed_vsa_bind_pairs(), sets hed_vsa_bundle() ---- */

/* A graph of edges between nodes FROM and TO (.., e, vector): bundle of bind(from, permute(to, 1)), or without DIRECTED of bind(from,
 * to); WEIGHTS (e) or NULL. */
HED_NEW hed_array *hed_vsa_graph(const hed_vsa *v, const hed_array *from, const hed_array *to, const hed_array *weights,
                                 bool directed);

/* About the bundle of the nodes that NODE has edges to (INCOMING, in directed graphs: from). */
HED_NEW hed_array *hed_vsa_graph_neighbours(const hed_vsa *v, const hed_array *graph, const hed_array *node, bool directed,
                                            bool incoming);

/* A finite automaton: bundle over transitions of bind(bind(token, from), permute(to, 1)); and the state, about, that follows FROM at
 * TOKEN. Models whose bind is commutative. */
HED_NEW hed_array *hed_vsa_automaton(const hed_vsa *v, const hed_array *token, const hed_array *from, const hed_array *to);
HED_NEW hed_array *hed_vsa_automaton_next(const hed_vsa *v, const hed_array *automaton, const hed_array *token,
                                          const hed_array *from);

/* A tree of leaves X (n, vector): bundle of bind(leaf, path), PATHS strings of 'l' and 'r' from the root, of which step k is
 * permute(symbol "left" or "right", k); and the leaf, about, at a path. Models whose bind is commutative. */
HED_NEW hed_array *hed_vsa_tree(const hed_vsa *v, const hed_array *x, const char *const *paths);
HED_NEW hed_array *hed_vsa_tree_leaf(const hed_vsa *v, const hed_array *tree, const char *path);

#ifdef __cplusplus
}
#endif
#endif
