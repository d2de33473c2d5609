// SPDX-License-Identifier: BSD-3-Clause
/* Profiles: what every thread did, where it ran, and what it waited for.
 *
 * While a profile is taken, each thread writes what it does into memory of its own: contexts from push to pop, operations with
 * shapes, dtypes and who did them, copies between memory spaces, waits, memory in use, random numbers drawn, and what the program
 * marks. The end makes a file of it in the trace event format, which Perfetto, Chrome and `heddle profile' read.
 *
 * The setting `profile', HEDDLE_PROFILE=out.json, does so for a whole program without a change to it. Its value is the file,
 * followed by ;size=N (bytes, or with K, M or G) and ;keep=newest or ;keep=oldest where wanted. %p in the name of the file is
 * the number of the process. A child of fork writes a file of its own, with its number before the extension, and so do
 * processes that MPI or Slurm started, with their rank.
 *
 * Until the end the records are in FILE.raw, through memory that the kernel writes: what was recorded before a crash is read
 * from there, by hed_profile_convert or `heddle profile'. */
#ifndef HEDDLE_PROFILE_H
#define HEDDLE_PROFILE_H

#include <heddle/error.h>
#include <stddef.h>
#include <stdint.h>

HED_BEGIN_DECLS

/* What goes when a thread's memory for records is full. */
typedef enum hed_profile_keep { HED_PROFILE_NEWEST, HED_PROFILE_OLDEST } hed_profile_keep;

/* Zero is the default of each. */
typedef struct hed_profile_options {
  uint32_t struct_size;
  int32_t keep;       /* hed_profile_keep: NEWEST lets the oldest records go, OLDEST those that come when it is full */
  uint64_t size;      /* bytes of records per thread, in portions of 256 KiB; 0: 64 MiB */
} hed_profile_options;

/* Records of all threads go to PATH from now on, ".json", or ".json.gz" where libz.so.1 is there. OPT may be NULL. Any thread.
 * HED_E_INVAL: a profile is being taken already, or a name or an option that is not possible; HED_E_IO: PATH cannot be
 * written. */
HED_API hed_status hed_profile_begin(const char *path, const hed_profile_options *opt);

/* Ends the profile and writes its file. HED_E_INVAL: none is being taken; HED_E_IO: the file could not be written, and FILE.raw
 * stays. What other threads have begun and not ended ends with it. Any thread. */
HED_API hed_status hed_profile_end(void);

/* Is a profile being taken? */
HED_API bool hed_profile_is_on(void);

/* What has been recorded since the begin, of a profile that is being taken or else the last one. Set struct_size before. */
typedef struct hed_profile_info {
  uint32_t struct_size;
  int32_t threads;    /* that have recorded something */
  uint64_t records;   /* that are kept */
  uint64_t dropped;   /* that are not, for want of room */
} hed_profile_info;
HED_API hed_status hed_profile_query(hed_profile_info *out);

/* A moment of the calling thread, called NAME, which is copied, cut to 200 bytes. Nothing while no profile is taken. */
HED_API void hed_profile_mark(const char *name);

/* A stretch of the calling thread called NAME, until hed_profile_range_end with what this returned; 0 while no profile is taken.
 * Both calls are the same thread's. */
HED_API uint64_t hed_profile_range_begin(const char *name);
HED_API void hed_profile_range_end(uint64_t range);

/* The file OUT from the records RAW that a process left behind which did not come to its end. HED_E_IO: one of them cannot be
 * read or written; HED_E_FORMAT: RAW is something else. */
HED_API hed_status hed_profile_convert(const char *raw, const char *out);

/* HED_PROFILE_RANGE("name") { ... }: the block is a stretch, however it is left. */
#ifdef HED_BLOCKS_
typedef struct hed_profile_range_ {
  uint64_t range;
  bool runs;
} hed_profile_range_;
static inline void hed_profile_range_over_(const hed_profile_range_ *r) { hed_profile_range_end(r->range); }
#  define HED_PROFILE_NAME_2_(a, b) a##b
#  define HED_PROFILE_NAME_(a, b) HED_PROFILE_NAME_2_(a, b)
#  define HED_PROFILE_RANGE_(name, r) \
    for (hed_profile_range_ r __attribute__((cleanup(hed_profile_range_over_))) = { hed_profile_range_begin(name), true }; \
         r.runs; r.runs = false)
#  define HED_PROFILE_RANGE(name) HED_PROFILE_RANGE_(name, HED_PROFILE_NAME_(hed_range_, __COUNTER__))
#endif

HED_END_DECLS

#endif
