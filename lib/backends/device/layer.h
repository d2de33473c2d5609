// SPDX-License-Identifier: BSD-3-Clause
/* The shared layer from inside: what its files know of each other. L1. See device.h for the port below it.
 *
 * A submission: hed__submit_begin (whose stream, what it comes after), launches and copies, hed__submit_end (its ticket).
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
  HED__DEVICES = 16,           /* of a backend */
  HED__OWN_STREAMS = 32,       /* that threads get; more threads share them */
  HED__STREAMS = 96,           /* and those that programs bring */
  HED__PIECES = 4, HED__PIECE = 1 << 20, /* of pinned memory, for copies */
  HED__RECORDS = 256,          /* error records of a stream */
  HED__RECORD_WORDS = 4,
  HED__TEXT = 232
};

/* ---- event.c ---- */

/* All that a stream held when it was made: VALUE and before. */
typedef struct hed__event {
  void *native;
  uint64_t value;
  atomic_int users;
} hed__event;

/* An event of S for VALUE, NULL when that is known to be over, or with *STATUS set when there is none to be had. S's lock is held. */
hed__event *hed__event_of(hed__stream *s, uint64_t value, int32_t *status);
void hed__event_drop(hed__device *d, hed__event *e);
/* Is E over: 1, 0, or a failure. */
int32_t hed__event_over(hed__stream *s, hed__event *e);
int32_t hed__event_wait(hed__stream *s, hed__event *e);

/* ---- stream.c ---- */

typedef struct hed__piece {
  void *memory;                /* pinned */
  hed__event *busy;
} hed__piece;

/* Scratch memory that was too small, or too large to keep, until its last use is over. */
typedef struct hed__retired {
  struct hed__retired *next;
  void *memory;
  size_t bytes;
  uint64_t value;
} hed__retired;

struct hed__stream {
  hed__device *device;
  int32_t number;
  void *native;                /* the port's */
  void *handle;                /* of a program's own, else NULL */
  pthread_mutex_t lock;        /* of submissions */
  atomic_uint_fast64_t issued, reached; /* values: the last given, and known to be over */
  hed__event *last;            /* the newest */
  int32_t threads;             /* whose own it is */
  hed__piece piece[HED__PIECES];
  int32_t next_piece;
  void *scratch;
  size_t scratch_bytes;
  hed__retired *retired;
  void *record, *found;        /* HED__RECORDS on the device; where they arrive, pinned */
  int32_t next_record;
};

/* ---- errors.c ---- */

typedef struct hed__failure {
  uint64_t ticket;
  int32_t op, status;
  char text[HED__TEXT];
} hed__failure;

/* Submissions of which it is not known whether they failed. */
typedef struct hed__check {
  uint64_t ticket, origin;     /* ORIGIN: the ticket whose record decides */
  int32_t record;              /* of the origin; -1: tainted by it */
  int32_t op, axis;
} hed__check;

typedef struct hed__pinned hed__pinned;

struct hed__device {
  const hed__port *port;
  void *dev;
  const hed_host_api *host;
  const hed_plugin *plugin;
  int32_t index;
  char name[40];               /* "opencl:0" */
  hed__limits limits;
  volatile sig_atomic_t forked;
  atomic_bool lost;
  char lost_text[HED__TEXT];
  pthread_mutex_t lock;        /* of what follows */
  hed__stream *stream[HED__STREAMS];
  int32_t n_streams, n_own;
  struct hed__slab *slabs;
  hed__pinned *pinned;         /* blocks that programs have */
  hed__failure *failures;      /* a ring of n_failures so far */
  hed__check *checks;
  int32_t cap_checks;
  atomic_int n_checks, n_failures;
  pthread_mutex_t program_lock;
  pthread_cond_t program_made;
  hed__program **programs;     /* by hash of the spec */
  int32_t n_programs, cap_programs;
  uint64_t program_hits, program_waits;
  atomic_bool unsaved;         /* some have kernels that their files do not have */
  atomic_uint_fast64_t saved_ns;
  _Atomic(void *) *map_entry;  /* of family programs: [op][compute][layout] */
  _Atomic(void *) *cast_entry; /* [from][to][layout] */
};

/* ---- device.c ---- */

/* A device on PORT and DEV, ready. NAME: the backend's. */
int32_t hed__device_open(const hed__port *port, void *dev, const hed_host_api *host, const hed_plugin *plugin, int32_t index,
                         hed__device **out);
/* The members of hed_plugin that are the same for all. */
#define HED__DEVICE_MEMBERS \
  .flags = HED_PLUGIN_STREAMS | HED_PLUGIN_HOST_SCALARS | HED_PLUGIN_FUSE_DEVICE | HED_PLUGIN_CHECKS_INDICES, \
  .ops = hed__device_ops, .resolve = hed__device_resolve, .fuse = hed__device_fuse, \
  .describe = hed__device_describe, .alloc = hed__device_alloc, .free = hed__device_free, .copy_in = hed__device_copy_in, \
  .copy_out = hed__device_copy_out, .copy_in_async = hed__device_copy_in_async, .copy_peer = hed__device_copy_peer, \
  .pinned_alloc = hed__device_pinned_alloc, .pinned_free = hed__device_pinned_free, \
  .wait = hed__device_wait, .done = hed__device_done, .memory = hed__device_memory, .trim = hed__device_trim, \
  .thread_exit = hed__device_thread_exit, .fork_child = hed__device_fork_child, .stream = hed__device_stream, \
  .stream_native = hed__device_stream_native, .stream_adopt = hed__device_stream_adopt, \
  .stream_select = hed__device_stream_select, .stream_after = hed__device_stream_after, \
  .after_stream = hed__device_after_stream

extern const hed_op_entry hed__device_ops[];
int32_t hed__device_resolve(void *state, int32_t dtype, hed_plugin_resolution *out);
void hed__device_describe(void *state, char *buf, size_t cap);
int32_t hed__device_alloc(void *state, size_t bytes, void **out);
void hed__device_free(void *state, void *p);
int32_t hed__device_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t hed__device_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n);
int32_t hed__device_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                                  int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket);
int32_t hed__device_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src, const uint64_t *wait_for,
                              int32_t n_wait_for, const uint64_t *after, int32_t n_after, const uint64_t *src_wait,
                              int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket);
int32_t hed__device_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap);
int32_t hed__device_done(void *state, uint64_t ticket);
int32_t hed__device_memory(void *state, hed_plugin_memory *out);
size_t hed__device_trim(void *state, size_t want, int32_t level);
void hed__device_thread_exit(void *state, void *slot);
void hed__device_fork_child(void *state);
int32_t hed__device_stream(void *state);
int32_t hed__device_stream_native(void *state, void **handle);
int32_t hed__device_stream_adopt(void *state, void *handle);
int32_t hed__device_stream_select(void *state, int32_t stream);
int32_t hed__device_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n);
int32_t hed__device_after_stream(void *state, void *handle);

/* ---- lost.c ---- */

/* HED_OK, or why D takes nothing: in a child of fork, lost. */
int32_t hed__device_usable(hed__device *d);
/* STATUS of a call of the port: with HED_E_UNAVAILABLE the device is lost. */
int32_t hed__device_status(hed__device *d, int32_t status);

/* ---- submissions: stream.c ---- */

typedef struct hed__submit {
  hed__device *device;
  hed__stream *stream;
  bool begun;                  /* something is in the stream */
  bool skip;                   /* what it waits for has failed: it does not run */
  bool tainted;                /* or may have */
  uint64_t origin;             /* whose failure it is */
  int32_t record, op, axis;    /* what its kernel checks: the record, else -1 */
  int cancel;                  /* whether the thread may be cancelled when the stream's lock is given back */
} hed__submit;

int32_t hed__submit_begin(hed__submit *q, hed__device *d, const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after,
                          int32_t n_after);
static inline int32_t hed__submit_call(hed__submit *q, hed__device *d, const hed_call *c)
{
  return hed__submit_begin(q, d, c->wait_for, c->n_wait_for, c->after, c->n_after);
}
int32_t hed__submit_launch(hed__submit *q, void *entry, const hed__launch *launch);
/* Memory of the device until the submission is over; one piece for each. */
int32_t hed__submit_scratch(hed__submit *q, size_t bytes, void **out);
/* Gives STATUS back, and where that is HED_OK the ticket (TICKET may be NULL). What was begun and failed is waited for. */
int32_t hed__submit_end(hed__submit *q, int32_t status, uint64_t *ticket);
/* The host waits for TICKETS, whose failures are this one's. */
int32_t hed__submit_await(hed__device *d, const uint64_t *tickets, int32_t n);

static inline uint64_t hed__ticket(const hed__stream *s, uint64_t value) { return (uint64_t)s->number << 48 | value; }
static inline uint64_t hed__value(uint64_t ticket) { return ticket & (((uint64_t)1 << 48) - 1); }

/* ---- errors.c ---- */
/* What is known of TICKETS: fills in q->skip, tainted, origin. */
void hed__errors_look(hed__submit *q, const uint64_t *tickets, int32_t n);
/* The submission Q has got TICKET. */
int32_t hed__errors_enter(const hed__submit *q, uint64_t ticket);
/* Its failure, if it is one: a status, OP and TEXT. TICKET is over. */
int32_t hed__errors_of(hed__device *d, uint64_t ticket, int32_t *op, char *text, size_t cap);
/* A record for what Q's kernel checks about operand 0's AXIS (-1: several): its address. */
int32_t hed__errors_record(hed__submit *q, int32_t op, int32_t axis, void **record);
/* After the kernel. */
int32_t hed__errors_fetch(hed__submit *q);

/* ---- staging.c ---- */
/* In Q's stream, from or to host memory in C order (contiguous). What is read has been read, what is written is there, when
 * they return. */
int32_t hed__stage_in(hed__submit *q, void *to, const hed_view *src);
int32_t hed__stage_out(hed__submit *q, const hed_view *dst, const void *from);
/* Few bytes of host memory to the device, in order. */
int32_t hed__stage_bytes(hed__submit *q, void *to, const void *from, size_t bytes);

/* ---- pinned.c ---- */
int32_t hed__device_pinned_alloc(void *state, size_t bytes, void **out);
void hed__device_pinned_free(void *state, void *memory);
/* Are the BYTES of V one block in such memory, and many? */
bool hed__travels_alone(hed__device *d, const hed_view *v, size_t bytes);

/* ---- memory.c ---- */
int32_t hed__memory_get(hed__device *d, size_t bytes, void **out);
void hed__memory_put(hed__device *d, void *p);

/* ---- program.c ---- */
/* All rows of FAMILY, with the storage that they have for COMPUTE. */
hed__spec hed__spec_of(const char *family, int32_t compute);
/* NAME in capitals, for `only'. */
enum { HED__ROW_NAME = 40 };
const char *hed__row_name(char only[HED__ROW_NAME], const char *name);
/* The entry NAME of SPEC's program. */
int32_t hed__kernel(hed__device *d, const hed__spec *spec, const char *name, void **out);
/* What has been compiled since, to disk, where that is wanted: all of it, or when the last time was long ago. */
void hed__programs_save(hed__device *d);
void hed__programs_save_now_and_then(hed__device *d);
/* Elements of a work-item in flat layouts. */
static inline int hed__per_item(const hed__device *d) { return d->limits.is_cpu ? 1 : 4; }

/* ---- plan.c ---- */

enum { HED__PLAN_AXES = 4 };
typedef enum hed__layout { HED__FLAT, HED__ROWS, HED__STRIDED, HED__STRIDED64, HED__TRANSPOSED, HED__LAYOUTS } hed__layout;

/* Operands of one shape in as few axes as there can be, the result first; strides in elements, 0 for single elements. */
typedef struct hed__plan {
  hed__nest nest;
  uint32_t single;             /* bit k: operand k, which is nest's k + 1 */
  hed__layout layout;
  int32_t inner;               /* axes that a launch does; those before are gone through by launches */
} hed__plan;

/* HED_E_UNSUPPORTED where a stride is no multiple of the element's size, or launches would be too many. HOST: bits of operands in
 * host memory. */
int32_t hed__plan_make(hed__plan *p, const hed__device *d, int32_t n, const hed_view *const *views, uint32_t host);
extern const char *const hed__layout_names[HED__LAYOUTS];

/* What the launches of a plan share. */
typedef struct hed__map_args {
  uint32_t host;
  uint64_t value[3][2], param[4];
} hed__map_args;
int32_t hed__plan_launch(hed__submit *q, const hed__plan *p, const hed_view *const *views, void *entry,
                         const hed__map_args *args);

/* X, Y and Z items in groups of the device's size. */
void hed__launch_items(hed__launch *l, const hed__device *d, uint64_t x, uint64_t y, uint64_t z);

/* ENTRY for ITEMS of them in x. */
int32_t hed__submit_items(hed__submit *q, void *entry, uint64_t items, int32_t n_pointers, void *const *pointer, const void *args,
                          size_t bytes);
/* A call without anything to do, after all that it waits for. */
int32_t hed__nothing_call(void *state, const hed_call *call);

/* V's element, in host memory, as it is stored with DTYPE. */
void hed__element_bits(const hed_view *v, int32_t dtype, uint64_t bits[2]);
/* X as kernels read numbers of arguments. */
uint64_t hed__number_bits(const hed__device *d, double x);

/* ---- make.c ---- */

/* A value for all elements of a view. */
typedef struct hed__fill_job {
  const hed_view *view;
  hed__plan plan;
  void *entry;
} hed__fill_job;

int32_t hed__fill_prepare(hed__device *d, hed__fill_job *j, const hed_view *v);
int32_t hed__fill_submit(hed__submit *q, hed__fill_job *j, void *dst, const uint64_t bits[2]);

/* ---- map.c ---- */

/* Rows as programs name them: "ADD"; NULL of operations that are not elementwise. */
extern const char *const hed__map_ids[HED_OP_COUNT_];
/* Type of what a row's formula gives in COMPUTE, and of its operand K there. */
int32_t hed__map_result(int32_t op, int32_t compute);
int32_t hed__map_operand(int32_t op, int32_t compute, int32_t k);
/* The row's parameters as its kernels read them; false where it has none. */
bool hed__map_params(const hed__device *d, int32_t op, const void *params, uint64_t param[4]);

/* ---- fuse_call.c ---- */
int32_t hed__device_fuse(void *state, const hed_fused_call *call);

/* ---- cast.c ---- */

/* Elements of device views of one shape, converted where the dtypes differ. */
typedef struct hed__cast_job {
  const hed_view *views[2];    /* to, from */
  hed__plan plan;
  hed__map_args args;
  void *entry;
  bool whole, fill;            /* one block of bytes; one element for all */
  hed__map_rows_args transposed; /* layout TRANSPOSED */
  hed__fill_job filling;
  uint64_t bits[2];
} hed__cast_job;

/* What it takes, to be had before a submission begins; HOST: SRC is one element in host memory. The views stay there. */
int32_t hed__cast_prepare(hed__device *d, hed__cast_job *j, const hed_view *dst, const hed_view *src, bool host);
/* In Q's stream, with data at DST and SRC, which need not be what the views had. */
int32_t hed__cast_submit(hed__submit *q, hed__cast_job *j, void *dst, void *src);

/* ---- scan.c ---- */

/* V with AXIS last. */
hed_view hed__moved_last(const hed_view *v, int32_t axis);
/* V as v[a, r, c], r its axis AXIS (none where that is ndim), strides in elements; false where the axes on either side do not
 * lie as one. */
bool hed__line_view(const hed_view *v, int32_t axis, int64_t n[3], int64_t stride[3]);

/* A scan of x[a, r, c] along r: args say which, entries and sizes follow. */
typedef struct hed__sums_job {
  hed__scan_args args;
  bool lanes;
  void *parts, *offsets, *write;
  size_t bytes;                /* of scratch memory for states */
} hed__sums_job;

void hed__sums_plan(const hed__device *d, hed__sums_job *j);
int32_t hed__sums_entries(hed__device *d, hed__sums_job *j, const hed__spec *spec, const char *op);
/* OUT may be X. */
int32_t hed__sums_submit(hed__submit *q, const hed__sums_job *j, void *out, void *x, void *states);
/* Sums so far of ROWS rows of N numbers of DTYPE, side by side. */
int32_t hed__sums_prepare(hed__device *d, hed__sums_job *j, int32_t dtype, int64_t rows, int64_t n);

/* An operand or a result that a kernel wants in C order, in scratch memory where it does not lie so. */
typedef struct hed__pack {
  bool needed;
  hed_view given, packed;
  size_t bytes;                /* of scratch memory */
  void *data;                  /* what the kernel gets */
  hed__cast_job job;
} hed__pack;

/* Before a submission; the pack stays where it is. */
int32_t hed__pack_prepare(hed__device *d, hed__pack *p, const hed_view *v, bool needed, bool result);
/* In it: an operand is packed, a result gets its place, and is unpacked at the end. *SCRATCH moves on. */
int32_t hed__pack_in(hed__submit *q, hed__pack *p, char **scratch);
void hed__pack_out(hed__pack *p, char **scratch);
int32_t hed__pack_finish(hed__submit *q, hed__pack *p);

/* ---- dense.c ---- */

/* The same of an operand or a result that is wanted dense and as DTYPE; ALWAYS in scratch memory where that is set. */
int32_t hed__pack_dense(hed__device *d, hed__pack *p, const hed_view *v, int32_t dtype, bool always, bool result);

/* A call whose kernel takes the result and its operands dense, as they are stored, one after the other, and does not read what it
 * has written. */
typedef struct hed__dense_job {
  int64_t items;
  int32_t operands;            /* of the kernel; those that the call does not have are not followed */
  bool checks;                 /* it has an error record, for operand 0's AXIS */
  int32_t axis;
  const void *args;
  size_t args_bytes;
  hed__pack in[3], out;        /* what follows is not the caller's */
  size_t bytes;
  void *entry;
} hed__dense_job;

int32_t hed__dense_call(hed__device *d, hed__dense_job *j, const hed_call *c, const hed__spec *spec, const char *name);

/* ---- sort.c ---- */

/* Rows of keys with a number each, into order, stably. */
typedef struct hed__order_job {
  hed__sort_args args;
  int32_t key_bytes, digit_bits;
  bool merges;                 /* an item a row, else by digits */
  size_t keys, numbers, counts, states; /* bytes of scratch memory: of one set of both, and what digits take */
  hed__sums_job sums;
  void *merge, *count, *move;
} hed__order_job;

/* Two sets of both; what is to be sorted, and is then sorted, is in set 0. */
typedef struct hed__order {
  char *keys[2], *numbers[2], *counts, *states;
} hed__order;

/* Keys as those of DTYPE. */
int32_t hed__order_prepare(hed__device *d, hed__order_job *j, int32_t dtype, int64_t rows, int64_t n);
size_t hed__order_bytes(const hed__order_job *j);
void hed__order_place(const hed__order_job *j, hed__order *o, char **scratch);
/* By the low BITS of the keys. */
int32_t hed__order_submit(hed__submit *q, const hed__order_job *j, hed__order *o, int32_t bits);

/* ---- gather.c ---- */

/* Elements from where indices say. */
typedef struct hed__gather_job {
  hed_view from, index;        /* of the result's shape; strides 0 along axes that they do not have */
  int64_t step, extent;        /* bytes from an index to the next; what it is checked against */
  int32_t code, axis;
  hed__nest nest;              /* result, from, index */
  void *entry;
} hed__gather_job;

/* OUT (n, rest) from the first AXES axes of X, which lie as one, at PLACES (n). */
void hed__gather_describe(hed__gather_job *j, const hed_view *out, const hed_view *x, const hed_view *places, int32_t axes);
bool hed__lie_as_one(const hed_view *v, int32_t axes);
int32_t hed__gather_prepare(hed__device *d, hed__gather_job *j, const hed_view *out);
/* Operation OP is to blame for an index that is out of range. */
int32_t hed__gather_submit(hed__submit *q, hed__gather_job *j, int32_t op, void *x, void *index);

/* ---- rows ---- */
int32_t hed__map_call(void *state, const hed_call *call);
int32_t hed__cast_call(void *state, const hed_call *call);
int32_t hed__concatenate_call(void *state, const hed_call *call);
int32_t hed__fill_call(void *state, const hed_call *call);
int32_t hed__arange_call(void *state, const hed_call *call);
int32_t hed__tril_call(void *state, const hed_call *call);
int32_t hed__triu_call(void *state, const hed_call *call);
int32_t hed__reduce_call(void *state, const hed_call *call);
int32_t hed__vecdot_call(void *state, const hed_call *call);
int32_t hed__scan_call(void *state, const hed_call *call);
int32_t hed__take_call(void *state, const hed_call *call);
int32_t hed__take_along_axis_call(void *state, const hed_call *call);
int32_t hed__gather_nd_call(void *state, const hed_call *call);
int32_t hed__random_call(void *state, const hed_call *call);
int32_t hed__random_rows_call(void *state, const hed_call *call);
int32_t hed__random_haar_call(void *state, const hed_call *call);
int32_t hed__matmul_call(void *state, const hed_call *call);
int32_t hed__softmax_call(void *state, const hed_call *call);
int32_t hed__sort_call(void *state, const hed_call *call);
int32_t hed__quantile_call(void *state, const hed_call *call);
int32_t hed__nonzero_call(void *state, const hed_call *call);
int32_t hed__compress_call(void *state, const hed_call *call);
int32_t hed__repeat_call(void *state, const hed_call *call);
int32_t hed__searchsorted_call(void *state, const hed_call *call);
int32_t hed__scatter_nd_call(void *state, const hed_call *call);
int32_t hed__bincount_call(void *state, const hed_call *call);
int32_t hed__histogram_call(void *state, const hed_call *call);
int32_t hed__correlate1d_call(void *state, const hed_call *call);
int32_t hed__box_extreme_call(void *state, const hed_call *call);
int32_t hed__median_filter_call(void *state, const hed_call *call);
int32_t hed__convolve_direct_call(void *state, const hed_call *call);
int32_t hed__spline_filter_call(void *state, const hed_call *call);
int32_t hed__affine_transform_call(void *state, const hed_call *call);
int32_t hed__map_coordinates_call(void *state, const hed_call *call);
int32_t hed__fft_call(void *state, const hed_call *call);
int32_t hed__cross_call(void *state, const hed_call *call);
int32_t hed__isotonic_call(void *state, const hed_call *call);
int32_t hed__phasor_call(void *state, const hed_call *call);
int32_t hed__pack_bits_call(void *state, const hed_call *call);
int32_t hed__unpack_bits_call(void *state, const hed_call *call);
int32_t hed__hamming_matrix_call(void *state, const hed_call *call);
int32_t hed__majority_bits_call(void *state, const hed_call *call);
int32_t hed__weighted_majority_bits_call(void *state, const hed_call *call);
int32_t hed__polar_unitary_call(void *state, const hed_call *call);
int32_t hed__max_score_call(void *state, const hed_call *call);
int32_t hed__max_correlation_call(void *state, const hed_call *call);

#endif
