/* SPDX-License-Identifier: Apache-2.0
 * Whether the installed rabbitmq-c is one to warn of at start. */
#ifndef STE_MQ_LIBRARY_H
#define STE_MQ_LIBRARY_H

#include "base/bytes.h"

/* True: `out` is a line for the log. False: fine, or not known. Reads dpkg's status file. */
bool ste_mq_library_warning(char *out, size_t out_bytes);
/* The same from the text of that file. */
bool ste_mq_library_judge(struct ste_bytes dpkg_status, char *out, size_t out_bytes);

#endif
