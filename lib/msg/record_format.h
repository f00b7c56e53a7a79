/* SPDX-License-Identifier: Apache-2.0
 * Constants of the record's bytes, for its writer and its reader (docs/WIRE.md). */
#ifndef STE_MSG_RECORD_FORMAT_H
#define STE_MSG_RECORD_FORMAT_H

enum {
    STE_RECORD_FIELD_IN_ORIGINAL = 0x80, /* beside the field id: offset and length in `original` */
    STE_RECORD_SHA256_BYTES = 32,
    STE_RECORD_FINDING_BYTES_MIN = 5, /* code, level, three empty blocks */
};

#endif
