// SPDX-License-Identifier: BSD-3-Clause
//
// The gate's instructions, for x86-64.
#include "shim/gate.h"

#if defined(__x86_64__)

#include <atomic>

// The restorer has the same bytes as libc's and no unwind information, not even for the byte before it:
// unwinders recognize a signal frame by that. The nop separates it from the code before.
//
// A landing must not use the stack, which a vforked child shares, nor any register that a system call keeps;
// so each landing has its own variable.
asm(R"(
  .pushsection .text.rdmafault_gate, "ax", @progbits
  .balign 64
  .hidden rdmafault_gate_begin, rdmafault_gate_end, rdmafault_gate_restorer, rdmafault_gate_call
  .hidden rdmafault_landings, rdmafault_landing_returns
  .globl rdmafault_gate_begin, rdmafault_gate_end, rdmafault_gate_restorer, rdmafault_gate_call
  .globl rdmafault_landings

rdmafault_gate_begin:
  nop
  .balign 16
  .type rdmafault_gate_restorer, @function
rdmafault_gate_restorer:
  movq $15, %rax
  syscall
  .size rdmafault_gate_restorer, . - rdmafault_gate_restorer

  .balign 16
  .type rdmafault_gate_call, @function
rdmafault_gate_call:
  .cfi_startproc
  movq %rdi, %rax
  movq %rsi, %r11
  movq (%r11), %rdi
  movq 8(%r11), %rsi
  movq 16(%r11), %rdx
  movq 24(%r11), %r10
  movq 32(%r11), %r8
  movq 40(%r11), %r9
  syscall
  ret
  .cfi_endproc
  .size rdmafault_gate_call, . - rdmafault_gate_call

  .balign 16
rdmafault_landings:
  .set index, 0
  .rept 8
  syscall
  jmp *rdmafault_landing_returns + 8 * index(%rip)
  .set index, index + 1
  .endr
rdmafault_gate_end:
  .popsection
)");

#endif
