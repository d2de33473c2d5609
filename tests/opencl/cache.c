// SPDX-License-Identifier: BSD-3-Clause
/* Programs on disk (backends/device/program/cache.h): what was written is read back, by that key alone, and whatever is wrong with a
 * file or a folder leaves nothing but a program that is not found.
 */
#include "backends/device/program/cache.h"
#include "backends/device/program/sha256.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/opencl_cache.XXXXXX", folder[512];
static const char *identity = "a device";

static void *host_alloc(size_t bytes, size_t align)
{
  (void)align;
  return malloc(bytes ? bytes : 1);
}
static const char *host_setting(const char *name) { return strcmp(name, "cache_dir") == 0 ? folder : NULL; }
static void host_log(int32_t level, const char *subsystem, const char *format, ...) { (void)level, (void)subsystem, (void)format; }
static const char *port_identity(void *dev)
{
  (void)dev;
  return identity;
}

static const hed_host_api host = { .alloc = host_alloc, .free = free, .setting = host_setting, .log = host_log };
static const dev_port port = { .name = "opencl", .identity = port_identity };
static const dev_device device = { .port = &port, .host = &host };

static const char payload[] = "what a compiler made";

static void key_of(const char *source, unsigned char key[32]) { dev_cache_key(&device, source, strlen(source), key); }

/* The file of KEY. */
static const char *path_of(const unsigned char key[32])
{
  static char path[1024];
  int n = snprintf(path, sizeof path, "%s/kernels/1/opencl/%02x/", folder, key[0]);
  for (int k = 1; k < 32; k++)
    n += snprintf(path + n, sizeof path - (size_t)n, "%02x", key[k]);
  snprintf(path + n, sizeof path - (size_t)n, ".hkb");
  return path;
}

static bool is_there(const unsigned char key[32])
{
  size_t bytes = 0;
  char *p = dev_cache_read(&device, key, &bytes);
  const bool good = p && bytes == sizeof payload && memcmp(p, payload, bytes) == 0;
  free(p);
  return good;
}

static void write_anew(const unsigned char key[32])
{
  (void)unlink(path_of(key));
  dev_cache_write(&device, key, payload, sizeof payload);
}

static void change_byte(const char *path, off_t at)
{
  char byte = 0;
  int fd = open(path, O_RDWR);
  if (fd < 0 || pread(fd, &byte, 1, at) != 1)
    bail("%s has no byte %lld", path, (long long)at);
  byte ^= 1;
  if (pwrite(fd, &byte, 1, at) != 1)
    bail("%s was not written", path);
  close(fd);
}

static void hashes(void)
{
  /* FIPS 180-4's examples, and one that fills blocks piece by piece */
  static const struct {
    const char *text, *hex;
  } known[] = {
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    unsigned char sum[32];
    char hex[65];
    dev_sha256 s;
    dev_sha256_begin(&s);
    for (const char *p = known[k].text; *p; p++)
      dev_sha256_add(&s, p, 1);
    dev_sha256_end(&s, sum);
    for (int i = 0; i < 32; i++)
      snprintf(hex + 2 * i, 3, "%02x", sum[i]);
    is_str(hex, known[k].hex, "SHA-256 of %zu bytes", strlen(known[k].text));
  }
}

/* ---- other processes ---- */

/* What FN says in a child of fork: its exit status. As another user where this one may do all. */
static bool in_child(bool (*fn)(void), bool as_nobody)
{
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    if (as_nobody && geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
      _exit(3);
    _exit(fn() ? 0 : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Files below PATH that are no programs: what was begun beside one. */
static int others_below(const char *path)
{
  int n = 0;
  DIR *dir = opendir(path);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    char below[1400];
    struct stat st;
    snprintf(below, sizeof below, "%s/%s", path, e->d_name);
    if (e->d_name[0] == '.' || lstat(below, &st) != 0)
      continue;
    const size_t length = strlen(e->d_name);
    n += S_ISDIR(st.st_mode) ? others_below(below) : length < 4 || strcmp(e->d_name + length - 4, ".hkb") != 0;
  }
  if (dir)
    closedir(dir);
  return n;
}

enum { KEYS = 40, ROUNDS = 5, PROCESSES = 2 };

/* Programs that are not there are written, what is there is right; as long as another process does the same. */
static void *fill(void *bad)
{
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < KEYS; k++) {
      unsigned char key[32];
      char name[16];
      size_t bytes = 0;
      snprintf(name, sizeof name, "%d", k);
      key_of(name, key);
      char *p = dev_cache_read(&device, key, &bytes);
      *(int *)bad += p && (bytes != sizeof payload || memcmp(p, payload, bytes) != 0);
      if (!p || round % 2)
        dev_cache_write(&device, key, payload, sizeof payload);
      free(p);
    }
  return NULL;
}

static bool fill_by_two(void)
{
  pthread_t thread;
  int bad = 0, worse = 0;
  if (pthread_create(&thread, NULL, fill, &bad) != 0)
    return false;
  fill(&worse);
  return pthread_join(thread, NULL) == 0 && bad == 0 && worse == 0;
}

static void check_processes(void)
{
  bool good = true;
  int there = 0;
  pid_t child[PROCESSES];
  for (int k = 0; k < PROCESSES; k++)
    if ((child[k] = fork()) == 0)
      _exit(fill_by_two() ? 0 : 1);
  for (int k = 0; k < PROCESSES; k++) {
    int status = 0;
    good &= waitpid(child[k], &status, 0) == child[k] && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  for (int k = 0; k < KEYS; k++) {
    unsigned char key[32];
    char name[16];
    snprintf(name, sizeof name, "%d", k);
    key_of(name, key);
    there += is_there(key);
  }
  ok(good && there == KEYS, "two processes of two threads fill an empty folder: %d programs of %d", there, KEYS);
  is_int(others_below(folder), 0, "and leave nothing else");
}

/* ---- no room, no right to write, another's ---- */

/* The disk is full in the middle of a file. */
static bool on_full_disk(void)
{
  unsigned char key[32], other[32];
  key_of("kept", key);
  key_of("has no room", other);
  write_anew(key);
  const bool was_there = is_there(key);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 50, 50 });
  dev_cache_write(&device, key, payload, sizeof payload);
  dev_cache_write(&device, other, payload, sizeof payload);
  return was_there && is_there(key) && !is_there(other) && others_below(folder) == 0;
}

static char nobodys[sizeof root + 8];

/* A folder of the user's that is written once, and then may not be. */
static bool in_read_only_folder(void)
{
  unsigned char key[32], other[32];
  char sub[700];
  snprintf(folder, sizeof folder, "%s", nobodys);
  key_of("kept", key);
  write_anew(key);
  snprintf(sub, sizeof sub, "%s/kernels/1/opencl", folder);
  key_of("comes late", other);
  char path[1024];
  snprintf(path, sizeof path, "%s", path_of(key));
  *strrchr(path, '/') = 0;
  if (chmod(path_of(key), 0400) != 0 || chmod(path, 0500) != 0 || chmod(sub, 0500) != 0)
    return false;
  dev_cache_write(&device, other, payload, sizeof payload);
  dev_cache_write(&device, key, payload, sizeof payload);
  dev_cache_tidy(&device);
  const bool good = is_there(key) && !is_there(other) && others_below(folder) == 0;
  return chmod(sub, 0700) == 0 && chmod(path, 0700) == 0 && good;
}

static void check_rights(void)
{
  unsigned char key[32];
  ok(in_child(on_full_disk, false), "on a full disk what was there stays, and nothing is left of what has no room");
  snprintf(nobodys, sizeof nobodys, "%s/nobody", root);
  if (mkdir(nobodys, 0700) != 0 || chmod(root, 0711) != 0 || (geteuid() == 0 && chown(nobodys, 65534, 65534) != 0))
    bail("%s was not made", nobodys);
  ok(in_child(in_read_only_folder, true), "what may not be written is read, and nothing is written");
  if (geteuid() != 0)
    skip(1, "only root can give files to others");
  else {
    key_of("another's", key);
    write_anew(key);
    if (chown(path_of(key), 65534, 65534) != 0)
      bail("the file was not given away");
    ok(!is_there(key), "a file of another user is not taken");
  }
}

int main(void)
{
  unsigned char key[32], other[32], moved[32];
  struct stat st;
  if (!mkdtemp(root))
    bail("no folder for files");
  snprintf(folder, sizeof folder, "%s/cache", root);
  hashes();
  key_of("a program", key);
  key_of("another program", other);
  identity = "another device";
  key_of("a program", moved);
  identity = "a device";
  ok(memcmp(key, other, 32) != 0 && memcmp(key, moved, 32) != 0, "texts and devices have keys of their own");

  ok(dev_cache_is_set(&device) && !is_there(key), "nothing is found before it was written");
  ok(stat(folder, &st) != 0, "and no folder is made for it");
  write_anew(key);
  ok(is_there(key), "what was written is found");
  ok(!is_there(other), "by its key alone");
  ok(stat(path_of(key), &st) == 0 && (st.st_mode & 0777) == 0600, "and is for nobody else");

  if (truncate(path_of(key), (off_t)st.st_size - 1) != 0)
    bail("the file was not cut");
  ok(!is_there(key) && access(path_of(key), F_OK) != 0, "a file that was cut is not taken, and goes");
  write_anew(key);
  change_byte(path_of(key), st.st_size - 1);
  ok(!is_there(key) && access(path_of(key), F_OK) != 0, "one with another byte goes too");
  write_anew(key);
  write_anew(other);
  char from[1024];
  snprintf(from, sizeof from, "%s", path_of(key));
  if (rename(from, path_of(other)) != 0)
    bail("the file was not renamed");
  ok(!is_there(other), "one of another program is not taken");

  write_anew(key);
  if (chmod(path_of(key), 0666) != 0)
    bail("the file's mode was not changed");
  ok(!is_there(key), "nor one that others can write");
  write_anew(key);
  snprintf(from, sizeof from, "%s/kernels/1/opencl", folder);
  if (chmod(from, 0777) != 0)
    bail("the folder's mode was not changed");
  ok(!is_there(key), "nor any in a folder that others can write");
  if (chmod(from, 0700) != 0)
    bail("the folder's mode was not changed");
  ok(is_there(key), "in the user's own folder it is");

  check_processes();
  check_rights();
  setenv("HEDDLE_CACHE_MIB", "0", 1);
  dev_cache_tidy(&device);
  ok(!is_there(key), "what is more than may be goes");
  unsetenv("HEDDLE_CACHE_MIB");
  write_anew(key);
  dev_cache_tidy(&device);
  ok(is_there(key), "what may be stays");

  snprintf(folder, sizeof folder, "relative");
  ok(!dev_cache_is_set(&device) && !is_there(key), "a folder that is no absolute path is none");
  snprintf(folder, sizeof folder, "/dev/null/cache");
  write_anew(key);
  ok(!is_there(key), "where no folder can be made, nothing is kept");
  snprintf(from, sizeof from, "rm -rf %s", root);
  if (system(from) != 0)
    diag("%s was left behind", root);
  return done();
}
