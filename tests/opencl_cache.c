// SPDX-License-Identifier: BSD-3-Clause
/* Programs on disk (backends/device/cache.h): what was written is read back, by that key alone, and whatever is wrong with a
 * file or a folder leaves nothing but a program that is not found.
 */
#include "backends/device/cache.h"
#include "backends/device/sha256.h"
#include "tap.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
static const hed__port port = { .name = "opencl", .identity = port_identity };
static const hed__device device = { .port = &port, .host = &host };

static const char payload[] = "what a compiler made";

static void key_of(const char *source, unsigned char key[32]) { hed__cache_key(&device, source, strlen(source), key); }

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
  char *p = hed__cache_read(&device, key, &bytes);
  const bool good = p && bytes == sizeof payload && memcmp(p, payload, bytes) == 0;
  free(p);
  return good;
}

static void write_anew(const unsigned char key[32])
{
  (void)unlink(path_of(key));
  hed__cache_write(&device, key, payload, sizeof payload);
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
    hed__sha256 s;
    hed__sha256_begin(&s);
    for (const char *p = known[k].text; *p; p++)
      hed__sha256_add(&s, p, 1);
    hed__sha256_end(&s, sum);
    for (int i = 0; i < 32; i++)
      snprintf(hex + 2 * i, 3, "%02x", sum[i]);
    is_str(hex, known[k].hex, "SHA-256 of %zu bytes", strlen(known[k].text));
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

  ok(hed__cache_is_set(&device) && !is_there(key), "nothing is found before it was written");
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

  setenv("HEDDLE_CACHE_MIB", "0", 1);
  hed__cache_tidy(&device);
  ok(!is_there(key), "what is more than may be goes");
  unsetenv("HEDDLE_CACHE_MIB");
  write_anew(key);
  hed__cache_tidy(&device);
  ok(is_there(key), "what may be stays");

  snprintf(folder, sizeof folder, "relative");
  ok(!hed__cache_is_set(&device) && !is_there(key), "a folder that is no absolute path is none");
  snprintf(folder, sizeof folder, "/dev/null/cache");
  write_anew(key);
  ok(!is_there(key), "where no folder can be made, nothing is kept");
  snprintf(from, sizeof from, "rm -rf %s", root);
  if (system(from) != 0)
    diag("%s was left behind", root);
  return done();
}
