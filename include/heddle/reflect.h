// SPDX-License-Identifier: BSD-3-Clause
/* The interface as data, for those who make a binding of it: functions with their arguments, structs of options with their
 * fields, enumerations. `heddle info --api` writes the same as JSON (heddle.api/1).
 *
 * It is made from the headers when the library is built, and the compiler has compared every type, offset and value. All of
 * it is static. Later versions add members at the ends of these structs, and further kinds. Texts that say nothing are "".
 */
#ifndef HEDDLE_REFLECT_H
#define HEDDLE_REFLECT_H

#include <heddle/ops.h>

HED_BEGIN_DECLS

/* kind of an argument or field:
 *   array, arrays       handles; arrays is a list of them
 *   scalar, int, bool   numbers: double, integers of the size that ctype says, bool
 *   doubles, ints, shapes, slices, keys, strings, dtypes    lists of numbers, hed_shape, hed_slice_range, hed_key, texts
 *   dtype, shape, axes, string, enum
 *   struct              of type; by pointer where it is an argument
 *   handle              a pointer to an object of type, hed_fft_plan
 *   data, text, stream  memory of the caller's, a buffer for text, a FILE
 *   callback
 * traits, words with blanks between:
 *   called=NAME         what it is called where C's name says too little
 *   class=NAME          of a struct or handle that is an object there, its class; learns: a call that changes it changes nothing
 *                       else; keywords: where an argument has all its fields, they are arguments of their own
 *   given=FIELD         of a field: that other one says whether it is given
 *   null=NUMBER         of a number: what C gets for null
 *   key                 of a text: a name, although others of this name are paths
 *   taken               of a struct that is changed: nothing that anybody wants is left in it
 *   fields=NAME+NAME    of options: those fields count alone
 *   attribute, borrowed of a function: a property of its object; what it returns lasts until the object is changed
 *   c_alone             of a function or field: of no use to other languages
 * role: in, out (a pointer through which a result comes; of a list, as many as results says), inout (changed in place), count
 *   (of the list named by of), user (handed to the callback) */
typedef struct hed_api_argument {
  const char *name, *kind, *role, *ctype; /* ctype as in the prototype: "const hed_array *" */
  const char *type;    /* of enum, struct and handle: its name */
  const char *of;      /* of a count: the list's name */
  const char *length;  /* of a list without a count: how many elements, as for results */
  const char *initial; /* what a language with defaults has for it, as JSON: "-1", "true", "\"reduced\"", "null"; NULL: it must
                        * be given. For options null is what all zero says, for a dtype "\"real\"" is HED_REAL */
  bool nullable;       /* NULL may be given: no such operand, the default, or a result that is not wanted */
  const char *traits;  /* what other languages want to know: words as below, of the argument and then of its type */
} hed_api_argument;

/* form:    new (makes its result), into (writes into its first argument), scalar_right, scalar_left, complex_right, complex_left
 *          (a number for that operand) and these with _into; function for what is no operation
 * returns: array (a new reference, or NULL), status, void, value (of ctype) */
typedef struct hed_api_function {
  const char *symbol, *form, *returns, *ctype;
  const char *header;  /* "heddle/ops/fft.h" */
  const char *results; /* how many arrays come: "0", "1", or for a list an expression of n, ndim(x), extent(x, axis), len(axes),
                        * + and *; in "A or B" B counts where A is 0 */
  const char *doc;     /* what stands above and beside the declaration */
  int32_t op;          /* hed_op; -1: no operation */
  int32_t n_arguments;
  const hed_api_argument *arguments;
  const char *traits;
} hed_api_function;

typedef struct hed_api_field {
  const char *name, *kind, *ctype, *type, *length, *doc; /* as for arguments */
  uint32_t offset, size; /* bytes */
  uint32_t count;        /* elements of an array in the struct, else 1 */
  const char *traits;
} hed_api_field;

/* Where all zero is the default: every struct that a function takes by a nullable pointer. */
typedef struct hed_api_struct {
  const char *name, *header, *doc;
  uint32_t size, align;
  int32_t n_fields;
  const hed_api_field *fields;
  const char *traits;
} hed_api_struct;

typedef struct hed_api_enumerator {
  const char *name, *brief, *doc; /* HED_NORM_ORTHO, "ortho" */
  int64_t value;
} hed_api_enumerator;

typedef struct hed_api_enum {
  const char *name, *header, *doc;
  int32_t n_values;
  const hed_api_enumerator *values;
} hed_api_enum;

/* Number K of each, NULL when there are no more: all functions, in the order of the headers; the structs and the enumerations
 * that they mention. Any thread. */
HED_API const hed_api_function *hed_api_function_at(int k);
HED_API const hed_api_struct *hed_api_struct_at(int k);
HED_API const hed_api_enum *hed_api_enum_at(int k);

/* How many arrays a call of F makes: ARGUMENTS[k] points at the value of argument k (as for ffi_call of libffi). HED_E_INVAL
 * when an array that counts is NULL, or a count is negative. */
HED_API int64_t hed_api_results(const hed_api_function *f, const void *const *arguments);

HED_END_DECLS

#endif
