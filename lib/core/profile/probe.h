// SPDX-License-Identifier: BSD-3-Clause
/* Places that perf, bpftrace, SystemTap and gdb can stop at: static probes of provider "heddle", in the notes of the library. L2.
 *
 * A probe is an instruction that does nothing, and a note of type 3 for "stapsdt" which says where it is and where its arguments
 * are then, each as SIZE@OPERAND in the words of the assembler. No header of SystemTap is needed, and where the form is not known
 * there are no probes.
 *
 *   push, pop         const char *context, uint32_t depth before
 *   op__begin         int op (hed_op), const char *device
 *   op__end           const char *device, int status
 *   wait__begin       const char *device, uint64_t ticket
 *   wait__end         const char *device, int status
 *   fallback          int op, const char *device */
#ifndef HED_CORE_PROFILE_PROBE_H
#define HED_CORE_PROFILE_PROBE_H

#if defined __linux__ && defined __GNUC__ && defined __LP64__ && (defined __x86_64__ || defined __aarch64__)
#  define HED__PROBE_NOTE_(name, arguments) \
     "770: nop\n" \
     ".pushsection .note.stapsdt,\"\",%%note\n" \
     ".balign 4\n" \
     ".4byte 772f-771f, 774f-773f, 3\n" \
     "771: .asciz \"stapsdt\"\n" \
     "772: .balign 4\n" \
     "773: .8byte 770b, _.stapsdt.base, 0\n" \
     ".asciz \"heddle\", \"" name "\", \"" arguments "\"\n" \
     "774: .balign 4\n" \
     ".popsection\n" \
     ".ifndef _.stapsdt.base\n" /* by which is known that the file was moved after linking */ \
     ".pushsection .stapsdt.base,\"aG\",%%progbits,.stapsdt.base,comdat\n" \
     ".weak _.stapsdt.base\n" \
     ".hidden _.stapsdt.base\n" \
     "_.stapsdt.base: .space 1\n" \
     ".size _.stapsdt.base, 1\n" \
     ".popsection\n" \
     ".endif\n"
#  define HED__PROBE(name, size_a, a, size_b, b) \
     __asm__ volatile(HED__PROBE_NOTE_(name, size_a "@%0 " size_b "@%1") : : "nor"(a), "nor"(b))
#else
#  define HED__PROBE(name, size_a, a, size_b, b) ((void)(a), (void)(b))
#endif

/* Contexts and devices begin with their names. */
#define HED__PROBE_PUSH(context, depth) HED__PROBE("push", "8", context, "4", depth)
#define HED__PROBE_POP(context, depth) HED__PROBE("pop", "8", context, "4", depth)
#define HED__PROBE_OP_BEGIN(op, device) HED__PROBE("op__begin", "-4", op, "8", device)
#define HED__PROBE_OP_END(device, status) HED__PROBE("op__end", "8", device, "-4", status)
#define HED__PROBE_WAIT_BEGIN(device, ticket) HED__PROBE("wait__begin", "8", device, "8", ticket)
#define HED__PROBE_WAIT_END(device, status) HED__PROBE("wait__end", "8", device, "-4", status)
#define HED__PROBE_FALLBACK(op, device) HED__PROBE("fallback", "-4", op, "8", device)

#endif
