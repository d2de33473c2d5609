#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the tests notice wrong code?  Changes one token of the library at a time and runs tests until one fails.

    mutate.py BUILD [COUNT [SEED [FOLDER...]]]   e.g. nice tests/mutate.py build-coverage 300 1 lib/core lib/kits
    mutate.py --since COMMIT BUILD [COUNT [SEED]]

BUILD holds what `make check-build` builds, and stays as it is.  A changed file is compiled as make would, and linked in front
of what it replaces to a library, a module or a test with a static copy, in a folder of its own.  What does not compile is not
counted.  Folders of lib/ have their backends' modules with them (lib/backends/cpu); without FOLDER it is all of lib/.

The first form wants a BUILD that was configured with --enable-coverage: the lines that each test runs are learnt once
(BUILD/mutate.json; remove it after changes), and every test of a line that takes at most LONG seconds is tried.  Says what
was noticed of each folder, and where the changes were that no test noticed; the status is 0 when nine tenths were.

The second form changes lines that are not as in COMMIT, in any BUILD, and tries the tests whose names are nearest to the
file's for at most SHORT seconds of processor time: what survives is worth a look, and is no failure.
"""
import argparse
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
import threading
import time

LONG = 8.0
SHORT = 5.0
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


def printed(command, **options):
  return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Build:
  def __init__(self, build):
    self.dir = os.path.abspath(build)
    text = printed(['sh', '-c', '. tests/env.sh; env -0'], cwd=self.dir)
    self.env = dict(v.split('=', 1) for v in text.split('\0') if v)
    self.source = self.env['HEDDLE_TEST_SRCDIR']
    with open(self.dir + '/Makefile', encoding='utf-8') as opened:
      self.srcdir = re.search(r'^srcdir = (.*)', opened.read(), re.M)[1]
    self.steps, self.links, self.lock = {}, {}, threading.Lock()

  def would(self, changed, *targets):
    """What make would run for TARGETS if a source had changed."""
    out = printed(['make', '-n', 'V=1', '-W', f'{self.srcdir}/{changed}', *targets], cwd=self.dir)
    return out.replace('\\\n', ' ').splitlines()

  def linked(self, test):
    """The command that links a test with a static copy."""
    with self.lock:
      if not self.links:
        for line in self.would('tests/tap.c', *(n + '.t' for n, fixed in self.tests().items() if fixed)):
          at = re.search(r'--mode=link.* -o (\S+)\.t\b', line)
          if at:
            self.links[at[1]] = shlex.split(re.sub(r'^.*?--mode=link', '', line))
    return self.real(self.links[test])

  def of(self, changed):
    """The commands that compile what reads a source, and those that link the shared objects these are in."""
    if changed not in self.steps:
      compile_, link, holds = {}, [], set()
      for line in self.would(changed, 'all-am'):
        at = re.search(r' -o (\S+\.l[oa])\b', line)
        if at is None:
          continue
        words = shlex.split(re.sub(r'^.*?--mode=\w+', '', line.split(' -MT')[0] if at[1].endswith('.lo') else line))
        if at[1].endswith('.lo'):
          source = f"{self.srcdir}/{re.findall(r'lib/[^ ]+?[.]c', line)[-1]}"
          compile_[at[1]] = [w for w in words if w not in ('--coverage', '-Werror') and not w.startswith('-fprofile')] + \
            ['-fPIC', '-c', source]
          holds.add(at[1])
        elif holds & set(words):
          if ' -rpath ' in line:
            link.append(words)
          else:
            holds.add(at[1])
      self.steps[changed] = compile_, [self.real(words) for words in link]
    return self.steps[changed]

  def real(self, words):
    """The compiler's own words for what libtool links."""
    out = printed([self.dir + '/libtool', '--dry-run', '--tag=CC', '--mode=link'] + words, cwd=self.dir)
    return shlex.split(next(l for l in out.splitlines() if ' -o ' in l).replace('libtool: link: ', '', 1))

  def tests(self):
    """The C tests that are built, and which of them have a static copy of the library."""
    names = printed(['make', '-s', '--eval', 'its-names: ; @echo $(check_PROGRAMS)', 'its-names'], cwd=self.dir)
    with open(self.dir + '/Makefile', encoding='utf-8') as opened:
      fixed = set(re.findall(r'^(tests_\w+)_t_LDADD = .*\$\((?:internal_libs|cpu_kernels|kernels_libs)\)', opened.read(), re.M))
    names = [n[:-2] for n in names.split() if n.endswith('.t') and os.path.exists(f'{self.dir}/{n}')]
    return {n: re.sub(r'\W', '_', n) in fixed for n in sorted(set(names))}

  def clocked(self):
    """What `make check' noted of each test that passed: seconds."""
    known = {}
    for name, fixed in self.tests().items():
      try:
        with open(f'{self.dir}/{name}.trs', encoding='utf-8') as opened:
          text = opened.read()
      except OSError:
        continue
      took = re.search(r':clock:\n.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s', text)
      if took and re.search(r'^:global-test-result: PASS', text, re.M):
        minutes, seconds, more, others = map(float, took.groups())
        known[name] = {'seconds': 60 * (minutes + more) + seconds + others, 'fixed': fixed}
    return known

  def learn(self, folders):
    """Of each test that passes: seconds, and the lines of each file that it runs."""
    known = {}
    for name, fixed in self.tests().items():
      for f in glob.glob(self.dir + '/lib/**/*.gcda', recursive=True):
        os.remove(f)
      began = time.time()
      status = run([name + '.t'], LONG * 4, cwd=self.dir, env=self.env)
      took = time.time() - began
      if status != 0 or took > LONG * 4:
        continue
      counts = [f for d in folders for f in glob.glob(f'{self.dir}/{d}/**/*.gcda', recursive=True)]
      out = printed(['gcov', '--json-format', '--stdout'] + counts, cwd=self.dir) if counts else ''
      lines = {}
      for text in out.splitlines():
        for f in json.loads(text)['files'] if text.startswith('{') else []:
          at = re.search(r'lib/[\w/]+\.[ch]$', f['file'])
          if at and at[0].startswith(tuple(d + '/' for d in folders)):
            lines.setdefault(at[0], set()).update(x['line_number'] for x in f['lines'] if x['count'])
      known[name] = {'seconds': took, 'fixed': fixed, 'lines': {f: sorted(n) for f, n in lines.items()}}
      print(f'# {name}: {took:.1f} s, {sum(map(len, lines.values()))} lines', flush=True)
    return known


def changed_since(source, commit):
  """The lines of lib/ that are not as in COMMIT."""
  out = printed(['git', 'diff', '-U0', '-M', '-l0', '--no-prefix', commit, '--', 'lib/*.c', 'lib/*.h'], cwd=source)
  lines, f = {}, None
  for line in out.splitlines():
    at = re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@', line)
    if line.startswith('+++ '):
      f = line[4:]
    elif at and os.path.exists(f'{source}/{f}'):
      lines.setdefault(f, set()).update(range(int(at[1]), int(at[1]) + int(at[2] or 1)))
  return lines


def mutants(source, lines):
  """Every change of the lines: (file, line, column, old, new)."""
  found = []
  for f in sorted(lines):
    with open(f'{source}/{f}', encoding='utf-8') as opened:
      text = opened.read()
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'',
                  lambda m: re.sub(r'[^\n]', '"', m[0]), text, flags=re.S).split('\n')
    for n, line in enumerate(text, 1):
      if n not in lines[f] or line.lstrip().startswith('#') or 'HED__ASSERT' in line or line.endswith('\\'):
        continue
      if STATEMENT.match(line):
        found.append((f, n, len(line) - len(line.lstrip()), line.strip(), ';'))
      for m in TOKEN.finditer(line):
        old = m[0]
        new = str(int(old) + 1) if old.isdigit() else '' if old == '!' else SWAPS[old]
        found.append((f, n, m.start(), old, new))
  return found


def stems(path):
  """The words of a path, shortened so that `fuse' is near `fused'."""
  return {w[:4] for w in re.split(r'[/_.]', path) if w not in ('lib', 'tests', 'c', 'h', 't', 'kits', 'backends')}


def near(known, f):
  """The tests to try for a file, nearest first, within SHORT seconds."""
  spent, chosen = 0.0, []
  for _, seconds, name in sorted((-len(stems(name) & stems(f)), t['seconds'], name) for name, t in known.items()):
    if seconds <= SHORT - spent:
      spent += seconds
      chosen.append((seconds, name))
  return chosen


def judge(build, known, tests, mutant):
  """The test that notices the change, '' when none does, None when it is none that compiles."""
  f, n, column, old, new = mutant
  with open(f'{build.source}/{f}', encoding='utf-8') as opened:
    text = opened.read().split('\n')
  line = text[n - 1]
  text[n - 1] = line[:column] + new + line[column + (len(line) - column if new == ';' else len(old)):]
  compile_, link = build.of(f)
  with tempfile.TemporaryDirectory() as tmp:
    # The tree as it is, but for one file.
    subprocess.run(['cp', '-as', build.source + '/lib', tmp], check=True)
    os.remove(f'{tmp}/{f}')
    with open(f'{tmp}/{f}', 'w', encoding='utf-8') as opened:
      opened.write('\n'.join(text))
    objects = []
    for k, words in enumerate(compile_.values()):
      objects.append(f'{tmp}/{k}.o')
      words = [re.sub(rf'^(-I|){re.escape(build.srcdir)}/lib\b', rf'\1{tmp}/lib', w) for w in words]
      if run(words + ['-w', '-o', objects[-1]], 120, cwd=build.dir) != 0:
        return None
    first = objects + ['-Wl,-z,muldefs']
    for words in link:
      words = [f'{tmp}/{os.path.basename(w)}' if words[i - 1] == '-o' else w for i, w in enumerate(words)]
      at = words.index('-shared') + 1
      if run(words[:at] + first + words[at:], 120, cwd=build.dir) != 0:
        return None
      soname = words[words.index('-Wl,-soname') + 1].split(',')[-1]
      os.rename(f'{tmp}/{os.path.basename(words[words.index("-o") + 1])}', f'{tmp}/{soname}')
    env = dict(build.env, LD_LIBRARY_PATH=tmp, GCOV_PREFIX=tmp + '/counts',
               HEDDLE_PLUGIN_PATH=tmp + ':' + build.env['HEDDLE_PLUGIN_PATH'])
    for seconds, test in tests(f, n):
      program = f'{build.dir}/{test}.t'
      if known[test]['fixed']:
        words = build.linked(test)
        at = words.index('-o')
        program = f'{tmp}/{os.path.basename(test)}.t'
        if run(words[:at] + ['-o', program] + first + words[at + 2:], 120, cwd=build.dir) != 0:
          continue
      if run([program], 10 + 5 * seconds, cwd=build.dir, env=env) != 0:
        return test
  return ''


def attempt(build, known, tests, found, count, seed):
  """Makes COUNT changes; prints each, returns (noticed, all) by folder."""
  random.Random(seed).shuffle(found)
  print(f'# {len(found)} changes can be made, at most {count} are', flush=True)
  score, running, tried = {}, {}, 0
  with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    while True:
      while found and len(running) < min(os.cpu_count(), count - tried):
        m = found.pop()
        running[pool.submit(judge, build, known, tests, m)] = m
      if not running:
        return score
      for done in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
        f, n, column, old, new = running.pop(done)
        by = done.result()
        if by is None:
          continue
        tried += 1
        noticed, total = score.get(folder_of(f), (0, 0))
        score[folder_of(f)] = noticed + (by != ''), total + 1
        print(f'{"noticed" if by else "SURVIVED":9}{f}:{n}:{column + 1}: {old} -> {new or "nothing"}  {by}', flush=True)


def folder_of(f):
  """lib/core of what is below it, lib/kits/tensor of what is below that."""
  return '/'.join(f.split('/')[:3 if re.match('lib/(kits|backends)/', f) else 2])


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--since', metavar='COMMIT')
  parser.add_argument('build')
  parser.add_argument('count', nargs='?', type=int, default=100)
  parser.add_argument('seed', nargs='?', type=int, default=1)
  parser.add_argument('folder', nargs='*', default=['lib'])
  given = parser.parse_args()
  build = Build(given.build)
  if given.since:
    known, lines = build.clocked(), changed_since(build.source, given.since)
    def tests(f, n):
      return near(known, f)
  else:
    path = build.dir + '/mutate.json'
    if not os.path.exists(path):
      with open(path + '.new', 'w', encoding='utf-8') as opened:
        json.dump(build.learn(given.folder), opened)
      os.rename(path + '.new', path)
    with open(path, encoding='utf-8') as opened:
      known = json.load(opened)
    lines = {}
    for t in known.values():
      for f, ran in t['lines'].items():
        if f.startswith(tuple(d + '/' for d in given.folder)):
          lines.setdefault(f, set()).update(ran)
    def tests(f, n):
      return sorted((t['seconds'], k) for k, t in known.items() if n in t['lines'].get(f, ()) and t['seconds'] <= LONG)
  score = attempt(build, known, tests, mutants(build.source, lines), given.count, given.seed)
  for folder, (noticed, total) in sorted(score.items()):
    print(f'{folder}: {noticed} of {total} noticed')
  noticed, total = (sum(v[k] for v in score.values()) for k in (0, 1))
  print(f'{noticed} of {total} changes were noticed')
  return not given.since and noticed < 0.9 * total


if __name__ == '__main__':
  sys.exit(main())
