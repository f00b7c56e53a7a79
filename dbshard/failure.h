/* SPDX-License-Identifier: Apache-2.0
 * What a MariaDB or MySQL error number means for the caller. */
#ifndef STE_DBSHARD_FAILURE_H
#define STE_DBSHARD_FAILURE_H

#include "base/error.h"

/* Server errors that mean: nothing was made here yet. */
enum { STE_SERVER_NO_DATABASE = 1049, STE_SERVER_NO_TABLE = 1146 };

enum ste_code ste_shard_classify(unsigned number);

#endif
