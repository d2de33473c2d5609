// SPDX-License-Identifier: BSD-3-Clause
/* Parameters of the rows of base/formulas/formulas.def and map_rows.h: from args.param in the order of params.h. L1. */

#define PARAMETERS(P) typedef struct params_##P params_##P; struct params_##P
PARAMETERS(hed_clip_params) { double low, high; };
PARAMETERS(hed_clip_array_params) { bool low, high; };
PARAMETERS(hed_divide_params) { double fill; };
PARAMETERS(hed_isclose_params) { double rtol, atol; bool equal_nan; };
PARAMETERS(hed_rotate_params) { int32_t width; };
PARAMETERS(hed_threshold_params) { double t, above, below; };
PARAMETERS(hed_nan_params) { double nan, posinf, neginf; };
PARAMETERS(hed_slope_params) { double slope; };
PARAMETERS(hed_gaussian_params) { double mu, sigma; };
PARAMETERS(hed_norm_params) { double n_obs, eps; bool unit_low; };

#define NUMBER_OF(k) ARGUMENT(args.param[k])
#define READ_hed_clip_params { NUMBER_OF(0), NUMBER_OF(1) }
#define READ_hed_clip_array_params { args.param[0] != 0, args.param[1] != 0 }
#define READ_hed_divide_params { NUMBER_OF(0) }
#define READ_hed_isclose_params { NUMBER_OF(0), NUMBER_OF(1), args.param[2] != 0 }
#define READ_hed_rotate_params { (int32_t)args.param[0] }
#define READ_hed_threshold_params { NUMBER_OF(0), NUMBER_OF(1), NUMBER_OF(2) }
#define READ_hed_nan_params { NUMBER_OF(0), NUMBER_OF(1), NUMBER_OF(2) }
#define READ_hed_slope_params { NUMBER_OF(0) }
#define READ_hed_gaussian_params { NUMBER_OF(0), NUMBER_OF(1) }
#define READ_hed_norm_params { NUMBER_OF(0), NUMBER_OF(1), args.param[2] != 0 }
