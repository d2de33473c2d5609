// SPDX-License-Identifier: BSD-3-Clause
/* The rows of formulas as functions of values, for programs of several compute types: of each type K for which HED_USES_K is
 * defined a function add_K(a, b, c, parameters), which gives what the formula gives. Complex rows have HED_COMPUTE alone. L1.
 *
 * In a formula T and R are the function's own types.
 */
typedef struct fuse_params {
  u64 param[4];
} fuse_params;

typedef struct params_void {
  int32_t none;
} params_void;
#define READ_void { 0 }

#define GIVES_T(id) id
#define GIVES_B(id) 0
#define GIVES_R(id) REAL(id)
#define FIRST_OWN(id) id
#define FIRST_BOOL(id) 0
#define NEW_T_B(e) ((T)(e))
#define NEW_T_I(e) ((T)(e))
#define NEW_T_U(e) ((T)(e))
#define NEW_T_H(e) ((T)(e))
#define NEW_T_F(e) ((T)(e))
#define NEW_T_C(e) (e)
#define NEW_T(id, e) JOIN2(NEW_T_, KIND(id))(e)
#define NEW_B(id, e) ((e) ? true : false)
#define NEW_R(id, e) ((R)(e))

#define FORMULA(id, name, r, P, first, e)                                                                              \
  FN COMPUTED(GIVES_##r(id)) JOIN2(name, id)(COMPUTED(FIRST_##first(id)) a, COMPUTED(id) b, COMPUTED(id) c,            \
                                             const fuse_params args)                                                   \
  {                                                                                                                    \
    typedef COMPUTED(id) T;                                                                                            \
    typedef COMPUTED(REAL(id)) R;                                                                                      \
    const params_##P given = READ_##P;                                                                                 \
    const params_##P *q = &given;                                                                                      \
    const COMPUTED(FIRST_##first(id)) x = a;                                                                           \
    (void)x, (void)b, (void)c, (void)q, (void)args; /* some formulas need few of them */                               \
    return NEW_##r(id, e);                                                                                             \
  }

/* ---- types in use ---- */

#define LEAVE(id, name, r, P, first, e)
#ifdef HED_USES_0
#define USE_0 FORMULA
#else
#define USE_0 LEAVE
#endif
#ifdef HED_USES_1
#define USE_1 FORMULA
#else
#define USE_1 LEAVE
#endif
#ifdef HED_USES_2
#define USE_2 FORMULA
#else
#define USE_2 LEAVE
#endif
#ifdef HED_USES_3
#define USE_3 FORMULA
#else
#define USE_3 LEAVE
#endif
#ifdef HED_USES_4
#define USE_4 FORMULA
#else
#define USE_4 LEAVE
#endif
#ifdef HED_USES_5
#define USE_5 FORMULA
#else
#define USE_5 LEAVE
#endif
#ifdef HED_USES_6
#define USE_6 FORMULA
#else
#define USE_6 LEAVE
#endif
#ifdef HED_USES_7
#define USE_7 FORMULA
#else
#define USE_7 LEAVE
#endif
#ifdef HED_USES_8
#define USE_8 FORMULA
#else
#define USE_8 LEAVE
#endif
#ifdef HED_USES_9
#define USE_9 FORMULA
#else
#define USE_9 LEAVE
#endif
#ifdef HED_USES_10
#define USE_10 FORMULA
#else
#define USE_10 LEAVE
#endif
#ifdef HED_USES_11
#define USE_11 FORMULA
#else
#define USE_11 LEAVE
#endif
#ifdef HED_USES_12
#define USE_12 FORMULA
#else
#define USE_12 LEAVE
#endif
#ifdef HED_USES_13
#define USE_13 FORMULA
#else
#define USE_13 LEAVE
#endif
#ifdef HED_USES_14
#define USE_14 FORMULA
#else
#define USE_14 LEAVE
#endif

/* ---- kinds: of which types a row is ---- */

#define OF_BOOL(name, r, P, first, e) USE_0(0, name, r, P, first, e)
#define OF_INT(name, r, P, first, e)                                                                                   \
  USE_1(1, name, r, P, first, e) USE_2(2, name, r, P, first, e) USE_3(3, name, r, P, first, e) USE_4(4, name, r, P, first, e)
#define OF_UINT(name, r, P, first, e)                                                                                  \
  USE_5(5, name, r, P, first, e) USE_6(6, name, r, P, first, e) USE_7(7, name, r, P, first, e) USE_8(8, name, r, P, first, e)
#define OF_FLOAT(name, r, P, first, e) USE_11(11, name, r, P, first, e) USE_12(12, name, r, P, first, e)
#define OF_FLOAT16(name, r, P, first, e) USE_9(9, name, r, P, first, e)
#define OF_BFLOAT16(name, r, P, first, e) USE_10(10, name, r, P, first, e)
#define OF_STRUCT(name, r, P, first, e) USE_13(13, name, r, P, first, e) USE_14(14, name, r, P, first, e)
#define OF_COMPLEX(name, r, P, first, e)
#define OF_INTEGER(name, r, P, first, e) OF_INT(name, r, P, first, e) OF_UINT(name, r, P, first, e)
#define OF_DISCRETE(name, r, P, first, e) OF_BOOL(name, r, P, first, e) OF_INTEGER(name, r, P, first, e)
#define OF_INEXACT OF_FLOAT
#define OF_ORDERED(name, r, P, first, e) OF_DISCRETE(name, r, P, first, e) OF_FLOAT(name, r, P, first, e)
#define OF_ANY OF_ORDERED
#define OF_ALL(name, r, P, first, e) OF_ORDERED(name, r, P, first, e) OF_STRUCT(name, r, P, first, e)

#define HED_MAP1(ID, name, kind, result, expression) OF_##kind(name, result, void, OWN, expression)
#define HED_MAP2(ID, name, kind, result, expression) OF_##kind(name, result, void, OWN, expression)
#define HED_MAPP(ID, name, kind, result, n, P, expression) OF_##kind(name, result, P, OWN, expression)
#define HED_MAPC(ID, name, kind, result, n, P, expression) OF_##kind(name, result, P, BOOL, expression)
