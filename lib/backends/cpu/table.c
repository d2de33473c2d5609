// SPDX-License-Identifier: BSD-3-Clause
/*
 * The sparse table of the cpu backend: what it does better than the reference kernels. L1.
 * Operations and types that are not listed run through the reference backend by the host.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include <heddle/ops.h>

#define BIT(name) (1u << HED_ID_##name)
enum {
  F32 = BIT(FLOAT32),
  F64 = BIT(FLOAT64),
  HALVES = BIT(FLOAT16) | BIT(BFLOAT16),
  C64 = BIT(COMPLEX64),
  C128 = BIT(COMPLEX128),
  INTS = BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(INT64) | BIT(UINT8) | BIT(UINT16) | BIT(UINT32)
         | BIT(UINT64)
};

static const hed_op_entry others[] = {
  { "fill", cpu_fill, 0 },
  { "astype", cpu_astype, 0 },
  { "concatenate", cpu_concatenate, 0 },
  { "arange", cpu_arange, 0 },
  { "tril", cpu_tril, 0 },
  { "triu", cpu_triu, 0 },
  { "nonzero", cpu_nonzero, 0 },
  { "take", cpu_take, 0 },
  { "take_along_axis", cpu_take_along_axis, 0 },
  { "repeat", cpu_repeat, 0 },
  { "gather_nd", cpu_gather_nd, 0 },
  { "scatter_nd", cpu_scatter_nd, 0 },
  { "compress", cpu_compress, 0 },
  { "random", cpu_random, 0 },
  { "prod", cpu_prod, F32 | F64 | C64 | C128 | INTS | BIT(BOOL) },
  { "any", cpu_any, 0 },
  { "all", cpu_all, 0 },
  { "count_nonzero", cpu_count_nonzero, 0 },
  { "cumsum", cpu_cumsum, F32 | F64 | C64 | C128 | INTS },
  { "cumprod", cpu_cumprod, F32 | F64 | C64 | C128 | INTS },
  { "cummax", cpu_cummax, F32 | F64 | INTS },
  { "cummin", cpu_cummin, F32 | F64 | INTS },
  { "softmax", cpu_softmax, F32 | F64 },
  { "log_softmax", cpu_log_softmax, F32 | F64 },
  { "lstm_step", cpu_lstm_step, F32 | F64 },
  { "lstm_step_back", cpu_lstm_step_back, F32 | F64 },
  { "gru_step", cpu_gru_step, F32 | F64 },
  { "gru_step_back", cpu_gru_step_back, F32 | F64 },
  { "synapses", cpu_synapses_of, F32 | F64 },
  { "synapses_back", cpu_synapses_back, F32 | F64 },
  { "quantile", cpu_quantile, F32 | F64 },
  { "isotonic", cpu_isotonic, F32 | F64 },
  { "random_categorical", cpu_random_rows, 0 },
  { "random_dirichlet", cpu_random_rows, 0 },
  { "random_haar", cpu_random_rows, 0 },
  { "searchsorted", cpu_searchsorted, F32 | F64 | HALVES | INTS | BIT(BOOL) },
  { "bincount", cpu_bincount, 0 },
  { "histogram", cpu_histogram, 0 },
  { "sort", cpu_sort, F32 | F64 | HALVES | INTS | BIT(BOOL) },
  { "argsort", cpu_argsort, F32 | F64 | HALVES | INTS | BIT(BOOL) },
  { "topk", cpu_topk, F32 | F64 | HALVES | INTS | BIT(BOOL) },
  { "matmul", cpu_matmul, F32 | F64 | C64 | C128 | INTS | BIT(BOOL) },
  { "vecdot", cpu_vecdot, C64 | C128 },
  { "cross", cpu_cross, F32 | F64 },
  { "polar_unitary", cpu_polar_unitary, F32 | F64 | C64 | C128 },
  { "phasor", cpu_phasor, F32 | F64 },
  { "pack_bits", cpu_pack_bits, 0 },
  { "unpack_bits", cpu_unpack_bits, 0 },
  { "hamming_matrix", cpu_hamming_matrix, 0 },
  { "majority_bits", cpu_majority_bits, 0 },
  { "weighted_majority_bits", cpu_weighted_majority_bits, 0 },
  { "vector_norm", cpu_vector_norm, F32 | F64 | C64 | C128 },
  { "svd", cpu_svd, F32 | F64 | C64 | C128 },
  { "det", cpu_det, F32 | F64 | C64 | C128 },
  { "lu", cpu_lu, F32 | F64 | C64 | C128 },
  { "solve", cpu_solve, F32 | F64 | C64 | C128 },
  { "solve_triangular", cpu_solve_triangular, F32 | F64 | C64 | C128 },
  { "cholesky", cpu_cholesky, F32 | F64 | C64 | C128 },
  { "qr", cpu_qr, F32 | F64 | C64 | C128 },
  { "eigh", cpu_eigh, F32 | F64 | C64 | C128 },
  { "eigh_range", cpu_eigh_range, F32 | F64 | C64 | C128 },
  { "eig", cpu_eig, F32 | F64 | C64 | C128 },
  { "affine_transform", cpu_affine, F32 | F64 },
  { "map_coordinates", cpu_map_coordinates, F32 | F64 },
  { "convolve_direct", cpu_convolve_direct, F32 | F64 | C64 | C128 | INTS | BIT(BOOL) | BIT(FLOAT16) | BIT(BFLOAT16) },
  { "correlate1d", cpu_correlate1d, F32 | F64 },
  { "maximum_filter", cpu_maximum_filter, F32 | F64 | INTS | BIT(BOOL) },
  { "median_filter", cpu_median_filter, F32 | F64 | INTS | BIT(BOOL) },
  { "minimum_filter", cpu_minimum_filter, F32 | F64 | INTS | BIT(BOOL) },
  { "spline_filter", cpu_spline_filter, F32 | F64 },
  { "norm_scores", cpu_norm_scores, F32 | F64 },
  { "max_score_over_rotations", cpu_max_score, F32 },
#ifdef HED_HAVE_FFTW
  { "fft", cpu_fft, F32 | F64 | C64 | C128 },
  { "max_correlation", cpu_max_correlation, C64 },
#endif
};

const hed_op_entry *cpu_table(void)
{
  static hed_op_entry table[HED_OP_COUNT_ + 1];
  int n = cpu_map_rows(table);
  n += cpu_reduce_rows(table + n);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    table[n++] = others[k];
  return table;
}
