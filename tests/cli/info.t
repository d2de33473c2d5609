#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# info and config: valid JSON with its schema, reasons for what is off, settings and where they come from.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
[ -x "$HEDDLE_TOOL" ] || skip_all 'the tool was not built'
heddle() { "$HEDDLE_TOOL" "$@"; }
python=$(command -v python3 || true)
json() { "$python" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

heddle info >"$tmp/info.txt" 2>"$tmp/err"
is $? 0 'info'
grep -q '^  reference  ready' "$tmp/info.txt"
ok $? 'the reference backend is ready'
grep -q 'operations: .*native' "$tmp/info.txt"
ok $? 'its operations are counted'
heddle info --ops >"$tmp/ops.txt"
is "$(grep -A1 '^  add: ' "$tmp/ops.txt" | tail -1 | tr -s ' ')" ' reference native' '--ops says how each is done'
is "$(grep -c '^  [a-z_0-9]*: ' "$tmp/ops.txt")" "$(grep -cE '^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(' \
  "$srcdir/include/heddle/ops.def")" 'and names all of them'
heddle info --ops --json >"$tmp/ops.json"
is $? 0 'info --ops --json'
heddle info --api >"$tmp/api.json"
is $? 0 'info --api'
heddle info --json >"$tmp/info.json"
is $? 0 'info --json'
HEDDLE_DISABLE=cpu heddle info >"$tmp/off.txt"
grep -q '^  cpu  disabled' "$tmp/off.txt"
ok $? 'a backend that is switched off is listed so'
grep -q 'HEDDLE_DISABLE' "$tmp/off.txt"
ok $? 'with the reason'
HEDDLE_BACKEND=reference heddle info | grep -q '^  backend  *reference .*HEDDLE_BACKEND'
ok $? 'a setting from the environment'

# What the cpu backend runs on: kernels of its own copy of BLAS, and what may be asked for.
kernels() { env "$@" "$HEDDLE_TOOL" info | sed -n 's/.*BLAS kernels \([A-Za-z0-9]*\).*own copy$/\1/p'; }
unset OPENBLAS_CORETYPE HEDDLE_BLAS_CORETYPE HEDDLE_CPU_LEVEL HEDDLE_CPU_STREAM
chosen=$(kernels)
case $chosen in
Haswell | Zen | SkylakeX | Cooperlake | SapphireRapids)
  is "$(kernels OPENBLAS_CORETYPE=Nehalem)" "$chosen" 'what is said to OpenBLAS in general does not reach our copy'
  is "$(kernels HEDDLE_BLAS_CORETYPE=Nehalem)" Nehalem 'what is said to it alone does'
  is "$(kernels HEDDLE_BLAS_CORETYPE=none)" "$chosen" 'a name that it does not know is passed over'
  HEDDLE_BLAS_CORETYPE=none heddle info | grep -q 'not those that HEDDLE_BLAS_CORETYPE names (none)'
  ok $? 'and that is said'
  case $(kernels HEDDLE_CPU_LEVEL=base) in
  Prescott | Core2 | Penryn | Dunnington | Nehalem | Sandybridge | Bulldozer | Piledriver | Steamroller) true ;;
  *) false ;;
  esac
  ok $? 'a lower level holds for it too'
  ;;
*) skip 'no copy of OpenBLAS that could take others' ;;
esac
if grep -q '^  cpu  ready' "$tmp/info.txt"; then
  HEDDLE_CPU_LEVEL=best heddle info | grep -q "HEDDLE_CPU_LEVEL is 'best', not base, avx2 or avx512"
  ok $? 'a level that is none makes the backend unusable, with the reason'
  HEDDLE_CPU_STREAM=1M heddle info | grep -q "HEDDLE_CPU_STREAM is '1M', not a number of bytes"
  ok $? 'so does a number that is none'
else
  skip 'no cpu backend'
fi
if grep -q '^  opencl  ready' "$tmp/info.txt"; then
  HEDDLE_OPENCL_PLATFORM=none-such heddle info |
    grep -q "no device of a platform with 'none-such' in its name (HEDDLE_OPENCL_PLATFORM)"
  ok $? 'a platform that is not there makes the backend unusable, with the reason'
else
  skip 'no opencl backend'
fi

# The file, written by the tool.
XDG_CONFIG_HOME=$tmp/xdg
export XDG_CONFIG_HOME
is "$(heddle config set backend reference)" "$tmp/xdg/heddle/config" 'config set says where'
is "$(cat "$tmp/xdg/heddle/config")" 'backend = reference' 'and writes the line'
heddle config | grep -q "^backend  *reference .*$tmp/xdg/heddle/config"
ok $? 'config shows it and its source'
printf '# mine\nlog = warn' >>"$tmp/xdg/heddle/config"
heddle config set backend cpu >/dev/null
heddle config set num_threads 1 >/dev/null
is "$(tr '\n' '|' <"$tmp/xdg/heddle/config")" '# mine|log = warn|backend = cpu|num_threads = 1|' \
  'other lines stay, one is replaced'
heddle config unset backend >/dev/null
is "$(grep -c backend "$tmp/xdg/heddle/config")" 0 'config unset'
mv "$tmp/xdg/heddle/config" "$tmp/xdg/mine"
chmod 640 "$tmp/xdg/mine"
ln -s ../mine "$tmp/xdg/heddle/config"
heddle config set fft_plans 3 >/dev/null
is "$(readlink "$tmp/xdg/heddle/config")" ../mine 'a link stays'
is "$(tail -n 1 "$tmp/xdg/mine")" 'fft_plans = 3' 'and its file is written'
is "$(stat -c %a "$tmp/xdg/mine")" 640 'and keeps its mode'
is "$(ls "$tmp/xdg/heddle")" config 'nothing else is left in the folder'

# Messages of the library, where they are asked for: of a module that is none.
mkdir "$tmp/modules"
echo text >"$tmp/modules/cpu.so"
HEDDLE_PLUGIN_PATH=$tmp/modules:$HEDDLE_PLUGIN_PATH
export HEDDLE_PLUGIN_PATH
HEDDLE_LOG=info heddle info >/dev/null 2>"$tmp/err"
is "$? $(grep -c '^heddle info: registry: cpu: open: .*modules/cpu.so: ' "$tmp/err") $(grep -vc '^heddle info: ' "$tmp/err")" \
  '0 1 0' 'HEDDLE_LOG=info: why it is not loaded, on standard error'
heddle config set log info >/dev/null
heddle info >/dev/null 2>"$tmp/err"
is "$? $(grep -c '^heddle info: registry: cpu: open: .*modules/cpu.so: ' "$tmp/err")" '0 1' 'and so by the file'
HEDDLE_LOG=off heddle info >/dev/null 2>"$tmp/err"
is "$? $(wc -c <"$tmp/err")" '0 0' 'or not'
heddle config set inherit 0 >/dev/null 2>"$tmp/err"
is $? 2 'what only the environment may set is refused'

if [ -n "$python" ]; then
  is "$(json "$tmp/info.json" 'd["schema"]')" heddle.info/1 'valid JSON with its schema'
  is "$(json "$tmp/info.json" '[b["operations"]["add"] for b in d["backends"] if b["name"] == "reference"]')" \
    "['native']" 'operations'
  is "$(json "$tmp/ops.json" '[o["backends"]["reference"]["native"] for o in d["operations"] if o["name"] == "sqrt"]')" \
    "[['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'bfloat16', \
'float32', 'float64', 'complex64', 'complex128']]" 'the element types done natively'
  is "$(json "$tmp/ops.json" '[o["aliases"] for o in d["operations"] if o["name"] == "arcsin"]')" "[['asin']]" 'other names'
  is "$(json "$tmp/ops.json" '[(o["domain"], o["backends"]["reference"]["way"]) for o in d["operations"] if o["name"] == "zeros"]')" \
    "[('bifc', 'composed')]" 'what is composed'
  is "$(json "$tmp/info.json" '[b["dtypes"]["float32"] for b in d["backends"] if b["name"] == "reference"]')" \
    "['native']" 'dtypes'
  is "$(json "$tmp/info.json" 'all(s["source"] for s in d["settings"])')" True 'every setting has a source'
  is "$(json "$tmp/api.json" 'd["schema"]')" heddle.api/1 'the interface as data'
  is "$(json "$tmp/ops.json" 'd["api"] == json.load(open("'"$tmp/api.json"'"))')" True '--ops has it too'
  cmp -s "$tmp/api.json" "$builddir/tools/api.json"
  ok $? 'it is the file that is installed'
  sh "$srcdir/build-aux/gen-symbols.sh" aliases "$CC" "$srcdir/include" "$builddir/include" >"$tmp/aliases"
  # What the headers declare, but for data and for functions of any number of arguments.
  json "$tmp/api.json" '"\n".join(sorted([f["symbol"] for f in d["functions"]] +
    [f["symbol"] for o in d["operations"] for f in o["forms"]]))' >"$tmp/has"
  sed -n 's/^\(hed_[a-z0-9_]*\) .*/\1/p' "$srcdir/doc/symbols-of-heddle" |
    comm -23 - "$tmp/aliases" |
    grep -Ev '^hed_(dtype_(abstract_[a-z]+|bool|u?int[0-9]+|b?float[0-9]+|complex[0-9]+)|fail|file_print)$' >"$tmp/wants"
  none "$(LC_ALL=C sort "$tmp/has" | comm -3 - "$tmp/wants")" 'with every function that there is'
  sed -n 's/^\(hed_[a-z0-9_]*\) .*/\1/p' "$srcdir/doc/symbols-of-heddle-kits" | grep -v '^hed_kit_' >"$tmp/wants"
  json "$tmp/api.json" '"\n".join(sorted(f["symbol"] for f in d["kits"]["functions"]))' >"$tmp/has"
  none "$(LC_ALL=C sort "$tmp/has" | comm -3 - "$tmp/wants")" 'and with every function of the kits'
  is "$(json "$tmp/api.json" '([f["offset"] for f in d["kits"]["structs"]["hed_us_ranges"]["fields"]],
    d["kits"]["enums"]["hed_vsa_phases"]["values"][1]["brief"], {f["kit"] for f in d["kits"]["functions"]} ==
    {"match", "nn", "tensor", "ultrasound", "vsa"})')" "([0, 16], 'gaussian', True)" 'their structs and enumerations'
  is "$(json "$tmp/api.json" '[a.get("traits") for f in d["kits"]["functions"] if f["symbol"] == "hed_vsa_items_query"
    for a in f["args"][:4]] + [d["kits"]["structs"]["hed_cp"]["traits"],
    [f["traits"] for f in d["kits"]["structs"]["hed_us_clip"]["fields"] if f["name"] == "low"],
    [f["traits"] for f in d["kits"]["functions"] if f["symbol"] == "hed_vsa_items_vectors"]]')" \
    "['class=Items learns', None, None, 'null=-INFINITY', 'class=CP', ['given=low_given'], ['borrowed attribute']]" 'and traits'
  is "$(json "$tmp/api.json" '[a["default"] for o in d["operations"] if o["name"] == "eye"
    for a in o["forms"][0]["args"] if "default" in a]')" \
    "[0, 'real']" 'and defaults that are JSON'
  is "$(json "$tmp/api.json" 'd["statuses"]["HED_E_SHAPE"]["value"]')" -10 'and statuses'
  heddle config --json >"$tmp/config.json"
  is "$(json "$tmp/config.json" 'd["schema"]')" heddle.config/1 'config --json'
else
  skip 'no python3 to read JSON'
fi
done_testing
