// SPDX-License-Identifier: BSD-3-Clause
/* The shared layer from inside: what its files know of each other. L1. See device.h for the port below it.
 *
 * A submission: dev_submit_begin (whose stream, what it comes after), launches and copies, dev_submit_end (its ticket).
 * Programs are had before it begins: compiling takes long, and the stream's lock is held from begin to end.
 */
#ifndef HED_DEVICE_LAYER_H
#define HED_DEVICE_LAYER_H

#include "backends/device/device.h"
#include "backends/device/kernels/args.h"
#include "backends/device/kernels/args_scan.h"
#include "backends/device/kernels/args_sort.h"
#include "base/shape.h"

enum {
  DEV_MOST_DEVICES = 16,       /* of a backend */
  DEV_OWN_STREAMS = 32,        /* that threads get; more threads share them */
  DEV_STREAMS = 96,            /* and those that programs bring */
  DEV_PIECES = 4, DEV_PIECE = 1 << 20, /* of pinned memory, for copies */
  DEV_RECORDS = 256,           /* error records of a stream */
  DEV_RECORD_WORDS = 4,
  DEV_TEXT = 232
};

/* ---- event.c ---- */

/* All that a stream held when it was made: VALUE and before. */
typedef struct dev_event {
  void *native;
  uint64_t value;
  atomic_int users;
} dev_event;

/* An event of S for VALUE, NULL when that is known to be over, or with *STATUS set when there is none to be had. S's lock is held. */
dev_event *dev_event_of(dev_stream *s, uint64_t value, int32_t *status);
void dev_event_drop(dev_device *d, dev_event *e);
/* Is E over: 1, 0, or a failure. */
int32_t dev_event_over(dev_stream *s, dev_event *e);
int32_t dev_event_wait(dev_stream *s, dev_event *e);

/* ---- stream.c ---- */

typedef struct dev_piece {
  void *memory;                /* pinned */
  dev_event *busy;
} dev_piece;

/* Scratch memory that was too small, or too large to keep, until its last use is over. */
typedef struct dev_retired {
  struct dev_retired *next;
  void *memory;
  size_t bytes;
  uint64_t value;
} dev_retired;

struct dev_stream {
  dev_device *device;
  int32_t number;
  void *native;                /* the port's */
  void *handle;                /* of a program's own, else NULL */
  pthread_mutex_t lock;        /* of submissions */
  atomic_uint_fast64_t issued, reached; /* values: the last given, and known to be over */
  dev_event *last;             /* the newest */
  int32_t threads;             /* whose own it is */
  dev_piece piece[DEV_PIECES];
  int32_t next_piece;
  void *scratch;
  size_t scratch_bytes;
  dev_retired *retired;
  void *record, *found;        /* DEV_RECORDS on the device; where they arrive, pinned */
  int32_t next_record;
};

/* ---- errors.c ---- */

typedef struct dev_failure {
  uint64_t ticket;
  int32_t op, status;
  char text[DEV_TEXT];
} dev_failure;

/* Submissions of which it is not known whether they failed. */
typedef struct dev_check {
  uint64_t ticket, origin;     /* ORIGIN: the ticket whose record decides */
  int32_t record;              /* of the origin; -1: tainted by it */
  int32_t op, axis;
} dev_check;

typedef struct dev_pinned dev_pinned;

struct dev_device {
  const dev_port *port;
  void *dev;
  const hed_host_api *host;
  const hed_plugin *plugin;
  int32_t index;
  char name[40];               /* "opencl:0" */
  dev_limits limits;
  volatile sig_atomic_t forked;
  atomic_bool lost;
  char lost_text[DEV_TEXT];
  pthread_mutex_t lock;        /* of what follows */
  dev_stream *stream[DEV_STREAMS];
  int32_t n_streams, n_own;
  struct dev_slab *slabs;
  dev_pinned *pinned;          /* blocks that programs have */
  dev_failure *failures;       /* a ring of n_failures so far */
  dev_check *checks;
  int32_t cap_checks;
  atomic_int n_checks, n_failures;
  pthread_mutex_t program_lock;
  pthread_cond_t program_made;
  dev_program **programs;      /* by hash of the spec */
  int32_t n_programs, cap_programs;
  uint64_t program_hits, program_waits;
  atomic_bool unsaved;         /* some have kernels that their files do not have */
  atomic_uint_fast64_t saved_ns;
  _Atomic(void *) *map_entry;  /* of family programs: [op][compute][layout] */
  _Atomic(void *) *cast_entry; /* [from][to][layout] */
};

/* ---- device.c ---- */

/* A device on PORT and DEV, ready. NAME: the backend's. */
int32_t dev_open(const dev_port *port, void *dev, const hed_host_api *host, const hed_plugin *plugin, int32_t index,
                 dev_device **out);
/* The members of hed_plugin that are the same for all. */
#define DEV_MEMBERS \
  .flags = HED_PLUGIN_STREAMS | HED_PLUGIN_HOST_SCALARS | HED_PLUGIN_FUSE_DEVICE | HED_PLUGIN_CHECKS_INDICES, \
  .ops = dev_ops, .resolve = dev_resolve, .fuse = dev_fuse, \
  .describe = dev_describe, .alloc = dev_alloc, .free = dev_free, .copy_in = dev_copy_in, \
  .copy_out = dev_copy_out, .copy_in_async = dev_copy_in_async, .copy_peer = dev_copy_peer, \
  .pinned_alloc = dev_pinned_alloc, .pinned_free = dev_pinned_free, \
  .wait = dev_wait, .done = dev_done, .memory = dev_memory, .trim = dev_trim, \
  .thread_exit = dev_thread_exit, .fork_child = dev_fork_child, .stream = dev_stream_number, \
  .stream_native = dev_stream_native, .stream_adopt = dev_stream_adopt, \
  .stream_select = dev_stream_select, .stream_after = dev_stream_after, \
  .after_stream = dev_after_stream

extern const hed_op_entry dev_ops[];
int32_t dev_resolve(void *state, int32_t dtype, hed_plugin_resolution *out);
void dev_describe(void *state, char *buf, size_t cap);
int32_t dev_alloc(void *state, size_t bytes, void **out);
void dev_free(void *state, void *p);
int32_t dev_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t dev_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t dev_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                          int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket);
int32_t dev_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src, const uint64_t *wait_for,
                      int32_t n_wait_for, const uint64_t *after, int32_t n_after, const uint64_t *src_wait,
                      int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket);
int32_t dev_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
int32_t dev_done(void *state, uint64_t ticket);
int32_t dev_memory(void *state, hed_plugin_memory *out);
size_t dev_trim(void *state, size_t want, int32_t level);
void dev_thread_exit(void *state, void *slot);
void dev_fork_child(void *state);
int32_t dev_stream_number(void *state);
int32_t dev_stream_native(void *state, void **handle);
int32_t dev_stream_adopt(void *state, void *handle);
int32_t dev_stream_select(void *state, int32_t stream);
int32_t dev_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n);
int32_t dev_after_stream(void *state, void *handle);

/* ---- lost.c ---- */

/* HED_OK, or why D takes nothing: in a child of fork, lost. */
int32_t dev_usable(dev_device *d);
/* STATUS of a call of the port: with HED_E_UNAVAILABLE the device is lost. */
int32_t dev_status(dev_device *d, int32_t status);

/* ---- submissions: stream.c ---- */

typedef struct dev_submit {
  dev_device *device;
  dev_stream *stream;
  bool begun;                  /* something is in the stream */
  bool skip;                   /* what it waits for has failed: it does not run */
  bool tainted;                /* or may have */
  uint64_t origin;             /* whose failure it is */
  int32_t record, op, axis;    /* what its kernel checks: the record, else -1 */
} dev_submit;

int32_t dev_submit_begin(dev_submit *q, dev_device *d, const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after,
                         int32_t n_after);
static inline int32_t dev_submit_call(dev_submit *q, dev_device *d, const hed_call *c)
{
  return dev_submit_begin(q, d, c->wait_for, c->n_wait_for, c->after, c->n_after);
}
int32_t dev_submit_launch(dev_submit *q, void *entry, const dev_launch *launch);
/* Memory of the device until the submission is over; one piece for each. */
int32_t dev_submit_scratch(dev_submit *q, size_t bytes, void **out);
/* Gives STATUS back, and where that is HED_OK the ticket (TICKET may be NULL). What was begun and failed is waited for. */
int32_t dev_submit_end(dev_submit *q, int32_t status, uint64_t *ticket);
/* The host waits for TICKETS, whose failures are this one's. */
int32_t dev_submit_await(dev_device *d, const uint64_t *tickets, int32_t n);

static inline uint64_t dev_ticket(const dev_stream *s, uint64_t value) { return (uint64_t)s->number << 48 | value; }
static inline uint64_t dev_value(uint64_t ticket) { return ticket & (((uint64_t)1 << 48) - 1); }

/* ---- errors.c ---- */
/* What is known of TICKETS: fills in q->skip, tainted, origin. */
void dev_errors_look(dev_submit *q, const uint64_t *tickets, int32_t n);
/* The submission Q has got TICKET. */
int32_t dev_errors_enter(const dev_submit *q, uint64_t ticket);
/* Its failure, if it is one: a status, OP and TEXT. TICKET is over. */
int32_t dev_errors_of(dev_device *d, uint64_t ticket, int32_t *op, char *text, size_t cap);
/* A record for what Q's kernel checks about operand 0's AXIS (-1: several): its address. */
int32_t dev_errors_record(dev_submit *q, int32_t op, int32_t axis, void **record);
/* After the kernel. */
int32_t dev_errors_fetch(dev_submit *q);

/* ---- staging.c ---- */
/* In Q's stream, from or to host memory in C order (contiguous). What is read has been read, what is written is there, when
 * they return. */
int32_t dev_stage_in(dev_submit *q, void *to, const hed_view *src);
int32_t dev_stage_out(dev_submit *q, const hed_view *dst, const void *from);
/* Few bytes of host memory to the device, in order. */
int32_t dev_stage_bytes(dev_submit *q, void *to, const void *from, size_t bytes);

/* ---- pinned.c ---- */
int32_t dev_pinned_alloc(void *state, size_t bytes, void **out);
void dev_pinned_free(void *state, void *memory);
/* Are the BYTES of V one block in such memory, and many? */
bool dev_travels_alone(dev_device *d, const hed_view *v, size_t bytes);

/* ---- memory.c ---- */
int32_t dev_memory_get(dev_device *d, size_t bytes, void **out);
void dev_memory_put(dev_device *d, void *p);

/* ---- program.c ---- */
/* All rows of FAMILY, with the storage that they have for COMPUTE. */
dev_spec dev_spec_of(const char *family, int32_t compute);
/* NAME in capitals, for `only'. */
enum { DEV_ROW_NAME = 40 };
const char *dev_row_name(char only[DEV_ROW_NAME], const char *name);
/* The entry NAME of SPEC's program. */
int32_t dev_kernel(dev_device *d, const dev_spec *spec, const char *name, void **out);
/* What has been compiled since, to disk, where that is wanted: all of it, or when the last time was long ago. */
void dev_programs_save(dev_device *d);
void dev_programs_save_now_and_then(dev_device *d);
/* Elements of a work-item in flat layouts. */
static inline int dev_per_item(const dev_device *d) { return d->limits.is_cpu ? 1 : 4; }

/* ---- plan.c ---- */

enum { DEV_PLAN_AXES = 4 };
typedef enum dev_layout { DEV_FLAT, DEV_ROWS, DEV_STRIDED, DEV_STRIDED64, DEV_TRANSPOSED, DEV_LAYOUTS } dev_layout;

/* Operands of one shape in as few axes as there can be, the result first; strides in elements, 0 for single elements. */
typedef struct dev_plan {
  hed__nest nest;
  uint32_t single;             /* bit k: operand k, which is nest's k + 1 */
  dev_layout layout;
  int32_t inner;               /* axes that a launch does; those before are gone through by launches */
} dev_plan;

/* HED_E_UNSUPPORTED where a stride is no multiple of the element's size, or launches would be too many. HOST: bits of operands in
 * host memory. */
int32_t dev_plan_make(dev_plan *p, const dev_device *d, int32_t n, const hed_view *const *views, uint32_t host);
extern const char *const dev_layout_names[DEV_LAYOUTS];

/* What the launches of a plan share. */
typedef struct dev_map_args {
  uint32_t host;
  uint64_t value[3][2], param[4];
} dev_map_args;
int32_t dev_plan_launch(dev_submit *q, const dev_plan *p, const hed_view *const *views, void *entry,
                        const dev_map_args *args);

/* X, Y and Z items in groups of the device's size. */
void dev_launch_items(dev_launch *l, const dev_device *d, uint64_t x, uint64_t y, uint64_t z);

/* ENTRY for ITEMS of them in x. */
int32_t dev_submit_items(dev_submit *q, void *entry, uint64_t items, int32_t n_pointers, void *const *pointer, const void *args,
                         size_t bytes);
/* A call without anything to do, after all that it waits for. */
int32_t dev_nothing_call(void *state, const hed_call *call);

/* V's element, in host memory, as it is stored with DTYPE. */
void dev_element_bits(const hed_view *v, int32_t dtype, uint64_t bits[2]);
/* X as kernels read numbers of arguments. */
uint64_t dev_number_bits(const dev_device *d, double x);

/* ---- make.c ---- */

/* A value for all elements of a view. */
typedef struct dev_fill_job {
  const hed_view *view;
  dev_plan plan;
  void *entry;
} dev_fill_job;

int32_t dev_fill_prepare(dev_device *d, dev_fill_job *j, const hed_view *v);
int32_t dev_fill_submit(dev_submit *q, dev_fill_job *j, void *dst, const uint64_t bits[2]);

/* ---- map.c ---- */

/* Rows as programs name them: "ADD"; NULL of operations that are not elementwise. */
extern const char *const dev_map_ids[HED_OP_COUNT_];
/* Type of what a row's formula gives in COMPUTE, and of its operand K there. */
int32_t dev_map_result(int32_t op, int32_t compute);
int32_t dev_map_operand(int32_t op, int32_t compute, int32_t k);
/* The row's parameters as its kernels read them; false where it has none. */
bool dev_map_params(const dev_device *d, int32_t op, const void *params, uint64_t param[4]);

/* ---- fuse_call.c ---- */
int32_t dev_fuse(void *state, const hed_fused_call *call);

/* ---- cast.c ---- */

/* Elements of device views of one shape, converted where the dtypes differ. */
typedef struct dev_cast_job {
  const hed_view *views[2];    /* to, from */
  dev_plan plan;
  dev_map_args args;
  void *entry;
  bool whole, fill;            /* one block of bytes; one element for all */
  hed__map_rows_args transposed; /* layout TRANSPOSED */
  dev_fill_job filling;
  uint64_t bits[2];
} dev_cast_job;

/* What it takes, to be had before a submission begins; HOST: SRC is one element in host memory. The views stay there. */
int32_t dev_cast_prepare(dev_device *d, dev_cast_job *j, const hed_view *dst, const hed_view *src, bool host);
/* In Q's stream, with data at DST and SRC, which need not be what the views had. */
int32_t dev_cast_submit(dev_submit *q, dev_cast_job *j, void *dst, void *src);

/* ---- scan.c ---- */

/* V with AXIS last. */
hed_view dev_moved_last(const hed_view *v, int32_t axis);
/* V as v[a, r, c], r its axis AXIS (none where that is ndim), strides in elements; false where the axes on either side do not
 * lie as one. */
bool dev_line_view(const hed_view *v, int32_t axis, int64_t n[3], int64_t stride[3]);

/* A scan of x[a, r, c] along r: args say which, entries and sizes follow. */
typedef struct dev_sums_job {
  hed__scan_args args;
  bool lanes;
  void *parts, *offsets, *write;
  size_t bytes;                /* of scratch memory for states */
} dev_sums_job;

void dev_sums_plan(const dev_device *d, dev_sums_job *j);
int32_t dev_sums_entries(dev_device *d, dev_sums_job *j, const dev_spec *spec, const char *op);
/* OUT may be X. */
int32_t dev_sums_submit(dev_submit *q, const dev_sums_job *j, void *out, void *x, void *states);
/* Sums so far of ROWS rows of N numbers of DTYPE, side by side. */
int32_t dev_sums_prepare(dev_device *d, dev_sums_job *j, int32_t dtype, int64_t rows, int64_t n);

/* An operand or a result that a kernel wants in C order, in scratch memory where it does not lie so. */
typedef struct dev_pack {
  bool needed;
  hed_view given, packed;
  size_t bytes;                /* of scratch memory */
  void *data;                  /* what the kernel gets */
  dev_cast_job job;
} dev_pack;

/* Before a submission; the pack stays where it is. */
int32_t dev_pack_prepare(dev_device *d, dev_pack *p, const hed_view *v, bool needed, bool result);
/* In it: an operand is packed, a result gets its place, and is unpacked at the end. *SCRATCH moves on. */
int32_t dev_pack_in(dev_submit *q, dev_pack *p, char **scratch);
void dev_pack_out(dev_pack *p, char **scratch);
int32_t dev_pack_finish(dev_submit *q, dev_pack *p);

/* ---- dense.c ---- */

/* The same of an operand or a result that is wanted dense and as DTYPE; ALWAYS in scratch memory where that is set. */
int32_t dev_pack_dense(dev_device *d, dev_pack *p, const hed_view *v, int32_t dtype, bool always, bool result);

/* A call whose kernel takes the result and its operands dense, as they are stored, one after the other, and does not read what it
 * has written. */
typedef struct dev_dense_job {
  int64_t items;
  int32_t operands;            /* of the kernel; those that the call does not have are not followed */
  bool checks;                 /* it has an error record, for operand 0's AXIS */
  int32_t axis;
  const void *args;
  size_t args_bytes;
  dev_pack in[3], out;         /* what follows is not the caller's */
  size_t bytes;
  void *entry;
} dev_dense_job;

int32_t dev_dense_call(dev_device *d, dev_dense_job *j, const hed_call *c, const dev_spec *spec, const char *name);

/* ---- sort.c ---- */

/* Rows of keys with a number each, into order, stably. */
typedef struct dev_order_job {
  hed__sort_args args;
  int32_t key_bytes, digit_bits;
  bool merges;                 /* an item a row, else by digits */
  size_t keys, numbers, counts, states; /* bytes of scratch memory: of one set of both, and what digits take */
  dev_sums_job sums;
  void *merge, *count, *move;
} dev_order_job;

/* Two sets of both; what is to be sorted, and is then sorted, is in set 0. */
typedef struct dev_order {
  char *keys[2], *numbers[2], *counts, *states;
} dev_order;

/* Keys as those of DTYPE. */
int32_t dev_order_prepare(dev_device *d, dev_order_job *j, int32_t dtype, int64_t rows, int64_t n);
size_t dev_order_bytes(const dev_order_job *j);
void dev_order_place(const dev_order_job *j, dev_order *o, char **scratch);
/* By the low BITS of the keys. */
int32_t dev_order_submit(dev_submit *q, const dev_order_job *j, dev_order *o, int32_t bits);

/* ---- gather.c ---- */

/* Elements from where indices say. */
typedef struct dev_gather_job {
  hed_view from, index;        /* of the result's shape; strides 0 along axes that they do not have */
  int64_t step, extent;        /* bytes from an index to the next; what it is checked against */
  int32_t code, axis;
  hed__nest nest;              /* result, from, index */
  void *entry;
} dev_gather_job;

/* OUT (n, rest) from the first AXES axes of X, which lie as one, at PLACES (n). */
void dev_gather_describe(dev_gather_job *j, const hed_view *out, const hed_view *x, const hed_view *places, int32_t axes);
bool dev_lie_as_one(const hed_view *v, int32_t axes);
int32_t dev_gather_prepare(dev_device *d, dev_gather_job *j, const hed_view *out);
/* Operation OP is to blame for an index that is out of range. */
int32_t dev_gather_submit(dev_submit *q, dev_gather_job *j, int32_t op, void *x, void *index);

/* ---- rows ---- */
int32_t dev_map_call(void *state, const hed_call *call);
int32_t dev_cast_call(void *state, const hed_call *call);
int32_t dev_concatenate_call(void *state, const hed_call *call);
int32_t dev_fill_call(void *state, const hed_call *call);
int32_t dev_arange_call(void *state, const hed_call *call);
int32_t dev_tril_call(void *state, const hed_call *call);
int32_t dev_triu_call(void *state, const hed_call *call);
int32_t dev_reduce_call(void *state, const hed_call *call);
int32_t dev_vecdot_call(void *state, const hed_call *call);
int32_t dev_scan_call(void *state, const hed_call *call);
int32_t dev_take_call(void *state, const hed_call *call);
int32_t dev_take_along_axis_call(void *state, const hed_call *call);
int32_t dev_gather_nd_call(void *state, const hed_call *call);
int32_t dev_random_call(void *state, const hed_call *call);
int32_t dev_random_rows_call(void *state, const hed_call *call);
int32_t dev_random_haar_call(void *state, const hed_call *call);
int32_t dev_matmul_call(void *state, const hed_call *call);
int32_t dev_softmax_call(void *state, const hed_call *call);
int32_t dev_sort_call(void *state, const hed_call *call);
int32_t dev_quantile_call(void *state, const hed_call *call);
int32_t dev_nonzero_call(void *state, const hed_call *call);
int32_t dev_compress_call(void *state, const hed_call *call);
int32_t dev_repeat_call(void *state, const hed_call *call);
int32_t dev_searchsorted_call(void *state, const hed_call *call);
int32_t dev_scatter_nd_call(void *state, const hed_call *call);
int32_t dev_bincount_call(void *state, const hed_call *call);
int32_t dev_histogram_call(void *state, const hed_call *call);
int32_t dev_correlate1d_call(void *state, const hed_call *call);
int32_t dev_box_extreme_call(void *state, const hed_call *call);
int32_t dev_median_filter_call(void *state, const hed_call *call);
int32_t dev_convolve_direct_call(void *state, const hed_call *call);
int32_t dev_spline_filter_call(void *state, const hed_call *call);
int32_t dev_affine_transform_call(void *state, const hed_call *call);
int32_t dev_map_coordinates_call(void *state, const hed_call *call);
int32_t dev_fft_call(void *state, const hed_call *call);
int32_t dev_cross_call(void *state, const hed_call *call);
int32_t dev_isotonic_call(void *state, const hed_call *call);
int32_t dev_phasor_call(void *state, const hed_call *call);
int32_t dev_pack_bits_call(void *state, const hed_call *call);
int32_t dev_unpack_bits_call(void *state, const hed_call *call);
int32_t dev_hamming_matrix_call(void *state, const hed_call *call);
int32_t dev_majority_bits_call(void *state, const hed_call *call);
int32_t dev_weighted_majority_bits_call(void *state, const hed_call *call);
int32_t dev_polar_unitary_call(void *state, const hed_call *call);
int32_t dev_max_score_call(void *state, const hed_call *call);
int32_t dev_max_correlation_call(void *state, const hed_call *call);

#endif
