# SPDX-License-Identifier: BSD-3-Clause
# A Python in which the package can be built and tested; the library never needs it. Sets HED_PYTHON, empty without one.
AC_DEFUN([HED_TEST_PYTHON],
[AC_ARG_VAR([PYTHON], [Python 3.11 or later, for the tests of the Python package])
HED_PYTHON=
hed_python_why='no python3 was found'
dnl The first of the path may be one without the modules, before the system's.
for hed_python in ${PYTHON:-python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11}; do
  hed_python=`command -v $hed_python` || continue
  hed_python_why=`$hed_python -c '
import os, sys, sysconfig
from importlib.util import find_spec
if sys.version_info < (3, 11):
    print("Python is older than 3.11")
elif not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    print("the headers of", sys.executable, "are missing")
else:
    print("".join(m + " is not installed for it; " for m in ("setuptools", "pytest") if not find_spec(m)))' 2>&1`
  PYTHON=$hed_python
  AS_IF([test -z "$hed_python_why"], [break])
done
AS_IF([test -n "$PYTHON" && test -z "$hed_python_why"],
  [HED_PYTHON=$PYTHON
   HED_SUMMARY([tests of Python], [yes ($PYTHON)])],
  [HED_SUMMARY([tests of Python], [no: ${hed_python_why%; }])])
AC_SUBST([HED_PYTHON])
AC_SUBST([HED_PYTHON_WHY], [$hed_python_why])])
