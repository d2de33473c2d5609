// SPDX-License-Identifier: BSD-3-Clause
/* Cases of rules.c, of operations that are made of more than arithmetic. */
#ifndef TESTS_GRAD_CASES_H
#define TESTS_GRAD_CASES_H

/* CASE(ID, tag, low, high, real, expression) */
#define MORE_CASES(CASE)                                                                                                \
  CASE(NORM_SCORES, plain, -2, 2, true, hed_norm_scores(a, hed_add_scalar(hed_square(b), 60), b, 3, 1e-3))              \
  CASE(NORM_SCORES, low, -2, 2, true, hed_norm_scores_with(a, hed_add_scalar(hed_square(a), 1), b, 2, 0.9, true))       \
  CASE(CUMPROD, plain, -2, 2, false, hed_cumprod(a, &(hed_scan){ .axis = HED_AXES(-1), .initial = true }))              \
  CASE(CUMPROD, zeros, -2, 2, false, hed_cumprod(hed_multiply(a, hed_scalars_where(hed_greater_scalar(INDICES(1, 0,     \
       1, 0), 0), 1, 0)), NULL))                                                                                        \
  CASE(CUMMAX, plain, -2, 2, true, hed_cummax(a, &(hed_scan){ .axis = HED_AXES(1) }))                                   \
  CASE(CUMMIN, plain, -2, 2, true, hed_cummin(a, NULL))                                                                 \
  CASE(ISOTONIC, plain, -2, 2, true, hed_isotonic(a, hed_add_scalar(hed_square(b), 0.3), -1, false))                    \
  CASE(ISOTONIC, equal, -2, 2, true, hed_isotonic(w, NULL, 0, true))                                                    \
  CASE(QUANTILE, plain, -2, 2, true, hed_quantile(w, 3, (const double[]){ 0.1, 0.5, 0.9 },                              \
       &(hed_quantiles){ .axes = HED_AXES(0, 2), .keepdims = true }))                                                   \
  CASE(QUANTILE, nearest, -2, 2, true, hed_quantile(a, 2, (const double[]){ 0.35, 0.8 },                                \
       &(hed_quantiles){ .method = HED_QUANTILE_NEAREST }))                                                             \
  CASE(QUANTILE, higher, -2, 2, true, hed_quantile(a, 2, (const double[]){ 0.35, 0.8 },                                 \
       &(hed_quantiles){ .method = HED_QUANTILE_HIGHER }))                                                              \
  CASE(QUANTILE, midpoint, -2, 2, true, hed_quantile(a, 2, (const double[]){ 0.35, 0.8 },                               \
       &(hed_quantiles){ .method = HED_QUANTILE_MIDPOINT }))                                                            \
  CASE(QUANTILE, lower, -2, 2, true, hed_quantile(a, 2, (const double[]){ 0.35, 0.8 },                                  \
       &(hed_quantiles){ .method = HED_QUANTILE_LOWER }))                                                               \
  CASE(PERCENTILE, plain, -2, 2, true, hed_percentile(a, 1, (const double[]){ 30 }, NULL))                              \
  CASE(MEDIAN, plain, -2, 2, true, hed_median(a, OVER(1)))                                                              \
  CASE(NANMEDIAN, plain, -2, 2, true, hed_nanmedian(hed_where_scalar(hed_eye(3, 4, 0, HED_BOOL), a, NAN), OVER(1)))     \
  CASE(CENTER_OF_MASS, plain, 0.5, 2, true, hed_center_of_mass(a, 0.7))                                                 \
  CASE(SPLIT_INDICES, plain, -2, 2, false, ALL(3, hed_split_indices(a, 2, (const int64_t[]){ 3, 1 }, 1, made)))         \
  CASE(SLIDING_WINDOW_VIEW, plain, -2, 2, false, hed_sliding_window_view(a, HED_SHAPE(2, 3), NULL))                     \
  CASE(SLIDING_WINDOW_VIEW, twice, -2, 2, false, hed_sliding_window_view(a, HED_SHAPE(2, 2), &HED_AXES(1, 1)))          \
  CASE(PAD_WITH, constant, -2, 2, false, hed_pad_with(a, HED_SHAPE(2, 1), HED_SHAPE(4, 3), HED_PAD_CONSTANT, 1))        \
  CASE(PAD_WITH, edge, -2, 2, false, hed_pad_with(a, HED_SHAPE(2, 1), HED_SHAPE(4, 3), HED_PAD_EDGE, 1))                \
  CASE(PAD_WITH, reflect, -2, 2, false, hed_pad_with(a, HED_SHAPE(2, 1), HED_SHAPE(4, 3), HED_PAD_REFLECT, 1))          \
  CASE(PAD_WITH, symmetric, -2, 2, false, hed_pad_with(a, HED_SHAPE(2, 1), HED_SHAPE(4, 3), HED_PAD_SYMMETRIC, 1))      \
  CASE(PAD_WITH, wrap, -2, 2, false, hed_pad_with(a, HED_SHAPE(2, 1), HED_SHAPE(4, 3), HED_PAD_WRAP, 1))                \
  CASE(SCATTER, plain, -2, 2, true, hed_scatter(a, INDICES(1, 0, 1), 3, HED_AGGREGATE_MAX, 0))                          \
  CASE(SCATTER_MAX, plain, -2, 2, true, hed_scatter_max(a, INDICES(1, 0, 1, 1), 2, 1))                                  \
  CASE(SCATTER_MIN, plain, -2, 2, true, hed_scatter_min(a, INDICES(1, 0, 1), -1, 0))                                    \
  CASE(SCATTER_MEAN, plain, -2, 2, false, hed_scatter_mean(a, INDICES(1, 0, 1, 1), 3, -1))                              \
  CASE(SYNAPSES, plain, -2, 2, true, hed_synapses(a, hed_square(a), hed_multiply(a, b), a, hed_add(a, b)))              \
  CASE(SYNAPSES_BACK, plain, -2, 2, true, hed_synapses_back(a, hed_square(a), hed_multiply(a, b), a, hed_add(a, b),     \
       STACKED(hed_matmul(a, hed_matrix_transpose(a)), hed_matmul(hed_sin(a), hed_matrix_transpose(a)))))               \
  CASE(LSTM_STEP, plain, -2, 2, true, hed_lstm_step(SIDE(a, hed_multiply(a, b)), SIDE(hed_sin(a), a), TWO(a)))          \
  CASE(LSTM_STEP_BACK, plain, -1, 1, true, hed_lstm_step_back(STACKED(a, hed_multiply(a, b), hed_sin(a), hed_square(a), \
       hed_add(a, b), a), hed_cos(a), hed_multiply(a, b), hed_subtract(a, b)))                                          \
  CASE(GRU_STEP, plain, -2, 2, true, hed_gru_step(SIDE(a, TWO(hed_multiply(a, b))), SIDE(TWO(hed_sin(a)), a),           \
       hed_index(TWO(a), 0, 1), TWO(hed_multiply(a, b))))                                                               \
  CASE(GRU_STEP_BACK, plain, -1, 1, true, hed_gru_step_back(STACKED(a, hed_multiply(a, b), hed_sin(a), hed_square(a),   \
       hed_add(a, b)), hed_cos(a), hed_multiply(a, b)))                                                                 \
  CASE(SCATTER_SOFTMAX, plain, -2, 2, true, hed_scatter_softmax(a, INDICES(1, 0, 1), 2, 0))                             \
  CASE(LABEL_SUM, plain, -2, 2, true, hed_label_sum(b, INDICES(1, 0, 7, 1), 3))                                         \
  CASE(LABEL_MEAN, plain, -2, 2, true, hed_label_mean(b, INDICES(1, 0, 7, 1), 2))                                       \
  CASE(BINCOUNT, plain, -2, 2, true, hed_bincount(INDICES(1, 0, 3, 1), b, 6))                                           \
  CASE(HISTOGRAM, plain, -2, 2, true, ALL(1, hed_histogram(SPREAD, &(hed_histogram_options){ .bins = 3, .weights = b },  \
       &made[0], NULL)))                                                                                                \
  CASE(HISTOGRAM, density, 0.5, 2, true, ALL(1, hed_histogram(SPREAD, &(hed_histogram_options){ .weights = b,           \
       .edges = SPREAD_EDGES, .density = true }, &made[0], NULL)))                                                      \
  CASE(RANDOM_GAMMA, scale, 0.5, 2, true, hed_random_gamma(hed_scalar(2.5), hed_abs(a), NULL, HED_FLOAT64,              \
       &(hed_random){ .seed = 3, .seeded = true }))                                                                     \
  CASE(UNIQUE, plain, -2, 2, true, ALL(1, hed_unique(a, NULL, &made[0], NULL, NULL, NULL)))                             \
  CASE(UNIQUE, slices, -2, 2, true, ALL(1, hed_unique(w, &HED_AXES(1), &made[0], NULL, NULL, NULL)))                    \
  CASE(PARTITION, plain, -2, 2, true, hed_partition(a, 1, NULL))                                                        \
  CASE(INTERSECT1D, plain, -2, 2, true, hed_intersect1d(hed_concatenate(LIST(b, v), 0), b))                             \
  CASE(UNION1D, plain, -2, 2, true, hed_union1d(b, v))                                                                  \
  CASE(SETDIFF1D, plain, -2, 2, true, hed_setdiff1d(b, hed_index(a, 0, 1)))                                             \
  CASE(SETXOR1D, plain, -2, 2, true, hed_setxor1d(b, v))                                                                \
  CASE(EINSUM, plain, -2, 2, false, hed_einsum("ijk,kl,ij->li", LIST(w, c, hed_reshape(INDICES(1, 2, 3, 4, 5, 6),       \
       HED_SHAPE(2, 3)))))                                                                                              \
  CASE(EINSUM, diagonal, -2, 2, false, hed_einsum("ii,...i->...i", LIST(c, w)))                                         \
  CASE(EINSUM, broadcast, -2, 2, false, hed_einsum_with("ij,kj->k", LIST(a, hed_expand_dims(b, 0)), NULL))              \
  CASE(CROSS, plain, -2, 2, false, hed_cross(a, hed_reshape(v, HED_SHAPE(3, 1)), 0))                                    \
  CASE(CROSS, two_three, -2, 2, false, hed_cross(hed_slice(c, 1, (const hed_slice_range[]){ HED_RANGE(0, 2, 1) }),      \
       a, 0))                                                                                                           \
  CASE(CROSS, flat, -2, 2, false, hed_cross(hed_moveaxis(w, 0, -1), hed_moveaxis(hed_square(w), 0, -1), -1))            \
  CASE(CONVOLVE, full, -2, 2, false, hed_convolve(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,                \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_FULL))                                                                       \
  CASE(CONVOLVE, same, -2, 2, false, hed_convolve(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,                \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(CONVOLVE, valid, -2, 2, false, hed_convolve(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,               \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_VALID))                                                                      \
  CASE(CONVOLVE_DIRECT, same, -2, 2, false, hed_convolve_direct(c, hed_slice(a, 2,                                      \
       (const hed_slice_range[]){ HED_ALL, HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                   \
  CASE(FFTCONVOLVE, same, -2, 2, false, hed_fftconvolve(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,          \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(CONVOLVE2D, same, -2, 2, false, hed_convolve2d(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,            \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(CORRELATE, full, -2, 2, false, hed_correlate(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,              \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_FULL))                                                                       \
  CASE(CORRELATE, same, -2, 2, false, hed_correlate(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,              \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(CORRELATE, valid, -2, 2, false, hed_correlate(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,             \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_VALID))                                                                      \
  CASE(FFTCORRELATE, same, -2, 2, false, hed_fftcorrelate(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,        \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(CORRELATE2D, same, -2, 2, false, hed_correlate2d(c, hed_slice(a, 2, (const hed_slice_range[]){ HED_ALL,          \
       HED_RANGE(0, 2, 1) }), HED_CONVOLVE_SAME))                                                                       \
  CASE(PHASOR, plain, -2, 2, true, hed_phasor(a, b))                                                                    \
  CASE(PHASOR, alone, -2, 2, true, hed_phasor(a, NULL))                                                                 \
  CASE(DET, plain, -1, 1, false, hed_det(c))                                                                            \
  CASE(DET, singular, -1, 1, false, hed_det(hed_multiply(c, hed_scalars_where(hed_eye(1, 4, 0, HED_BOOL), 0, 1))))      \
  CASE(SOLVE_TRIANGULAR, as_is, -1, 1, false, hed_solve_triangular(positive(c), c,                                      \
       &(hed_triangular){ .form = HED_AS_IS, .upper = 1, .unit_diagonal = 0 }))                                         \
  CASE(SOLVE_TRIANGULAR, transposed, -1, 1, false, hed_solve_triangular(positive(c), c,                                 \
       &(hed_triangular){ .form = HED_TRANSPOSED, .upper = 1, .unit_diagonal = 1 }))                                    \
  CASE(SOLVE_TRIANGULAR, adjoint, -1, 1, false, hed_solve_triangular(positive(c), c,                                    \
       &(hed_triangular){ .form = HED_ADJOINT, .upper = 0, .unit_diagonal = 0 }))                                       \
  CASE(SVD, plain, -1, 1, false, ALL(3, hed_svd(a, false, &made[0], &made[1], &made[2])))                               \
  CASE(SVD, tall, -2, 2, false, vectors(hed_svd(hed_matrix_transpose(a), false, &made[0], &made[1], &made[2]), 3))      \
  CASE(SVD, left, -2, 2, false, vectors(hed_svd(c, false, &made[0], &made[1], NULL), 2))                                \
  CASE(SVD, right, -2, 2, false, vectors(hed_svd(w, false, NULL, NULL, &made[2]), 3))                                   \
  CASE(SVD, full, -2, 2, false, vectors(hed_svd(a, true, &made[0], &made[1], NULL), 2))                                 \
  CASE(SVDVALS, plain, -2, 2, false, hed_svdvals(w))                                                                    \
  CASE(SVD_THRESHOLDING, plain, -2, 2, false, hed_svd_thresholding(w, 0.6))                                             \
  CASE(PROCRUSTES, plain, -2, 2, false, hed_procrustes(w))                                                              \
  CASE(POLAR_UNITARY, plain, -2, 2, false, hed_polar_unitary(c))                                                        \
  CASE(POLAR_UNITARY, tall, -2, 2, false, hed_polar_unitary(hed_matrix_transpose(w)))                                   \
  CASE(PINV, plain, -2, 2, false, hed_pinv(w, -1))                                                                      \
  CASE(PINV, low_rank, -2, 2, false, hed_pinv(hed_matmul(hed_matrix_transpose(hed_slice(a, 1,                           \
       (const hed_slice_range[]){ HED_RANGE(0, 2, 1) })), hed_slice(a, 1, (const hed_slice_range[]){ HED_RANGE(1,       \
       3, 1) })), 1e-4))                                                                                                \
  CASE(PINV, each, -2, 2, false, hed_pinv_each(w, hed_full(HED_SHAPE(2), 1e-9, HED_FLOAT64)))                           \
  CASE(LSTSQ, plain, -2, 2, false, ALL(4, hed_lstsq(hed_matrix_transpose(a), c, -1, &made[0], &made[1], &made[2],       \
       &made[3])))                                                                                                      \
  CASE(LSTSQ, wide, -2, 2, false, ALL(1, hed_lstsq(a, v, -1, &made[0], NULL, NULL, NULL)))                              \
  CASE(EIGH, plain, -2, 2, false, vectors(hed_eigh(positive(c), true, &made[0], &made[1]), 2))                          \
  CASE(EIGH_RANGE, plain, -2, 2, false, vectors(hed_eigh_range(positive(c), 1, 2, true, &made[0], &made[1]), 2))         \
  CASE(EIGH_RANGE, vectors, -2, 2, false, vectors(hed_eigh_range(positive(c), -1, 1, false, NULL, &made[1]), 2))         \
  CASE(EIGH_RANGE, values, -2, 2, false, ALL(1, hed_eigh_range(positive(c), 0, 2, false, &made[0], NULL)))              \
  CASE(EIGVALSH, plain, -2, 2, false, hed_eigvalsh(hed_add(c, hed_matrix_transpose(hed_conj(c))), false))               \
  CASE(EIG, plain, -2, 2, false, vectors(hed_eig(c, &made[0], &made[1]), 2))                                            \
  CASE(EIGVALS, plain, -2, 2, false, hed_eigvals(c))                                                                    \
  CASE(QR, tall, -2, 2, false, vectors(hed_qr(hed_matrix_transpose(w), HED_QR_REDUCED, &made[0], &made[1]), 2))         \
  CASE(QR, wide, -2, 2, false, vectors(hed_qr(w, HED_QR_REDUCED, &made[0], &made[1]), 2))                               \
  CASE(QR, complete, -2, 2, false, vectors(hed_qr(hed_matrix_transpose(a), HED_QR_COMPLETE, NULL, &made[1]), 2))        \
  CASE(LU, plain, -2, 2, false, vectors(hed_lu(c, &made[3], &made[0], &made[1]), 2))                                    \
  CASE(LU, wide, -2, 2, false, vectors(hed_lu(w, &made[3], &made[0], &made[1]), 2))                                     \
  CASE(LU, tall, -2, 2, false, vectors(hed_lu(hed_matrix_transpose(w), &made[3], &made[0], &made[1]), 2))               \
  CASE(TENSORDOT_BATCHED, plain, -2, 2, false, hed_tensordot_batched(w, a,                                              \
       &(hed_tensordot_options){ .a_axes = HED_AXES(2), .b_axes = HED_AXES(1), .a_batch = HED_AXES(1),                  \
       .b_batch = HED_AXES(0) }))                                                                                       \
  CASE(UNFOLDING_DOT_KHATRI_RAO, plain, -2, 2, false, hed_unfolding_dot_khatri_rao(w, b, LIST(hed_slice(c, 1,           \
       (const hed_slice_range[]){ HED_RANGE(0, 2, 1) }), a, c), 1))                                                     \
  CASE(MATRIX_NORM, frobenius, -2, 2, false, hed_matrix_norm(a, HED_NORM_FROBENIUS, NULL, false))                       \
  CASE(MATRIX_NORM, nuclear, -2, 2, false, hed_matrix_norm(a, HED_NORM_NUCLEAR, NULL, false))                           \
  CASE(MATRIX_NORM, one, -2, 2, false, hed_matrix_norm(a, HED_NORM_ONE, NULL, false))                                   \
  CASE(MATRIX_NORM, minus_one, -2, 2, false, hed_matrix_norm(a, HED_NORM_MINUS_ONE, NULL, false))                       \
  CASE(MATRIX_NORM, two, -2, 2, false, hed_matrix_norm(a, HED_NORM_TWO, NULL, false))                                   \
  CASE(MATRIX_NORM, minus_two, -2, 2, false, hed_matrix_norm(a, HED_NORM_MINUS_TWO, NULL, false))                       \
  CASE(MATRIX_NORM, inf, -2, 2, false, hed_matrix_norm(a, HED_NORM_INF, NULL, false))                                   \
  CASE(MATRIX_NORM, minus_inf, -2, 2, false, hed_matrix_norm(a, HED_NORM_MINUS_INF, NULL, false))                       \
  CASE(TRUNCATED_SVD, plain, -2, 2, false, vectors(hed_truncated_svd(a, 2, &made[0], &made[1], &made[2]), 3))           \
  CASE(SYMEIG_SVD, plain, -2, 2, false, vectors(hed_symeig_svd(a, 2, &made[0], &made[1], &made[2]), 3))                 \
  CASE(RANDOMIZED_SVD, plain, -2, 2, true, ALL(3, hed_randomized_svd(a, 2, &(hed_random){ .seed = 1,                    \
       .seeded = true }, NULL, &made[1], NULL)))                                                                        \
  CASE(SVD_INTERFACE, plain, -2, 2, false, vectors(hed_svd_interface(a, &(hed_svd_options){ .n = 2,                     \
       .flip = HED_SVD_FLIP_U }, &made[0], &made[1], &made[2]), 3))                                                     \
  CASE(SVD_FLIP, plain, -2, 2, true, vectors(hed_svd_flip(hed_matrix_transpose(a), c, false, &made[0], &made[1]), 2))   \
  CASE(ORTHOGONALIZE_NONSQUARE, plain, -2, 2, false, hed_orthogonalize_nonsquare(hed_matrix_transpose(a)))              \
  CASE(HFFT1, plain, -2, 2, false, hed_hfft1(w, NULL))                                                                  \
  CASE(HFFT2, plain, -2, 2, false, hed_hfft2(w, NULL))                                                                  \
  CASE(HFFTN, plain, -2, 2, false, hed_hfftn(w, NULL))                                                                  \
  CASE(IHFFT1, plain, -2, 2, true, hed_ihfft1(w, NULL))                                                                 \
  CASE(IHFFT2, plain, -2, 2, true, hed_ihfft2(w, NULL))                                                                 \
  CASE(IHFFTN, plain, -2, 2, true, hed_ihfftn(w, NULL))                                                                 \
  CASE(SHIFT_FOURIER, plain, -2, 2, false, hed_shift_fourier(a, true))                                                  \
  CASE(CIRCULAR_CONVOLVE, plain, -2, 2, false, hed_circular_convolve(w, b))                                             \
  CASE(CIRCULAR_CORRELATE, plain, -2, 2, false, hed_circular_correlate(a, hed_square(b)))                               \
  CASE(APPLY_CONVOLUTION_MODE, plain, -2, 2, false, hed_apply_convolution_mode(c, HED_CONVOLVE_SAME, HED_SHAPE(3,       \
       2), HED_SHAPE(2, 2), NULL, false))                                                                               \
  CASE(SCRAMBLE_PHASES, plain, -2, 2, true, hed_scramble_phases(a, 0.4, &(hed_random){ .seed = 1, .seeded = true }))    \
  CASE(SPARSE_CATEGORICAL_CROSSENTROPY, plain, -2, 2, true, hed_sparse_categorical_crossentropy(a, INDICES(2, 0,        \
       3), &(hed_loss){ .from_logits = true }))                                                                         \
  CASE(COMPUTE_ENERGY_STABILITY, plain, -2, 2, true, hed_compute_energy_stability(a, 2))                                \
  CASE(COMPUTE_INTERFERENCE_STRENGTH, plain, -2, 2, true, hed_compute_interference_strength(a, b))                      \
  CASE(COMPUTE_PHASE_COHERENCE, plain, -2, 2, true, hed_compute_phase_coherence(a, b, 0, 0))                            \
  CASE(ADDAT, plain, -2, 2, false, written(a, hed_addat, TWO_ROWS, b))                                                  \
  CASE(PLACE, plain, -2, 2, false, placed(a, hed_eye(3, 4, 1, HED_BOOL), b))                                            \
  CASE(PUT_ALONG_AXIS, plain, -2, 2, false, put(a, hed_reshape(INDICES(3, 0, 3), HED_SHAPE(3, 1)), hed_reshape(v,       \
       HED_SHAPE(3, 1))))                                                                                               \
  CASE(TENSOR_SCATTER_ND_UPDATE, plain, -2, 2, false, hed_tensor_scatter_nd_update(a, hed_reshape(INDICES(2, 0, 2),     \
       HED_SHAPE(3, 1)), a))                                                                                            \
  CASE(SLICE_UPDATE, plain, -2, 2, false, hed_slice_update(w, HED_SHAPE(1, -2, 0), hed_reshape(b, HED_SHAPE(1, 1,       \
       4))))                                                                                                            \
  CASE(EXTRACT, plain, -2, 2, false, hed_extract(hed_eye(3, 4, 1, HED_BOOL), a))                                        \
  CASE(RANDOM_SHUFFLE, plain, -2, 2, false, hed_random_shuffle(w, 1, &(hed_random){ .seed = 3, .seeded = true }))       \
  CASE(DIVMOD, plain, -2, 2, true, ALL(2, hed_divmod(a, hed_add_scalar(hed_square(b), 0.7), &made[0], &made[1])))       \
  CASE(CORRELATE1D, reflect, -2, 2, true, hed_correlate1d(a, b, 1, &(hed_filter){ .boundary = HED_BOUNDARY_REFLECT,     \
       .cval = 0.4 }))                                                                                                  \
  CASE(SPLINE_FILTER, reflect, -2, 2, true, hed_spline_filter(w, &HED_AXES(1, 2), HED_BOUNDARY_REFLECT))                \
  CASE(MAP_COORDINATES, reflect_linear, -2, 2, true, hed_map_coordinates(w,                                             \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_REFLECT, .cval = 2 }))                    \
  CASE(MAP_COORDINATES, reflect_cubic, -2, 2, true, hed_map_coordinates(w,                                              \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_CUBIC, .boundary = HED_BOUNDARY_REFLECT, .cval = 2 }))                     \
  CASE(MINIMUM_FILTER, reflect, -2, 2, true, hed_minimum_filter(w, 3,                                                   \
       &(hed_filter){ .boundary = HED_BOUNDARY_REFLECT, .cval = 0.2 }))                                                 \
  CASE(CORRELATE1D, constant, -2, 2, true, hed_correlate1d(a, b, 1,                                                     \
       &(hed_filter){ .boundary = HED_BOUNDARY_CONSTANT, .cval = 0.4 }))                                                \
  CASE(SPLINE_FILTER, constant, -2, 2, true, hed_spline_filter(w, &HED_AXES(1, 2), HED_BOUNDARY_CONSTANT))              \
  CASE(MAP_COORDINATES, constant_linear, -2, 2, true, hed_map_coordinates(w,                                            \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_CONSTANT, .cval = 2 }))                   \
  CASE(MAP_COORDINATES, constant_cubic, -2, 2, true, hed_map_coordinates(w,                                             \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_CUBIC, .boundary = HED_BOUNDARY_CONSTANT, .cval = 2 }))                    \
  CASE(MINIMUM_FILTER, constant, -2, 2, true, hed_minimum_filter(w, 3,                                                  \
       &(hed_filter){ .boundary = HED_BOUNDARY_CONSTANT, .cval = 0.2 }))                                                \
  CASE(CORRELATE1D, nearest, -2, 2, true, hed_correlate1d(a, b, 1, &(hed_filter){ .boundary = HED_BOUNDARY_NEAREST,     \
       .cval = 0.4 }))                                                                                                  \
  CASE(SPLINE_FILTER, nearest, -2, 2, true, hed_spline_filter(w, &HED_AXES(1, 2), HED_BOUNDARY_NEAREST))                \
  CASE(MAP_COORDINATES, nearest_linear, -2, 2, true, hed_map_coordinates(w,                                             \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_NEAREST, .cval = 2 }))                    \
  CASE(MAP_COORDINATES, nearest_cubic, -2, 2, true, hed_map_coordinates(w,                                              \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_CUBIC, .boundary = HED_BOUNDARY_NEAREST, .cval = 2 }))                     \
  CASE(MINIMUM_FILTER, nearest, -2, 2, true, hed_minimum_filter(w, 3,                                                   \
       &(hed_filter){ .boundary = HED_BOUNDARY_NEAREST, .cval = 0.2 }))                                                 \
  CASE(CORRELATE1D, mirror, -2, 2, true, hed_correlate1d(a, b, 1, &(hed_filter){ .boundary = HED_BOUNDARY_MIRROR,       \
       .cval = 0.4 }))                                                                                                  \
  CASE(SPLINE_FILTER, mirror, -2, 2, true, hed_spline_filter(w, &HED_AXES(1, 2), HED_BOUNDARY_MIRROR))                  \
  CASE(MAP_COORDINATES, mirror_linear, -2, 2, true, hed_map_coordinates(w,                                              \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_MIRROR, .cval = 2 }))                     \
  CASE(MAP_COORDINATES, mirror_cubic, -2, 2, true, hed_map_coordinates(w,                                               \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_CUBIC, .boundary = HED_BOUNDARY_MIRROR, .cval = 2 }))                      \
  CASE(MINIMUM_FILTER, mirror, -2, 2, true, hed_minimum_filter(w, 3,                                                    \
       &(hed_filter){ .boundary = HED_BOUNDARY_MIRROR, .cval = 0.2 }))                                                  \
  CASE(CORRELATE1D, wrap, -2, 2, true, hed_correlate1d(a, b, 1, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP,           \
       .cval = 0.4 }))                                                                                                  \
  CASE(SPLINE_FILTER, wrap, -2, 2, true, hed_spline_filter(w, &HED_AXES(1, 2), HED_BOUNDARY_WRAP))                      \
  CASE(MAP_COORDINATES, wrap_linear, -2, 2, true, hed_map_coordinates(w,                                                \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_WRAP, .cval = 2 }))                       \
  CASE(MAP_COORDINATES, wrap_cubic, -2, 2, true, hed_map_coordinates(w,                                                 \
       hed_multiply_scalar(hed_stack(LIST(hed_index(a, 0, 0), hed_index(a, 0, 1), b), 0), 1.3),                         \
       &(hed_resample){ .spline = HED_SPLINE_CUBIC, .boundary = HED_BOUNDARY_WRAP, .cval = 2 }))                        \
  CASE(MINIMUM_FILTER, wrap, -2, 2, true, hed_minimum_filter(w, 3, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP,        \
       .cval = 0.2 }))                                                                                                  \
  CASE(MAXIMUM_FILTER, plain, -2, 2, true, hed_maximum_filter(a, 3, 0.1))                                               \
  CASE(MEDIAN_FILTER, plain, -2, 2, true, hed_median_filter(a, 2, NULL))                                                \
  CASE(GAUSSIAN_FILTER, plain, -2, 2, true, hed_gaussian_filter(a, 1, (const double[]){ 0.8 }, NULL))                   \
  CASE(UNIFORM_FILTER, plain, -2, 2, true, hed_uniform_filter(a, 3, NULL))                                              \
  CASE(LAPLACE, plain, -2, 2, true, hed_laplace(a, NULL))                                                               \
  CASE(SOBEL, plain, -2, 2, true, hed_sobel(a, 0, NULL))                                                                \
  CASE(GRADIENT_MAGNITUDE, plain, -2, 2, true, hed_gradient_magnitude(a, NULL))                                         \
  CASE(AFFINE_TRANSFORM, plain, -2, 2, true, hed_affine_transform(a, (const double[]){ 0.9, 0.2, 0.1, -0.3, 0.8,        \
       0.6 }, &HED_SHAPE(4, 3), &(hed_resample){ .boundary = HED_BOUNDARY_REFLECT }))                                   \
  CASE(AFFINE_TRANSFORM, into, -2, 2, true, warped(a, (const double[]){ 0.9, 0.2, 0.1, -0.3, 0.8, 0.6 }))               \
  CASE(ZOOM, plain, -2, 2, true, hed_zoom(w, HED_SHAPE(3, 2, 5), NULL))                                                 \
  CASE(RIGID_TRANSFORM, plain, -2, 2, true, ALL(2, hed_rigid_transform(a, hed_square(a), (const double[]){ 0.96,        \
       -0.28, 0.28, 0.96 }, &(hed_rigid){ .translation = (const double[]){ 0.3, -0.2 } }, &made[0], &made[1])))         \
  CASE(RIGID_TRANSFORM, batched, -2, 2, true, ALL(1, hed_rigid_transform(w, NULL, (const double[]){ 0.96, -0.28,        \
       0.28, 0.96 }, &(hed_rigid){ .batched = true, .spline = HED_SPLINE_LINEAR }, &made[0], NULL)))

#endif
