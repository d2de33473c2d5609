#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the tests notice wrong code?  Changes one token of lib/core and lib/api at a time and runs the tests of that line.

    mutate.py BUILD [COUNT [SEED]]      e.g. nice tests/mutate.py build-coverage 300

BUILD was configured with --enable-coverage and holds what `make check-build` builds; nothing in it is changed but the
counts of lines, from which the tests of each line are learnt once (BUILD/mutate.json; remove it after changes of tests).
A changed file is compiled to an object beside it, and linked to a library of its own and to the tests with a static copy.
Changes that do not compile are not counted.  Tests of more than LONG seconds are left out.  Says where the changes were
that no test noticed; the status is 0 when at most a tenth of them was.
"""
import concurrent.futures as futures
import glob
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

FOLDERS = ('core', 'api')
LONG = 8.0
SWAPS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+': '-', '-': '+', '*': '/', '/': '*',
         '%': '*', '&&': '||', '||': '&&', '&': '|', '|': '&', '<<': '>>', '>>': '<<', '+=': '-=', '-=': '+='}
TOKEN = re.compile(r'(?<= )(' + '|'.join(re.escape(s) for s in sorted(SWAPS, key=len, reverse=True)) + r')(?= )'
                   r'|\b\d+\b(?![.\w])|(?<![\w)])!(?=[\w(])')
STATEMENT = re.compile(r'^ +(?!return|break|continue|goto|case|default|static|const|else|do\b)[\w*(][^;{}]*;$')


def run(command, seconds, **options):
  """The exit status, or None after SECONDS."""
  process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                             start_new_session=True, **options)
  try:
    return process.wait(seconds)
  except subprocess.TimeoutExpired:
    os.killpg(process.pid, 9)
    process.wait()
    return None


def environment(build):
  text = subprocess.run(['sh', '-c', '. tests/env.sh; env -0'], cwd=build, check=True, capture_output=True).stdout
  return dict(v.split('=', 1) for v in text.decode().split('\0') if v)


def printed(build, target):
  """What make would run for TARGET."""
  out = subprocess.run(['make', '-n', '-B', 'V=1', target], cwd=build, check=True, capture_output=True, text=True).stdout
  return out.replace('\\\n', ' ').splitlines()


class Build:
  def __init__(self, build):
    self.dir = os.path.abspath(build)
    self.env = environment(self.dir)
    self.source = self.env['HEDDLE_TEST_SRCDIR']
    line = next(l for l in printed(self.dir, 'lib/core/array/array.lo') if '--mode=compile' in l)
    words = shlex.split(line[line.index('--mode=compile') + 15:].split(' -MT')[0])
    self.compiler = [w for w in words if w not in ('--coverage', '-Werror') and not w.startswith('-fprofile')]
    self.objects = [o for o in sorted(glob.glob(self.dir + '/lib/**/.libs/*.o', recursive=True))
                    if re.search(r'/lib/(base|core|api|composite|backends/reference)/(\w+/)?\.libs/', o)]
    self.library = os.path.basename(os.path.realpath(self.dir + '/lib/.libs/libheddle.so'))
    self.soname = '.'.join(self.library.split('.')[:3])

  def tests(self):
    """The C tests, and which of them have a static copy of the library."""
    out = subprocess.run(['make', '-pn', 'check-build'], cwd=self.dir, capture_output=True, text=True).stdout
    names = subprocess.run(['make', '-s', '--eval', 'its-names: ; @echo $(check_PROGRAMS)', 'its-names'], cwd=self.dir,
                           check=True, capture_output=True, text=True).stdout
    fixed = set(re.findall(r'^tests_(\w+)_t_LDADD = \$\(internal_libs\)', out, re.M))
    names = [n for n in re.findall(r'tests/([\w/]+)\.t', names) if os.path.exists(f'{self.dir}/tests/{n}.t')]
    return {n: n.replace('/', '_') in fixed for n in sorted(set(names))}

  def learn(self):
    """Of each test that passes: seconds, and the lines of each file that it runs."""
    known = {}
    for name, fixed in self.tests().items():
      for f in glob.glob(self.dir + '/lib/**/*.gcda', recursive=True):
        os.remove(f)
      began = time.time()
      status = run([f'tests/{name}.t'], LONG * 4, cwd=self.dir, env=self.env)
      took = time.time() - began
      if status != 0 or took > LONG * 4:
        continue
      counts = [f for d in FOLDERS for f in glob.glob(f'{self.dir}/lib/{d}/**/.libs/*.gcda', recursive=True)]
      out = subprocess.run(['gcov', '--json-format', '--stdout'] + counts, cwd=self.dir, capture_output=True).stdout
      lines = {}
      for text in out.decode().splitlines():
        for f in json.loads(text)['files'] if text.startswith('{') else []:
          at = re.search(r'lib/(?:core|api)/[\w/]+\.c$', f['file'])
          if at:
            lines[at[0]] = [x['line_number'] for x in f['lines'] if x['count']]
      known[name] = {'seconds': took, 'fixed': fixed, 'lines': lines}
      print(f'# {name}: {took:.1f} s, {sum(map(len, lines.values()))} lines', flush=True)
    return known


def mutants(source, known):
  """Every change of a line that some test runs: (file, line, column, old, new)."""
  covered = {}
  for test in known.values():
    for f, lines in test['lines'].items():
      covered.setdefault(f, set()).update(lines)
  found = []
  for f, lines in sorted(covered.items()):
    with open(f'{source}/{f}', encoding='utf-8') as opened:
      text = opened.read()
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'',
                  lambda m: re.sub(r'[^\n]', '"', m[0]), text, flags=re.S).split('\n')
    for n, line in enumerate(text, 1):
      if n not in lines or line.lstrip().startswith('#') or 'HED__ASSERT' in line or line.endswith('\\'):
        continue
      if STATEMENT.match(line):
        found.append((f, n, len(line) - len(line.lstrip()), line.strip(), ';'))
      for m in TOKEN.finditer(line):
        old = m[0]
        new = str(int(old) + 1) if old.isdigit() else '' if old == '!' else SWAPS[old]
        found.append((f, n, m.start(), old, new))
  return found


def judge(build, known, mutant):
  """The test that notices the change, '' when none does, None when it is none that compiles."""
  f, n, column, old, new = mutant
  with open(f'{build.source}/{f}', encoding='utf-8') as opened:
    text = opened.read().split('\n')
  line = text[n - 1]
  text[n - 1] = line[:column] + new + line[column + (len(line) - column if new == ';' else len(old)):]
  with tempfile.TemporaryDirectory() as tmp:
    changed, name = f'{tmp}/changed.c', os.path.basename(f)[:-2]
    with open(changed, 'w', encoding='utf-8') as opened:
      opened.write('\n'.join(text))
    obj = f'{tmp}/changed.o'
    if run(build.compiler + ['-w', '-fPIC', '-c', '-o', obj, changed], 120, cwd=build.dir) != 0:
      return None
    own = f'{build.dir}/{os.path.dirname(f)}/.libs/{name}.o'
    link = ['gcc', '--coverage', '-shared', '-Wl,-soname,' + build.soname, '-o', f'{tmp}/{build.soname}', obj]
    if run(link + [o for o in build.objects if o != own] + ['-lm', '-ldl', '-lpthread'], 120) != 0:
      return None
    tests = sorted((t['seconds'], k) for k, t in known.items() if n in t['lines'].get(f, ()) and t['seconds'] <= LONG)
    env = dict(build.env, LD_LIBRARY_PATH=tmp, GCOV_PREFIX=tmp + '/counts')
    for seconds, test in tests:
      program = f'{build.dir}/tests/{test}.t'
      if known[test]['fixed']:
        program = f'{tmp}/{os.path.basename(test)}.t'
        libs = [f'{build.dir}/tests/.libs/lib{x}.a' for x in ('tap', 'heddle-internal')]
        if run(['gcc', '--coverage', '-Wl,-u,hed__lifecycle', '-o', program, f'{build.dir}/tests/{test}.o', obj] + libs +
               ['-lm', '-ldl', '-lpthread'], 120) != 0:
          continue
      if run([program], 10 + 5 * seconds, cwd=build.dir, env=env) != 0:
        return test
  return ''


def main(build, count=100, seed=1):
  count = int(count)
  build = Build(build)
  path = build.dir + '/mutate.json'
  if not os.path.exists(path):
    known = build.learn()
    with open(path, 'w', encoding='utf-8') as opened:
      json.dump(known, opened)
  with open(path, encoding='utf-8') as opened:
    known = json.load(opened)
  todo = mutants(build.source, known)
  random.Random(int(seed)).shuffle(todo)
  print(f'# {len(todo)} changes can be made, {count} are', flush=True)
  killed, survived = 0, []
  with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    todo = iter(todo)
    running = {}
    while killed + len(survived) < count:
      while len(running) < min(os.cpu_count(), count - killed - len(survived)):
        m = next(todo)
        running[pool.submit(judge, build, known, m)] = m
      for done in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
        f, n, column, old, new = running.pop(done)
        by = done.result()
        if by is None:
          continue
        killed += by != ''
        if by == '':
          survived.append((f, n))
        print(f'{"killed" if by else "SURVIVED":9}{f}:{n}:{column + 1}: {old} -> {new or "nothing"}  {by}', flush=True)
  print(f'{killed} of {killed + len(survived)} were noticed')
  return len(survived) * 10 > killed + len(survived)


if __name__ == '__main__':
  if not 2 <= len(sys.argv) <= 4:
    sys.exit(__doc__)
  sys.exit(main(*sys.argv[1:]))
