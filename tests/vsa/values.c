// SPDX-License-Identifier: BSD-3-Clause
/* Hypervectors as HoloVec and torchhd compute them: three vectors a, b, c that these drew, and what they made of them, on every
 * backend. What they do otherwise is left out. HoloVec: bundles of sparse and segmented vectors, a permutation that crosses
 * segments, vtb_shift's own directions. torchhd: similarities where it takes indices for numbers; its bundles of MAP and FHRR are
 * sums and what it unbinds from HRR has any norm: here are their signs, phases and direction.
 */
#include "vsa.h"
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>

typedef struct values {
  const char *spec, *source;
  int size;                  /* numbers in a vector, of complex ones two an element */
  const double *x;           /* a, b, c                             */
  const double *bind;        /* (a, b); NULL: not compared          */
  const double *unbind;      /* b from c                            */
  const double *bundle;      /* of all; NAN: a tie                  */
  const double *permute;     /* a by 3                              */
  const double *similarity;  /* of a and b                          */
} values;

#define X(...) (const double[]){ __VA_ARGS__ }
static const values all[] = {
  { "hrr;dim=8;variant=raw_sum", "HoloVec 1.0.2, seeds 1 to 3", 8,
    X(0.16769554, 0.39869213, 0.16034536, -0.6323601, 0.43932605, 0.21660431, -0.26055783, 0.28198892, 0.055286493,
      -0.1528718, -0.1207957, -0.71397913, 0.52630383, 0.33459821, -0.095166184, 0.22629088, 0.51707041, -0.64748216,
      0.10592607, -0.14384541, -0.11467948, -0.054621916, -0.51176703, -0.058760472),
    X(-0.062420182, 0.50583756, -0.52323836, -0.087332904, 0.073355593, 0.086864024, 0.61654979, -0.56356865),
    X(0.15991428, -0.02764136, -0.37079632, 0.55912048, 0.10888094, -0.55472904, 0.35487801, -0.27935606),
    X(0.74005246, -0.40166181, 0.14547572, -1.4901847, 0.85095042, 0.49658063, -0.86749101, 0.44951934),
    X(0.21660431, -0.26055783, 0.28198892, 0.16769554, 0.39869213, 0.16034536, -0.6323601, 0.43932605),
    X(0.77274764),
  },
  { "fhrr;dim=6", "HoloVec 1.0.2, seeds 1 to 3", 12,
    X(-0.99724269, -0.074209176, 0.95195282, -0.30624479, 0.61707073, 0.78690767, 0.94840008, -0.31707624, -0.3787992,
      0.92547888, -0.88618356, 0.46333438, -0.072896473, 0.99733949, -0.29998681, 0.95394337, 0.3926785, -0.91967583,
      0.83781648, 0.5459519, -0.80864555, -0.58829612, -0.13430114, -0.99094057, 0.85865855, 0.51254797, 0.08277721,
      0.99656808, 0.31662279, -0.94855154, -0.86968166, -0.49361303, 0.83014554, 0.55754679, -0.91301721, 0.40792099),
    X(0.14670724, -0.98918003, 0.006566898, 0.99997848, 0.96601039, -0.25850332, 0.96769369, 0.25212917, 0.85077006,
      -0.52553833, 0.57815224, 0.81592882),
    X(0.4485912, -0.89373714, 0.92583734, -0.377922, 0.99669087, -0.081285477, -0.99812263, 0.061247215, -0.99929607,
      0.037513666, -0.28160623, -0.95953006),
    X(-0.14573106, 0.98932427, 0.40797284, 0.91299403, 0.7750712, -0.63187385, 0.96072525, -0.27750158, -0.37086028,
      0.92868865, -0.99808961, -0.061782487),
    X(0.94840008, -0.31707624, -0.3787992, 0.92547888, -0.88618356, 0.46333438, -0.99724269, -0.074209176, 0.95195282,
      -0.30624479, 0.61707073, 0.78690767),
    X(-0.16953419),
  },
  { "bsdc;dim=16;sparsity=0.25", "HoloVec 1.0.2, seeds 1 to 3", 16,
    X(0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    X(0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0),
    X(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    NULL,
    X(1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0),
    X(0),
  },
  { "bsdc_seg;segments=4;block=4;variant=xor", "HoloVec 1.0.2, seeds 1 to 3", 16,
    X(0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1,
      0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0),
    X(0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1),
    X(0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0),
    NULL,
    NULL,
    X(0),
  },
  { "ghrr;dim=2;block=2", "HoloVec 1.0.2, seeds 1 to 3", 16,
    X(0.56526226, 0.81201226, 0.061720688, 0.13154918, -0.10598289, 0.099409536, 0.82542217, -0.54549384, 0.83767968,
      -0.1440181, 0.1118928, -0.51481205, -0.44438484, 0.28297275, -0.15446255, -0.83581692, 0.45582896, 0.69661331,
      -0.012301094, 0.55389392, -0.50864726, 0.21960816, 0.81687021, 0.16054082, 0.59885144, -0.042114906, 0.7977429,
      -0.05665208, -0.40322691, -0.69066006, 0.30303609, 0.51823336, -0.046116881, -0.56863332, -0.39404622,
      0.72059488, 0.80473375, 0.16411245, 0.40456849, 0.4022375, 0.015739046, 0.6403448, -0.67966568, -0.35744292,
      0.73446429, 0.22421634, 0.4617314, -0.4439519),
    X(-0.36827898, 0.71055019, -0.42742324, 0.42047396, -0.41761389, 0.43021804, 0.70807821, -0.37300986, 0.094902061,
      0.0087819342, 0.96079439, -0.26036575, -0.76918507, 0.63187885, 0.047866631, -0.082415499),
    X(-0.013158607, -0.017678192, -0.30761901, 0.95125443, 0.69896412, -0.71481705, 0.02177033, 0.003424623,
      -0.5394913, 0.060482241, -0.83980906, -0.0034265737, 0.82388592, -0.16279726, -0.54116243, 0.043037016),
    X(0.69301277, 0.53546387, -0.19971885, 0.43945897, -0.080479205, 0.47595683, 0.87399793, -0.055820312, 0.86095732,
      0.28192335, 0.083010279, -0.4151879, -0.29024574, -0.30826792, 0.5811134, -0.69500756),
    X(0.83767968, -0.1440181, 0.1118928, -0.51481205, -0.44438484, 0.28297275, -0.15446255, -0.83581692, 0.56526226,
      0.81201226, 0.061720688, 0.13154918, -0.10598289, 0.099409536, 0.82542217, -0.54549384),
    X(0.42194653),
  },
  { "vtb_shift;dim=9", "HoloVec 1.0.2, seeds 1 to 3", 9,
    X(0.16513139, 0.39259589, 0.1578936, -0.62269098, 0.43260854, 0.21329232, -0.25657377, 0.27767718, 0.17420457,
      0.055100489, -0.15235747, -0.1203893, -0.71157706, 0.52453309, 0.33347249, -0.094846003, 0.22552954,
      0.081960157, 0.50507826, -0.63246542, 0.10346938, -0.14050928, -0.11201978, -0.053355098, -0.49989781,
      -0.057397667, -0.21411934),
    NULL,
    NULL,
    X(0.33252579, -0.17982043, 0.064630814, -0.6761266, 0.38745466, 0.22620867, -0.39029515, 0.20438568, 0.019276133),
    X(-0.25657377, 0.27767718, 0.17420457, 0.16513139, 0.39259589, 0.1578936, -0.62269098, 0.43260854, 0.21329232),
    X(0.77264965),
  },
  { "hrr;dim=8;variant=raw_sum", "torchhd 5.8.4, seed 1", 8,
    X(-0.48637402, -0.2391808, -0.20849514, -0.51311857, -0.03193422, -0.19421503, -0.31236044, -0.51299471,
      0.16142134, 0.43051445, 0.64967769, -0.035053488, 0.05123071, -0.58023149, -0.11785503, -0.11003477,
      -0.21513411, 0.090460286, 0.074186727, 0.46244594, -0.015126447, 0.2453824, -0.3751688, 0.72455597),
    X(-0.14850655, -0.47833708, -0.27771875, -0.12956643, -0.022208311, -0.0063661933, 0.10507336, -0.16594705),
    X(-0.17150235, 0.62125027, -0.27880666, 0.46207842, -0.34800774, 0.31916225, -0.21827257, 0.1508926),
    X(-0.54008675, 0.28179395, 0.5153693, -0.085726112, 0.0041700425, -0.52906406, -0.80538428, 0.1015265),
    X(-0.19421503, -0.31236044, -0.51299471, -0.48637402, -0.2391808, -0.20849514, -0.51311857, -0.03193422),
    X(-0.094635814),
  },
  { "fhrr;dim=6", "torchhd 5.8.4, seed 1", 12,
    X(-0.047932416, 0.99885058, 0.18312638, -0.98308939, 0.8202011, -0.57207525, 0.09608189, 0.99537343, -0.98312312,
      -0.18294515, -0.30817217, 0.9513306, 0.79831445, -0.60224086, -0.027466344, 0.9996227, 0.90613765, 0.42298299,
      0.92692244, -0.37525296, 0.64379025, 0.76520199, 0.98801458, 0.15436071, 0.41086087, 0.91169804, 0.33962148,
      -0.94056219, 0.97388262, -0.22705208, 0.96026975, -0.2790736, 0.89810503, 0.43978104, 0.99992126, -0.012549776),
    X(0.56328344, 0.82626373, 0.97768867, 0.21005915, 0.98519319, -0.1714478, 0.46257728, 0.88657892, -0.49293509,
      -0.87006605, -0.45132667, 0.89235884),
    X(-0.22106567, 0.97525889, -0.94953549, -0.31365955, 0.7864325, -0.6176762, 0.99481875, 0.1016645, 0.91471261,
      -0.40410501, 0.98599958, -0.16674791),
    X(0.66382164, 0.74789089, 0.47241858, -0.8813743, 0.99043655, -0.13796911, 0.98553455, 0.16947405, 0.47971001,
      0.87742704, 0.83814824, 0.54544258),
    X(0.09608189, 0.99537343, -0.98312312, -0.18294515, -0.30817217, 0.9513306, -0.047932416, 0.99885058, 0.18312638,
      -0.98308939, 0.8202011, -0.57207525),
    X(-0.39022112),
  },
  { "bsdc_seg;segments=8;block=5", "torchhd 5.8.4, seed 1", 8,
    X(0, 4, 4, 3, 3, 3, 1, 1, 4, 2, 3, 4, 1, 3, 3, 0, 2, 1, 2, 1, 0, 3, 1, 4),
    X(4, 1, 2, 2, 4, 1, 4, 1),
    X(3, 4, 4, 2, 4, 0, 3, 4),
    X(NAN, NAN, NAN, NAN, NAN, 3, 1, NAN),
    X(3, 1, 1, 0, 4, 4, 3, 3),
    NULL,
  },
  { "vtb;dim=9;variant=raw_sum", "torchhd 5.8.4, seed 1", 9,
    X(-0.47430333, -0.23324488, -0.20332077, -0.50038415, -0.031141685, -0.18939507, -0.30460835, -0.50026333,
      -0.22140369, 0.11523984, -0.29493281, -0.03618272, 0.052881088, -0.59892344, -0.12165169, -0.1135795,
      0.71307153, -0.027368631, 0.04359705, 0.47426915, -0.015513181, 0.251656, -0.38476062, 0.7430805, -0.030678319,
      0.080892086, -0.043617651),
    X(0.037221119, 0.24135861, -0.18512942, -0.072099492, 0.026380621, 0.068954006, 0.20862904, 0.53770745,
      -0.54744363),
    X(0.055193469, -0.53342164, -0.10192864, -0.13119328, 1.1883429, 0.030075479, 0.0098663988, -0.12211412,
      -0.013054257),
    X(-0.31546646, -0.053908527, -0.25501665, -0.19584706, -1.0148258, 0.43203372, -0.44886619, 0.29370028,
      -0.29238999),
    X(-0.30460835, -0.50026333, -0.22140369, -0.47430333, -0.23324488, -0.20332077, -0.50038415, -0.031141685,
      -0.18939507),
    X(-0.27934626),
  },
  { "mcr;dim=8;block=5", "torchhd 5.8.4, seed 1", 8,
    X(0, 4, 4, 3, 3, 3, 1, 1, 4, 2, 3, 4, 1, 3, 3, 0, 2, 1, 2, 1, 0, 3, 1, 4),
    X(4, 1, 2, 2, 4, 1, 4, 1),
    X(3, 4, 4, 2, 4, 0, 3, 4),
    X(NAN, NAN, 3, NAN, NAN, 3, 1, 0),
    X(3, 1, 1, 0, 4, 4, 3, 3),
    NULL,
  },
  { "cgr;dim=8;block=5", "torchhd 5.8.4, seed 1", 8,
    X(0, 4, 4, 3, 3, 3, 1, 1, 4, 2, 3, 4, 1, 3, 3, 0, 2, 1, 2, 1, 0, 3, 1, 4),
    X(4, 1, 2, 2, 4, 1, 4, 1),
    X(3, 4, 4, 2, 4, 0, 3, 4),
    X(NAN, NAN, NAN, NAN, NAN, 3, 1, NAN),
    X(3, 1, 1, 0, 4, 4, 3, 3),
    NULL,
  },
};
#undef X

enum { BITS = 14 };

/* The same of models with two elements: a 1 is a 1, a 0 is the other one. */
static const struct { const char *spec, *source, *x[3], *made[4] /* bind, unbind, bundle, permute */; double similarity; } bits[] = {
  { "map;dim=14;similarity=hamming", "HoloVec 1.0.2, seeds 1 to 3", { "11010010101101", "00101100011001", "00110000100101" },
    { "00000001001011", "11100011000011", "00110000101101", "10111010010101" }, 0.28571429 },
  { "bsc;dim=14", "HoloVec 1.0.2, seeds 1 to 3", { "11010010101101", "00101100011001", "00110000100101" },
    { "11111110110100", "00011100111100", "00110000101101", "10111010010101" }, 0.28571429 },
  { "map;dim=14", "torchhd 5.8.4, seed 1", { "00001001101010", "00101111111001", "10001110100000" },
    { "11011001101100", "01011110100110", "00001111101000", "01000001001101" }, 0.14285713 },
  { "bsc;dim=14;similarity=cosine", "torchhd 5.8.4, seed 1", { "11110110010101", "11010000000110", "01110001011111" },
    { "00100110010011", "10100001011001", "11110000010111", "10111110110010" }, 0.14285715 },
};

static hed_array *given(const hed_vsa_info *info, int n, const double *x, int size)
{
  hed_shape shape = HED_SHAPE(n);
  const bool is_complex = hed_dtype_kind(info->dtype) == HED_KIND_COMPLEX;
  for (int k = 0; k < info->shape.ndim; k++)
    shape.dim[shape.ndim++] = info->shape.dim[k];
  if (!is_complex)
    return hed_astype(hed_from_doubles(x, shape, HED_FLOAT32), info->dtype);
  float *pairs = malloc((size_t)(n * size) * sizeof *pairs);
  for (int k = 0; pairs && k < n * size; k++)
    pairs[k] = (float)x[k];
  hed_array *out = pairs ? hed_from_host(pairs, shape, HED_COMPLEX64) : NULL;
  free(pairs);
  return out;
}

static void compare(const char *backend, const values *v, const char *what, const hed_array *got, const double *want, int n)
{
  double worst = 0;
  if (!want)
    return;
  double *d = vsa_doubles(got);
  for (int k = 0; d && k < n; k++)
    worst = isnan(want[k]) ? worst : fmax(worst, fabs(d[k] - want[k]));
  ok(d && worst < 2e-6, "%s, %s: %s of %s: off by %.3g", backend, v->spec, what, v->source, worst);
  free(d);
}

static void check(const char *backend, const values *v)
{
  hed_vsa *model = vsa_model(v->spec);
  hed_vsa_info info = { .struct_size = sizeof info };
  (void)hed_vsa_info_of(model, &info);
  HED_SCOPE {
    hed_array *x = given(&info, 3, v->x, v->size), *a = hed_index(x, 0, 0), *b = hed_index(x, 0, 1), *c = hed_index(x, 0, 2);
    compare(backend, v, "bind", hed_vsa_bind(model, a, b), v->bind, v->size);
    compare(backend, v, "unbind", hed_vsa_unbind(model, c, b), v->unbind, v->size);
    compare(backend, v, "bundle", hed_vsa_bundle(model, x, 0, NULL), v->bundle, v->size);
    compare(backend, v, "permute", hed_vsa_permute(model, a, 3), v->permute, v->size);
    compare(backend, v, "similarity", hed_vsa_similarity(model, a, b), v->similarity, 1);
  }
  hed_vsa_release(model);
}

/* The numbers of N texts of bits, one after the other. */
static void read_bits(const char *const *text, int n, double zero, double *out)
{
  for (int k = 0; k < n; k++)
    for (const char *at = text[k]; *at; at++)
      *out++ = *at == '1' ? 1 : zero;
}

static void values_on(const char *backend)
{
  const bool few = strcmp(backend, "opencl") == 0 && !full_run(); /* each model compiles kernels of its own */
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k += few ? 3 : 1)
    check(backend, &all[k]);
  for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k += few ? 3 : 1) {
    const double zero = strncmp(bits[k].spec, "map", 3) == 0 ? -1 : 0;
    double x[3 * BITS], made[4 * BITS];
    read_bits(bits[k].x, 3, zero, x);
    read_bits(bits[k].made, 4, zero, made);
    check(backend, &(values){ bits[k].spec, bits[k].source, BITS, x, made, made + BITS, made + 2 * BITS, made + 3 * BITS,
                              &bits[k].similarity });
  }
}

/* What OnlineHD's rule says of a vector that is taken for another class: (1 - similarity) times it, by the similarities before. */
static void online(void)
{
  hed_vsa *v = vsa_model("hrr;dim=200");
  hed_vsa_classifier *c = NULL;
  const int64_t label[] = { 0, 1 }, wrong_label[] = { 1 };
  double s[2] = { 0 }, apart[2] = { 1, 1 };
  int64_t wrong = 0;
  HED_SCOPE {
    hed_array *x = vsa_some(v, 2, 5), *labels = hed_from_host(label, HED_SHAPE(2), HED_INT64);
    hed_array *one = hed_slice(x, 1, &HED_RANGE(0, 1, 1)), *other = hed_from_host(wrong_label, HED_SHAPE(1), HED_INT64);
    ok(hed_vsa_classifier_create(v, 2, &(hed_vsa_classifier_options){ .raw = true, .online = true }, &c) == HED_OK &&
           hed_vsa_classifier_fit(c, x, labels) == HED_OK, "a classifier that learns online");
    hed_array *before = hed_vsa_classifier_sums(c);
    ok(hed_tolist(hed_vsa_classifier_scores(c, one), s, 2) == HED_OK && s[0] > s[1], "takes the first vector for its class");
    ok(hed_vsa_classifier_retrain(c, one, other, 1, 0.5, &wrong) == HED_OK && wrong == 1, "told that it is the other's");
    hed_array *change = hed_subtract(hed_vsa_classifier_sums(c), before);
    for (int k = 0; k < 2; k++) {
      hed_array *want = hed_multiply_scalar(hed_index(x, 0, 0), (k ? 0.5 : -0.5) * (1 - s[k]));
      apart[k] = vsa_item(hed_max(hed_abs(hed_subtract(hed_index(change, 0, k), want)), NULL));
    }
    ok(apart[0] < 1e-6 && apart[1] < 1e-6, "moves both by what is missing: %g, %g", apart[0], apart[1]);
  }
  hed_vsa_classifier_release(c);
  hed_vsa_release(v);
}

/* The products of sinusoids against their means. */
static void sinusoids(void)
{
  hed_vsa *v = vsa_model("map;dim=40000;variant=continuous");
  hed_vsa_encoder *e = NULL;
  static const double in[3] = { 0.3, 0.6, -0.9 };
  HED_SCOPE {
    hed_array *x = hed_from_doubles(in, HED_SHAPE(3, 1), HED_FLOAT32), *h = NULL;
    double got[9];
    ok(hed_vsa_encoder_projection(v, 1, &(hed_vsa_projection_options){ .sinusoid = true }, &e) == HED_OK, "sinusoids");
    h = hed_vsa_encode(e, x);
    ok(h && hed_tolist(hed_matmul(h, hed_matrix_transpose(h)), got, 9) == HED_OK, "of three numbers");
    double want[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        want[i][j] = 1 + exp(-2 * pow(in[i] - in[j], 2)) - exp(-2 * in[i] * in[i]) - exp(-2 * in[j] * in[j]);
    for (int k = 0; k < 9; k++)
      is_near(got[k], want[k / 3][k % 3] / sqrt(want[k / 3][k / 3] * want[k % 3][k % 3]), 0, 0.02, "of %g and %g", in[k / 3],
              in[k % 3]);
  }
  hed_vsa_encoder_release(e);
  hed_vsa_release(v);
}

/* Sums, differences and multiples of whole numbers by operations on vectors, and back. */
static void residues(const char *spec)
{
  static const double a[4] = { 0, 123, 1000, -1 }, b[4] = { 5, 900, 1000, 77 };
  hed_vsa *v = vsa_model(spec);
  hed_vsa_encoder *e = NULL;
  double got[4], near_[4];
  HED_SCOPE {
    ok(hed_vsa_encoder_residue(v, NULL, &e) == HED_OK, "%s: residues of 7, 11 and 13", spec);
    hed_array *x = hed_vsa_encode(e, hed_from_doubles(a, HED_SHAPE(4), HED_FLOAT32));
    hed_array *y = hed_vsa_encode(e, hed_from_doubles(b, HED_SHAPE(4), HED_FLOAT32)), *similarity = NULL;
    const struct { const char *what; hed_array *h; double sign, times; } jobs[] = {
      { "themselves", x, 0, 1 }, { "sums", hed_vsa_bind(v, x, y), 1, 1 }, { "differences", hed_vsa_unbind(v, x, y), -1, 1 },
      { "multiples", hed_vsa_power(v, x, 6), 0, 6 }
    };
    for (int k = 0; k < 4; k++) {
      hed_array *back = hed_vsa_decode(e, jobs[k].h, &(hed_vsa_decode_options){ .strict = true, .similarity = &similarity });
      bool good = back && hed_tolist(back, got, 4) == HED_OK && hed_tolist(similarity, near_, 4) == HED_OK;
      for (int i = 0; i < 4; i++) {
        const double want = fmod(jobs[k].times * a[i] + jobs[k].sign * b[i] + 6 * 1001, 1001);
        good = good && got[i] == want && near_[i] > 0.99;
      }
      if (!ok(good, "%s: %s", spec, jobs[k].what))
        diag("%g %g %g %g, like %g; %s", got[0], got[1], got[2], got[3], near_[0], hed_error_text());
    }
    const double apart = vsa_item(hed_max(hed_abs(hed_vsa_similarity(v, x, y)), NULL)); /* 1000 and 1000 are alike */
    const double others = vsa_item(hed_vsa_similarity(v, hed_index(x, 0, 0), hed_index(x, 0, 1)));
    ok(apart > 0.99 && fabs(others) < 0.1, "%s: others are not", spec);
    ok(!hed_vsa_encode(e, hed_from_doubles((double[]){ 2, 2.5 }, HED_SHAPE(2), HED_FLOAT32)) &&
           strstr(hed_error_text(), "2.5 at place 1"), "%s: halves are refused", spec);
  }
  hed_vsa_encoder_release(e);
  ok(hed_vsa_encoder_residue(v, &(hed_vsa_residue_options){ .moduli = 2, .modulus = { 6, 4 } }, &e) == HED_E_INVAL &&
         strstr(hed_error_text(), "divisor 2"), "%s: 6 and 4", spec);
  ok(hed_vsa_encoder_residue(v, &(hed_vsa_residue_options){ .moduli = 1, .modulus = { 1 } }, &e) == HED_E_INVAL, "%s: a modulus of 1",
     spec);
  hed_vsa_release(v);
}

/* torchhd's density encoding: a key times a thermometer of a level more than elements; alike as numbers are near. */
static void density(void)
{
  hed_vsa *v = vsa_model("map;dim=1000");
  hed_vsa_encoder *levels = NULL, *e = NULL;
  HED_SCOPE {
    const hed_vsa_level_options o = { .levels = 1001, .kind = HED_VSA_LEVELS_THERMOMETER };
    ok(hed_vsa_encoder_level(v, &o, &levels) == HED_OK && hed_vsa_encoder_vector(levels, 1, 0, &e) == HED_OK, "a density");
    hed_array *h = hed_vsa_encode(e, hed_from_doubles((double[]){ 0.1, 0.35 }, HED_SHAPE(2, 1), HED_FLOAT32));
    is_near(vsa_item(hed_vsa_similarity(v, hed_index(h, 0, 0), hed_index(h, 0, 1))), 1 - 2 * 0.25, 0, 1e-3, "falls with the distance");
  }
  hed_vsa_encoder_release(levels);
  hed_vsa_encoder_release(e);
  hed_vsa_release(v);
}

/* The read-out meets its normal equations, X^H (X w - y) + ridge w = 0, with more elements than vectors and with fewer. */
static void ridged(const char *spec, int64_t n)
{
  const double ridge = 0.7;
  hed_vsa *v = vsa_model(spec);
  hed_vsa_classifier *c = NULL;
  HED_SCOPE {
    hed_array *x = vsa_some(v, n, 3), *labels = hed_mod_scalar(hed_arange_int(0, n, 1, HED_INT64), 3);
    ok(hed_vsa_classifier_create(v, 3, &(hed_vsa_classifier_options){ .ridge = ridge }, &c) == HED_OK &&
           hed_vsa_classifier_fit(c, x, labels) == HED_OK, "%s: a ridge of %d vectors", spec, (int)n);
    hed_array *rows = hed_vsa_numbers(v, x), *w = hed_matrix_transpose(hed_vsa_classifier_sums(c)), *kinds;
    kinds = hed_expand_dims(hed_arange_int(0, 3, 1, HED_INT64), 0);
    hed_array *y = hed_astype(hed_equal(hed_expand_dims(labels, 1), kinds), HED_FLOAT32), *off = hed_subtract(hed_matmul(rows, w), y);
    hed_array *left = hed_add(hed_matmul(hed_matrix_transpose(hed_conj(rows)), off), hed_multiply_scalar(w, ridge));
    const double apart = vsa_item(hed_max(hed_abs(left), NULL)), size = vsa_item(hed_max(hed_abs(w), NULL));
    if (!ok(apart < 1e-4 && size > 1e-4, "%s: its normal equations", spec))
      diag("%g beside %g; %s", apart, size, hed_error_text());
    hed_array *scores = hed_vsa_classifier_scores(c, x), *wanted = hed_real(hed_matmul(rows, w));
    ok(scores && vsa_item(hed_max(hed_abs(hed_subtract(scores, wanted)), NULL)) < 1e-5, "%s: scores are its values", spec);
    ok(hed_vsa_classifier_retrain(c, x, labels, 1, 1, NULL) == HED_E_UNSUPPORTED, "%s: nothing to retrain", spec);
  }
  hed_vsa_classifier_release(c);
  ok(hed_vsa_classifier_create(v, 2, &(hed_vsa_classifier_options){ .ridge = -1 }, &c) == HED_E_INVAL && !c, "%s: a ridge below 0",
     spec);
  hed_vsa_release(v);
}

int main(void)
{
  online();
  sinusoids();
  residues("fhrr;dim=1000");
  residues("hrr;dim=2000");
  density();
  ridged("map;dim=60", 40);
  ridged("fhrr;dim=30", 40);
  vsa_on_each(values_on);
  if (hed_backend_require("opencl") != HED_OK)
    skip(1, "opencl: %s", hed_error_text());
  else
    HED_BACKEND_CONTEXT_OR("opencl", bail("opencl: %s", hed_error_text())) values_on("opencl");
  return done();
}
