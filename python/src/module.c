// SPDX-License-Identifier: BSD-3-Clause
/* heddle._core: what the package is made of. */
#include "kit.h"

hp_state hp;

static int fill(PyObject *module)
{
  PyMethodDef *const functions[] = { hp_operations, hp_index_functions, hp_context_functions, hp_exchange_functions,
                                     hp_runtime_functions, hp_grad_functions, hp_program_functions, hp_train_functions,
                                     hp_reader_functions };
  if (hp.array) {
    PyErr_SetString(PyExc_ImportError, "heddle: the library's state is the process's; a second interpreter cannot have it");
    return -1;
  }
  if (hp_errors_init(module) != 0 || hp_dtype_init(module) != 0 || hp_array_init(module) != 0 ||
      hp_buffer_init(module) != 0 ||
      hp_generator_init(module) != 0 || hp_context_init(module) != 0 || hp_kits_init(module) != 0 || hp_jit_init(module) != 0 ||
      hp_reader_init(module) != 0)
    return -1;
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (PyModule_AddFunctions(module, functions[k]) != 0)
      return -1;
  return PyModule_AddIntConstant(module, "MAX_NDIM", HED_MAX_NDIM);
}

static PyModuleDef_Slot slots[] = {
  { Py_mod_exec, fill },
#ifdef Py_GIL_DISABLED
  { Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
  { 0, NULL }
};

static struct PyModuleDef definition = {
  PyModuleDef_HEAD_INIT, .m_name = "heddle._core", .m_doc = "Heddle's operations, arrays and contexts.", .m_slots = slots
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
  return PyModuleDef_Init(&definition);
}
