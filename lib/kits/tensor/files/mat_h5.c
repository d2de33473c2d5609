// SPDX-License-Identifier: BSD-3-Clause
/* The superblock, headers of objects, members of groups. See mat_h5.h.
 *
 * Layer: L4, tensor kit. Counts bound what damaged links make of a walk: no walk ends where it began.
 */
#include "kits/tensor/files/mat_h5.h"
#include <string.h>

enum { MOST_BLOCKS = 64, MOST_MESSAGES = 4096, MOST_NODES = 1 << 16, ADDRESS = 8, ENTRY = 40 };

hed_status hed__h5_bad(const hed__h5_tree *f, const char *what)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s': %s", f->s->op, f->s->path, what);
}

bool hed__h5_holds(const hed__h5_tree *f, uint64_t at, uint64_t n)
{
  return at <= f->bytes - f->base && n <= f->bytes - f->base - at;
}

hed_status hed__h5_take(const hed__h5_tree *f, uint64_t at, void *out, uint64_t n)
{
  return hed__h5_holds(f, at, n) && fseeko(f->s->f, (off_t)(f->base + at), SEEK_SET) == 0 && fread(out, 1, n, f->s->f) == n
             ? HED_OK : hed__h5_bad(f, "an address is outside the file");
}

hed_status hed__h5_begin(hed__mat_source *s, uint64_t bytes, hed__h5_tree *f)
{
  static const unsigned char signature[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  unsigned char head[96] = { 0 };
  *f = (hed__h5_tree){ .s = s, .bytes = bytes };
  bool found = false;
  uint64_t at = 0;
  for (; !found && hed__h5_holds(f, at, 48); at = at ? 2 * at : 512) {
    const uint64_t n = bytes - at < sizeof head ? bytes - at : sizeof head;
    if (hed__h5_take(f, at, head, n) != HED_OK)
      return hed_error();
    found = memcmp(head, signature, sizeof signature) == 0;
    if (found)
      break;
  }
  if (!found)
    return hed__h5_bad(f, "begins as version 7.3, and no HDF5 is in it");
  const int version = head[8], lengths = version < 2 ? 13 : 9, addresses = version == 0 ? 24 : version == 1 ? 28 : 12;
  if (version > 3 || head[lengths] != ADDRESS || head[lengths + 1] != ADDRESS)
    return hed__h5_bad(f, "is HDF5 of a version that is not known, or of addresses that have not 8 bytes");
  const uint64_t base = hed__h5_number(head + addresses, ADDRESS);
  if (base > bytes)
    return hed__h5_bad(f, "an address is outside the file");
  f->base = base;
  f->root = hed__h5_number(head + addresses + (version < 2 ? 5 : 3) * ADDRESS, ADDRESS);
  return HED_OK;
}

/* ---- headers of objects ---- */

typedef struct header {
  const hed__h5_tree *f;
  hed__h5_on_message *on;
  void *arg;
  size_t head;        /* bytes before the data of a message */
  int messages, blocks;
  struct { uint64_t at, n; } block[MOST_BLOCKS];
  bool stopped;
} header;

static hed_status take_block(header *h, uint64_t at, uint64_t n)
{
  hed__h5_message m;
  while (n >= h->head && !h->stopped) {
    unsigned char head[8];
    hed_status status = hed__h5_take(h->f, at, head, h->head);
    if (status != HED_OK)
      return status;
    const bool first = h->head == 8;
    m.type = first ? (unsigned)hed__h5_number(head, 2) : head[0];
    m.size = hed__h5_number(head + (first ? 2 : 1), 2);
    m.flags = head[first ? 4 : 3];
    m.at = at + h->head;
    m.n = m.size < sizeof m.data ? (size_t)m.size : sizeof m.data;
    if (m.size > n - h->head || ++h->messages > MOST_MESSAGES)
      return hed__h5_bad(h->f, "an object's header has more in it than its size");
    if ((status = hed__h5_take(h->f, m.at, m.data, m.n)) != HED_OK)
      return status;
    if (m.type == HED__H5_CONTINUED) {
      if (m.n < 16 || h->blocks == MOST_BLOCKS)
        return hed__h5_bad(h->f, "an object's header goes on without end");
      h->block[h->blocks].at = hed__h5_number(m.data, ADDRESS);
      h->block[h->blocks++].n = hed__h5_number(m.data + 8, ADDRESS);
    } else
      h->stopped = !h->on(h->arg, &m);
    at = m.at + m.size;
    n -= h->head + m.size;
  }
  return HED_OK;
}

/* Of version 2 they have a signature, and a checksum, which is not looked at: messages are checked one by one. */
hed_status hed__h5_messages(const hed__h5_tree *f, uint64_t object, hed__h5_on_message *on, void *arg)
{
  unsigned char head[16];
  header h = { .f = f, .on = on, .arg = arg, .head = 8 };
  hed_status status = hed__h5_take(f, object, head, sizeof head);
  if (status != HED_OK)
    return status;
  const bool second = memcmp(head, "OHDR\2", 5) == 0;
  if (!second && head[0] != 1)
    return hed__h5_bad(f, "an object has no header");
  if (second) {
    const int flags = head[5], bytes = 1 << (flags & 3);
    const uint64_t skip = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    h.head = flags & 4 ? 6 : 4;
    if ((status = hed__h5_take(f, object + skip, head, (uint64_t)bytes)) != HED_OK)
      return status;
    h.block[h.blocks].at = object + skip + (uint64_t)bytes;
    h.block[h.blocks++].n = hed__h5_number(head, bytes);
  } else {
    h.block[h.blocks].at = object + 16;
    h.block[h.blocks++].n = hed__h5_number(head + 8, 4);
  }
  for (int k = 0; k < h.blocks && !h.stopped && status == HED_OK; k++) {
    uint64_t at = h.block[k].at, n = h.block[k].n;
    if (second && k > 0) {
      if ((status = hed__h5_take(f, at, head, 4)) == HED_OK && (n < 8 || memcmp(head, "OCHK", 4) != 0))
        status = hed__h5_bad(f, "an object's header goes on where there is none");
      at += 4;
      n -= 8;
    }
    if (status == HED_OK && !hed__h5_holds(f, at, n))
      status = hed__h5_bad(f, "an object's header is outside the file");
    if (status == HED_OK)
      status = take_block(&h, at, n);
  }
  return status;
}

/* ---- members of groups ---- */

typedef struct group {
  const hed__h5_tree *f;
  hed__h5_on_member *on;
  void *arg;
  hed_status status;
  uint64_t names, names_n; /* of the symbol table */
  int nodes;
  bool stopped;
} group;

static hed_status take_symbols(group *g, uint64_t at)
{
  unsigned char head[8], entry[ENTRY];
  char name[HED__H5_NAME];
  hed_status status = hed__h5_take(g->f, at, head, sizeof head);
  if (status == HED_OK && memcmp(head, "SNOD\1", 5) != 0)
    status = hed__h5_bad(g->f, "a group's members are none");
  const int n = status == HED_OK ? (int)hed__h5_number(head + 6, 2) : 0;
  for (int k = 0; k < n && status == HED_OK && !g->stopped; k++) {
    if ((status = hed__h5_take(g->f, at + 8 + (uint64_t)k * ENTRY, entry, ENTRY)) != HED_OK)
      break;
    const uint64_t offset = hed__h5_number(entry, ADDRESS);
    const uint64_t room = offset < g->names_n ? g->names_n - offset : 0;
    const size_t most = room < sizeof name ? (size_t)room : sizeof name;
    if ((status = hed__h5_take(g->f, g->names + offset, name, most)) != HED_OK)
      break;
    if (!memchr(name, 0, most))
      status = hed__h5_bad(g->f, "a name has no end, or more than 255 bytes");
    else
      g->stopped = !g->on(g->arg, name, hed__h5_number(entry + 16, 4) == 2 ? 0 : hed__h5_number(entry + 8, ADDRESS));
  }
  return status;
}

/* A node of the tree and all below it; a node's level is one less than that of the node above. */
static hed_status take_nodes(group *g, uint64_t at, int level)
{
  unsigned char head[24], child[ADDRESS];
  hed_status status = hed__h5_take(g->f, at, head, sizeof head);
  if (status == HED_OK && (memcmp(head, "TREE\0", 5) != 0 || (level >= 0 && head[5] != level) || head[5] > 16 ||
                           ++g->nodes > MOST_NODES))
    status = hed__h5_bad(g->f, "a group's tree of members is none");
  const int n = status == HED_OK ? (int)hed__h5_number(head + 6, 2) : 0;
  for (int k = 0; k < n && status == HED_OK && !g->stopped; k++) {
    status = hed__h5_take(g->f, at + sizeof head + ADDRESS + (uint64_t)k * 2 * ADDRESS, child, ADDRESS);
    if (status == HED_OK && head[5] > 0)
      status = take_nodes(g, hed__h5_number(child, ADDRESS), head[5] - 1);
    else if (status == HED_OK && ++g->nodes > MOST_NODES)
      status = hed__h5_bad(g->f, "a group has more members than are read");
    else if (status == HED_OK)
      status = take_symbols(g, hed__h5_number(child, ADDRESS));
  }
  return status;
}

static hed_status take_table(group *g, const hed__h5_message *m)
{
  unsigned char heap[32];
  hed_status status = m->n < 16 ? hed__h5_bad(g->f, "a group has no table") : HED_OK;
  if (status == HED_OK)
    status = hed__h5_take(g->f, hed__h5_number(m->data + 8, ADDRESS), heap, sizeof heap);
  if (status == HED_OK && memcmp(heap, "HEAP\0", 5) != 0)
    status = hed__h5_bad(g->f, "a group has no names");
  if (status != HED_OK)
    return status;
  g->names_n = hed__h5_number(heap + 8, ADDRESS);
  g->names = hed__h5_number(heap + 24, ADDRESS);
  if (!hed__h5_holds(g->f, g->names, g->names_n))
    return hed__h5_bad(g->f, "a group's names are outside the file");
  return take_nodes(g, hed__h5_number(m->data, ADDRESS), -1);
}

/* A member that the group's header itself names. */
static hed_status take_link(group *g, const hed__h5_message *m)
{
  char name[HED__H5_NAME];
  const int flags = m->n > 2 ? m->data[1] : 0, bytes = 1 << (flags & 3);
  const size_t before = 2 + (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0), from = before + (size_t)bytes;
  const uint64_t n = from <= m->n ? hed__h5_number(m->data + before, bytes) : 0;
  const bool hard = !(flags & 8) || m->data[2] == 0;
  if (m->n < 2 || m->data[0] != 1 || n == 0 || n >= sizeof name || from + n + (hard ? ADDRESS : 0) > m->n)
    return hed__h5_bad(g->f, "a link is none");
  memcpy(name, m->data + from, (size_t)n);
  name[n] = 0;
  g->stopped = !g->on(g->arg, name, hard ? hed__h5_number(m->data + from + n, ADDRESS) : 0);
  return HED_OK;
}

static bool on_group(void *arg, const hed__h5_message *m)
{
  group *g = arg;
  if (m->type == HED__H5_SYMBOLS)
    g->status = take_table(g, m);
  else if (m->type == HED__H5_LINK)
    g->status = take_link(g, m);
  else if (m->type == HED__H5_LINK_INFO && (m->n < 10 || hed__h5_number(m->data + (m->data[1] & 1 ? 10 : 2), ADDRESS) != UINT64_MAX))
    g->status = hed__h5_bad(g->f, "a group keeps its members as only later versions of HDF5 do, and MATLAB does not");
  return g->status == HED_OK && !g->stopped;
}

hed_status hed__h5_members(const hed__h5_tree *f, uint64_t at, hed__h5_on_member *on, void *arg)
{
  group g = { .f = f, .on = on, .arg = arg };
  const hed_status status = hed__h5_messages(f, at, on_group, &g);
  return status != HED_OK ? status : g.status;
}
