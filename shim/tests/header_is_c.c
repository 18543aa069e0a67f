/* SPDX-License-Identifier: BSD-3-Clause */
/* The public header must compile as C. */
#include "shim/rdmafault.h"

size_t rdmafault_record_size(void);
size_t rdmafault_record_size(void) {
  return sizeof(struct rdmafault_record) + sizeof(struct rdmafault_log);
}
