/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *ste_path_beside(const char *base_file, const char *text)
{
    const char *slash = strrchr(base_file, '/');
    struct ste_buf path = {0};
    if (text[0] != '/') {
        if (base_file[0] != '/') {
            char *working = getcwd(NULL, 0);
            ste_buf_append_cstr(&path, working ? working : ".");
            ste_buf_append_cstr(&path, "/");
            free(working);
        }
        if (slash)
            ste_buf_append(&path, base_file, (size_t)(slash - base_file) + 1);
    }
    ste_buf_append_cstr(&path, text);
    ste_buf_u8(&path, '\0');
    if (path.failed)
        ste_buf_deinit(&path);
    return path.at;
}
