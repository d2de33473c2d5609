// SPDX-License-Identifier: BSD-3-Clause
/* What is written by hand of the kit for template matching: a list of matrices that becomes shorter in place. */
#include "kit.h"
#include <heddle/kits/rotation.h>

static PyObject *rotations_reduce(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
  static const char *const names[] = { "matrices", "symmetry", "step_degrees" };
  static const hp_signature s = { "rotations_reduce", 3, 3, 3, names };
  PyObject *v[3] = { NULL }, *result = NULL;
  hp_call c = HP_CALL("rotations_reduce");
  double *matrices = NULL, step = 0;
  int64_t numbers = 0;
  const char *symmetry = NULL;
  (void)module;
  if (hp_bind(&s, args, n, keywords, v) && hp_doubles(&c, v[0], "matrices", &numbers, &matrices) &&
      hp_matrices("matrices", numbers, 3) && hp_string(v[1], "symmetry", &symmetry) &&
      hp_double(v[2], "step_degrees", &step)) {
    size_t count = (size_t)numbers / 9;
    const hed_status status = hed_rotations_reduce(symmetry, step, matrices, &count);
    result = status == HED_OK ? hp_values(matrices, HED_FLOAT64, HED_SHAPE((int64_t)count, 3, 3)) : hp_fail("rotations_reduce");
  }
  hp_done(&c);
  return result;
}

PyMethodDef hp_match_functions[] = {
  HP_METHOD("rotations_reduce", rotations_reduce,
            "rotations_reduce(matrices, symmetry, step_degrees)\n--\n\n"
            "Those of MATRICES, at a step, that a particle of a point group needs.\n\n"
            "Parameters\n----------\nmatrices : array_like\n    rotations, of shape (n, 3, 3)\n"
            "symmetry : str\n    the point group: \"C4\", \"D2\", \"I\"\nstep_degrees : float\n    that of the rotations\n\n"
            "Returns\n-------\nArray\n    of shape (m, 3, 3), m not above n"),
  { NULL, NULL, 0, NULL }
};
