// SPDX-License-Identifier: BSD-3-Clause
/* Which rows the device does itself, and in which types. L1. What is not here runs on the host. */
#include "backends/device/layer.h"

#define BIT(ID) (1u << HED_ID_##ID)
#define ALL ((1u << HED_ID_CONCRETE_COUNT_) - 1)

const hed_op_entry hed__device_ops[] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) { #name, hed__map_call, ALL },
#include <heddle/ops.def>
  /* Drivers' own pow and log, of which these are made, may be off by 16 units in the last place. */
  { "gamma", hed__map_call, ALL & ~BIT(FLOAT64) },
  { "lgamma", hed__map_call, ALL & ~BIT(FLOAT64) },
  { "digamma", hed__map_call, ALL & ~BIT(FLOAT64) },
  { "power", hed__map_call, ALL & ~BIT(COMPLEX128) },
  { "astype", hed__cast_call, ALL },
  { "concatenate", hed__concatenate_call, ALL },
  { "fill", hed__fill_call, ALL },
  { "arange", hed__arange_call, ALL },
  { "tril", hed__tril_call, ALL },
  { "triu", hed__triu_call, ALL },
#define HED_REDUCE(ID, name, domain, result, doc) { #name, hed__reduce_call, ALL },
#include <heddle/ops.def>
  { "nansum", hed__reduce_call, ALL },
  { "nanmax", hed__reduce_call, ALL },
  { "nanmin", hed__reduce_call, ALL },
  { "vector_norm", hed__reduce_call, ALL },
  { "vecdot", hed__vecdot_call, ALL },
  { "cumsum", hed__scan_call, ALL },
  { "cumprod", hed__scan_call, ALL },
  { "cummax", hed__scan_call, ALL },
  { "cummin", hed__scan_call, ALL },
  { "take", hed__take_call, ALL },
  { "take_along_axis", hed__take_along_axis_call, ALL },
  { "gather_nd", hed__gather_nd_call, ALL },
  { "random", hed__random_call, ALL },
  { "matmul", hed__matmul_call, ALL },
  { "softmax", hed__softmax_call, ALL },
  { "log_softmax", hed__softmax_call, ALL },
  { "sort", hed__sort_call, ALL },
  { "argsort", hed__sort_call, ALL },
  { "topk", hed__sort_call, ALL },
  { "quantile", hed__quantile_call, ALL },
  { "nonzero", hed__nonzero_call, ALL },
  { "compress", hed__compress_call, ALL },
  { "repeat", hed__repeat_call, ALL },
  { "searchsorted", hed__searchsorted_call, ALL },
  { "scatter_nd", hed__scatter_nd_call, ALL },
  { "bincount", hed__bincount_call, ALL },
  { "histogram", hed__histogram_call, ALL },
  { "correlate1d", hed__correlate1d_call, ALL },
  { "maximum_filter", hed__box_extreme_call, ALL },
  { "minimum_filter", hed__box_extreme_call, ALL },
  { "median_filter", hed__median_filter_call, ALL },
  { "convolve_direct", hed__convolve_direct_call, ALL },
  { "spline_filter", hed__spline_filter_call, ALL },
  { "affine_transform", hed__affine_transform_call, ALL },
  { "map_coordinates", hed__map_coordinates_call, ALL },
  { "fft", hed__fft_call, ALL },
  { "cross", hed__cross_call, BIT(FLOAT32) | BIT(FLOAT64) },
  { "max_score_over_rotations", hed__max_score_call, ALL },
  { "max_correlation", hed__max_correlation_call, ALL },
  { NULL, NULL, 0 },
};
