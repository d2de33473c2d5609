// SPDX-License-Identifier: BSD-3-Clause
/* HDF5 files as MATLAB writes them, without the HDF5 library, which trusts what a file says.
 *
 * Layer: L4, tensor kit, internal. Read are superblocks 0 to 3, groups by symbol tables and by links in their header, numbers that are
 * compact, contiguous, or in chunks that a B-tree of version 1 finds, deflated and shuffled or not. Addresses, sizes and counts are
 * held against the file's bytes before they are used; nothing outside the file is looked for. (The HDF Group, HDF5 File Format
 * Specification, version 3.0.)
 */
#ifndef HEDDLE_KITS_TENSOR_MAT_H5_H
#define HEDDLE_KITS_TENSOR_MAT_H5_H
#include "kits/tensor/files/mat_source.h"

enum { HED__H5_ROOM = 640, HED__H5_NAME = 256, HED__H5_CLASS = 32 };

typedef struct hed__h5_tree {
  hed__mat_source *s;
  uint64_t bytes, base;
  uint64_t root;  /* the object that is the first group */
} hed__h5_tree;

/* A piece of an object's header; DATA are its first N bytes. */
typedef struct hed__h5_message {
  unsigned type, flags;
  uint64_t at, size;
  size_t n;
  unsigned char data[HED__H5_ROOM];
} hed__h5_message;

enum { /* types of messages */
  HED__H5_SPACE = 1, HED__H5_LINK_INFO = 2, HED__H5_TYPE = 3, HED__H5_LINK = 6, HED__H5_EXTERNAL = 7, HED__H5_LAYOUT = 8,
  HED__H5_FILTERS = 11, HED__H5_ATTRIBUTE = 12, HED__H5_CONTINUED = 16, HED__H5_SYMBOLS = 17, HED__H5_ATTRIBUTE_INFO = 21
};

/* Called with each; false: no more is wanted. */
typedef bool hed__h5_on_message(void *arg, const hed__h5_message *m);
/* OBJECT 0: a link to another place. */
typedef bool hed__h5_on_member(void *arg, const char *name, uint64_t object);

/* An object, as far as it is one of MATLAB's variables. */
typedef struct hed__h5_object {
  bool group;
  const char *wrong;          /* why its numbers cannot be read; NULL: they can */
  char class[HED__H5_CLASS];  /* attributes MATLAB_class, MATLAB_empty, MATLAB_sparse */
  bool empty, sparse;
  hed_shape shape;            /* as in the file; N elements of SIZE bytes */
  int64_t n;
  hed_dtype dtype;            /* NULL: no numbers */
  size_t size;
  bool big;                   /* of that byte order */
  int layout;                 /* -1: none was read */
  uint64_t at, stored;        /* numbers, or the tree of chunks */
  int axes;                   /* of chunks: those of the shape, and bytes */
  uint32_t chunk[HED_MAX_NDIM + 1];
  int filters, deflate, shuffle; /* places in the list of filters, -1: without */
} hed__h5_object;

static inline uint64_t hed__h5_number(const unsigned char *at, int bytes)
{
  uint64_t v = 0;
  while (bytes-- > 0)
    v = v << 8 | at[bytes];
  return v;
}

hed_status hed__h5_bad(const hed__h5_tree *f, const char *what);
/* N bytes at address AT. */
hed_status hed__h5_take(const hed__h5_tree *f, uint64_t at, void *out, uint64_t n);
/* Whether N bytes at address AT are in the file. */
bool hed__h5_holds(const hed__h5_tree *f, uint64_t at, uint64_t n);

/* Finds the superblock of the file of BYTES that S has open. */
hed_status hed__h5_begin(hed__mat_source *s, uint64_t bytes, hed__h5_tree *f);
hed_status hed__h5_messages(const hed__h5_tree *f, uint64_t object, hed__h5_on_message *on, void *arg);
hed_status hed__h5_members(const hed__h5_tree *f, uint64_t group, hed__h5_on_member *on, void *arg);

hed_status hed__h5_look(const hed__h5_tree *f, uint64_t object, hed__h5_object *o);
/* The numbers of O, NAME in sentences, from malloc() in the file's order and this machine's byte order; NULL with the error. */
void *hed__h5_values(const hed__h5_tree *f, const hed__h5_object *o, const char *name);

#endif
