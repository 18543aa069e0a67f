// SPDX-License-Identifier: BSD-3-Clause
// The provider's headers, without the macros that hide functions of ours.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

// verbs.h defines these names as macros; here they are functions.
#undef ibv_reg_mr
#undef ibv_query_port
