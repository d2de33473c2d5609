// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the files of the cpu module share: services of the host, the kernels of the chosen
 * instruction set, and the rows of the table. L1; includes lib/base and the plug-in interface only.
 *
 * The module has no thread-local variables and prints nothing. cpu_host is set before the first
 * kernel runs and never changes.
 */
#ifndef HED_BACKENDS_CPU_H
#define HED_BACKENDS_CPU_H

#include "base/dtype.h"
#include <heddle/kernel.h>

#ifndef HED_MODULE_VERSION
#define HED_MODULE_VERSION "0.1.0"
#endif

#define CPU_LIKELY(x) __builtin_expect(!!(x), 1)
/* Bytes rounded up to whole lines of the caches. */
#define CPU_LINES(bytes) (((bytes) + 63) / 64 * 64)
#define CPU_MIN(a, b) ((a) < (b) ? (a) : (b))
#define CPU_MAX(a, b) ((a) > (b) ? (a) : (b))

extern const hed_host_api *cpu_host;

/* Highest instruction set of this processor that kernels were built for and that HEDDLE_CPU_LEVEL allows. */
typedef enum cpu_level { CPU_LEVEL_BASE, CPU_LEVEL_AVX2, CPU_LEVEL_AVX512 } cpu_level;
cpu_level cpu_detect_level(void);

/* Takes the kernels of that, once; what is wrong with the environment, empty: nothing. */
void cpu_choose_level(void);
extern char cpu_odd_setting[128];

/* Fills the sparse table (once, from the entry function); ends with name NULL. */
const hed_op_entry *cpu_table(void);

/* Rows that are not elementwise. */
int32_t cpu_fill(void *state, const hed_call *call);
int32_t cpu_astype(void *state, const hed_call *call);
/* Not a row: TO becomes FROM, of the same shape, converted, by as many threads as CALL may have. */
int32_t cpu_convert(const hed_call *call, const hed_view *to, const hed_view *from);
int32_t cpu_concatenate(void *state, const hed_call *call);
int32_t cpu_random(void *state, const hed_call *call);
int32_t cpu_prod(void *state, const hed_call *call);
int32_t cpu_any(void *state, const hed_call *call);
int32_t cpu_all(void *state, const hed_call *call);
int32_t cpu_count_nonzero(void *state, const hed_call *call);
int32_t cpu_cumsum(void *state, const hed_call *call);
int32_t cpu_cumprod(void *state, const hed_call *call);
int32_t cpu_cummax(void *state, const hed_call *call);
int32_t cpu_cummin(void *state, const hed_call *call);
int32_t cpu_softmax(void *state, const hed_call *call);
int32_t cpu_log_softmax(void *state, const hed_call *call);
int32_t cpu_lstm_step(void *state, const hed_call *call);
int32_t cpu_lstm_step_back(void *state, const hed_call *call);
int32_t cpu_gru_step(void *state, const hed_call *call);
int32_t cpu_gru_step_back(void *state, const hed_call *call);
int32_t cpu_synapses_of(void *state, const hed_call *call);
int32_t cpu_synapses_back(void *state, const hed_call *call);
int32_t cpu_quantile(void *state, const hed_call *call);
int32_t cpu_random_rows(void *state, const hed_call *call);
int32_t cpu_searchsorted(void *state, const hed_call *call);
int32_t cpu_bincount(void *state, const hed_call *call);
int32_t cpu_histogram(void *state, const hed_call *call);
int32_t cpu_sort(void *state, const hed_call *call);
int32_t cpu_argsort(void *state, const hed_call *call);
int32_t cpu_topk(void *state, const hed_call *call);
int32_t cpu_arange(void *state, const hed_call *call);
int32_t cpu_tril(void *state, const hed_call *call);
int32_t cpu_triu(void *state, const hed_call *call);
int32_t cpu_nonzero(void *state, const hed_call *call);
int32_t cpu_take(void *state, const hed_call *call);
int32_t cpu_take_along_axis(void *state, const hed_call *call);
int32_t cpu_repeat(void *state, const hed_call *call);
int32_t cpu_gather_nd(void *state, const hed_call *call);
int32_t cpu_scatter_nd(void *state, const hed_call *call);
int32_t cpu_compress(void *state, const hed_call *call);
int32_t cpu_matmul(void *state, const hed_call *call);
int32_t cpu_vecdot(void *state, const hed_call *call);
int32_t cpu_cross(void *state, const hed_call *call);
int32_t cpu_pack_bits(void *state, const hed_call *call);
int32_t cpu_unpack_bits(void *state, const hed_call *call);
int32_t cpu_hamming_matrix(void *state, const hed_call *call);
int32_t cpu_majority_bits(void *state, const hed_call *call);
int32_t cpu_weighted_majority_bits(void *state, const hed_call *call);
int32_t cpu_phasor(void *state, const hed_call *call);
int32_t cpu_polar_unitary(void *state, const hed_call *call);
int32_t cpu_isotonic(void *state, const hed_call *call);
int32_t cpu_vector_norm(void *state, const hed_call *call);
int32_t cpu_svd(void *state, const hed_call *call);
int32_t cpu_det(void *state, const hed_call *call);
int32_t cpu_lu(void *state, const hed_call *call);
int32_t cpu_solve(void *state, const hed_call *call);
int32_t cpu_solve_triangular(void *state, const hed_call *call);
int32_t cpu_cholesky(void *state, const hed_call *call);
int32_t cpu_qr(void *state, const hed_call *call);
int32_t cpu_eigh(void *state, const hed_call *call);
int32_t cpu_eigh_range(void *state, const hed_call *call);
int32_t cpu_eig(void *state, const hed_call *call);
int32_t cpu_fft(void *state, const hed_call *call);
int32_t cpu_fft_plan_make(void *state, const hed_call *call, void **plan);
void cpu_fft_plan_free(void *state, void *plan);
int32_t cpu_affine(void *state, const hed_call *call);
int32_t cpu_affine_points(const hed_call *call);
/* Where points are a grid along the axes and rows long enough for it; others: false. */
bool cpu_affine_is_grid(const hed_call *call);
int32_t cpu_affine_grid(const hed_call *call);
/* Batch element I of V: its last ND axes. */
hed_view cpu_affine_part(const hed_view *v, int32_t nd, int64_t i);
int32_t cpu_map_coordinates(void *state, const hed_call *call);
int32_t cpu_correlate1d(void *state, const hed_call *call);
int32_t cpu_convolve_direct(void *state, const hed_call *call);
int32_t cpu_maximum_filter(void *state, const hed_call *call);
int32_t cpu_minimum_filter(void *state, const hed_call *call);
int32_t cpu_median_filter(void *state, const hed_call *call);
int32_t cpu_spline_filter(void *state, const hed_call *call);
int32_t cpu_norm_scores(void *state, const hed_call *call);
int32_t cpu_max_score(void *state, const hed_call *call);
int32_t cpu_max_correlation(void *state, const hed_call *call);
/* hed_plugin.workspace. */
size_t cpu_workspace(void *state, const hed_call *call);

/* Eight bytes to be moved whatever they are: complex64 is aligned to four. */
typedef uint64_t cpu_word64 __attribute__((aligned(4), may_alias));

/* Facts for describe. */
void cpu_blas_describe(char *buf, size_t cap);
#ifdef HED_HAVE_FFTW
const char *cpu_fft_version(void);
#endif

/* Plans that the module keeps: returns what it gave back, at most WANT bytes. */
size_t cpu_fft_trim(size_t want);

/* Scratch memory for one call, 64-byte aligned: from the host's pool and, for the calling thread, within its limits (helpers
 * have none, so the caller asks for theirs where it is much). NULL when there is none. */
void *cpu_scratch_get(size_t bytes);
void cpu_scratch_put(void *p);

/* A room: CPU_ROOM bytes, 64-byte aligned, for the blocks that a piece of work goes by, since the stacks of the program's threads may
 * be small. cpu_room_take() has one always; who has it takes no other and waits for nobody. cpu_room_keep() is for who does either,
 * NULL when there is no memory. CPU_IN_ROOM: COUNT of type T, until the end of the block that NAME is declared in. */
enum { CPU_ROOM = 160 << 10 };
void *cpu_room_take(void) __attribute__((malloc, returns_nonnull, assume_aligned(64)));
void *cpu_room_keep(void) __attribute__((malloc, assume_aligned(64)));
void cpu_room_leave(void *room);
void cpu_room_end(const void *at); /* cpu_room_leave() of the pointer at AT */
#define CPU_IN_ROOM(T, NAME, COUNT)                                                       \
  _Static_assert((COUNT) * sizeof(T) <= CPU_ROOM, "more than a room has");              \
  T *const NAME __attribute__((cleanup(cpu_room_end))) = cpu_room_take()

#endif
