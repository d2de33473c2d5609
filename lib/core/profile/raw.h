// SPDX-License-Identifier: BSD-3-Clause
/* Records of a profile as they lie in FILE.raw: a header, then chunks, each of one thread. L2.
 *
 * A chunk is written by its thread alone; `used' moves when a record is complete, so that what is below it can be read at any
 * time, and after a crash. Times are ticks, see ticks.h; the header has two moments in both. */
#ifndef HED_CORE_PROFILE_RAW_H
#define HED_CORE_PROFILE_RAW_H

#include <stdatomic.h>
#include <stdint.h>

#define HED__RAW_MAGIC "hedprof"
enum {
  HED__RAW_VERSION = 1, HED__RAW_HEAD = 64 * 1024, HED__RAW_CHUNK = 256 * 1024, HED__RAW_DEVICES = 1024, HED__RAW_NAME = 48,
  HED__RAW_TEXT = 200, HED__RAW_OPERANDS = 8, HED__RAW_AXES = 8
};

typedef struct hed__raw_head {
  char magic[8];
  uint32_t version, chunk;               /* bytes of one */
  int32_t pid, ops;                      /* number of operations: another library has other numbers */
  uint64_t ticks[2], ns[2];              /* two moments */
  uint64_t wall;                         /* of the first, nanoseconds since 1970 */
  uint64_t ended;                        /* 1: the profile came to its end */
  char program[64];
  char device[HED__RAW_DEVICES][HED__RAW_NAME]; /* by number; "" */
} hed__raw_head;
_Static_assert(sizeof(hed__raw_head) <= HED__RAW_HEAD, "the head has room");

typedef struct hed__raw_chunk {
  uint32_t magic, thread;                /* THREAD from 1, in the order of first records */
  uint64_t number;                       /* of the thread's chunks, from 0: an old one that is used again gets a new number */
  atomic_uint_fast64_t used;             /* bytes of this chunk, with this head */
  uint64_t records, dropped;             /* DROPPED by the thread before this one was begun */
  uint64_t serial, parent;               /* of the thread's block; the one whose context it inherited, 0 */
  uint64_t tid;
  char name[16];
} hed__raw_chunk;
enum { HED__RAW_CHUNK_MAGIC = 0x6b6e7568 };

typedef enum hed__raw_kind {
  HED__RAW_OP = 1,      /* a launch: op, device, of, compute, operands */
  HED__RAW_CALL,        /* a function made of others: op */
  HED__RAW_COPY,        /* between spaces: device, of, bytes */
  HED__RAW_WAIT,        /* for device */
  HED__RAW_PUSH, HED__RAW_POP,    /* a context: text */
  HED__RAW_BEGIN, HED__RAW_END,   /* a range: text; flow_in is its number */
  HED__RAW_MARK,        /* text */
  HED__RAW_CREATE,      /* a thread, or a snapshot */
  HED__RAW_MEMORY,      /* device; bytes in use */
  HED__RAW_DRAW,        /* flow_in: the key of the stream, bytes: the number of the draw */
  HED__RAW_TRACK,       /* of a device, its stream is IN; text. This and the next have times in nanoseconds */
  HED__RAW_STAGE,       /* of a module: text */
  HED__RAW_KINDS
} hed__raw_kind;

/* How an operation was done, and where contexts come from: hed__raw.how */
enum { HED__RAW_NATIVE, HED__RAW_LACKS, HED__RAW_LEFT, HED__RAW_FUSED, HED__RAW_FAILED };
enum { HED__RAW_PUSHED, HED__RAW_ADOPTED, HED__RAW_ROOT, HED__RAW_INHERITED, HED__RAW_SET };
enum { HED__RAW_IN, HED__RAW_OUT, HED__RAW_PEER };

typedef struct hed__raw {
  uint16_t size;        /* of all, in units of 8 bytes */
  uint8_t kind, how;
  uint16_t op;
  uint8_t n_in, n_out;  /* operands that are written down */
  uint16_t device, of;  /* by number: who did it, whose it was */
  int16_t status;
  uint8_t compute, fused;
  uint32_t copies;      /* that hed_stats counts */
  uint32_t counted;     /* calls that hed_stats counts */
  uint64_t t0, t1, bytes, in, out; /* flows: IN ends here, OUT begins; 0 */
} hed__raw;             /* then operands, or text and its null byte, to a multiple of 8 */

typedef struct hed__raw_operand {
  uint8_t dtype, ndim, axes, pad; /* AXES of the NDIM follow */
  uint32_t unused;
} hed__raw_operand;     /* then extents, int64_t */

/* Flows: a thread's context by its creator's (serial), snapshots, tickets. */
static inline uint64_t hed__flow_thread(uint64_t serial) { return 1ull << 62 | serial; }
static inline uint64_t hed__flow_snapshot(uint64_t number) { return 2ull << 62 | number; }
static inline uint64_t hed__flow_ticket(uint16_t device, uint64_t ticket)
{
  uint64_t x = ticket * 0x9e3779b97f4a7c15ull + device; /* 62 bits of a mix: tickets count streams in their high bits */
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
  return 3ull << 62 | ((x ^ x >> 32) >> 2);
}

#endif
