// The other side of the scanner benchmark: the same batches read with simdjson On-Demand.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How the fields of a reading are found.
typedef enum {
    OndemandOrdered = 0,    // find_field: right for the canonical order only
    OndemandUnordered = 1,  // operator[]: any order, best when the order is nearly right
    OndemandIterate = 2,    // one pass over the fields: any order
} OndemandAccess;

typedef struct {
    int64_t readings;
    // A sum over every value, so that no work can be left out and both sides can be compared.
    uint64_t checksum;
} OndemandResult;

typedef struct {
    uint8_t *bytes;
    size_t count;
} OndemandBuffer;

typedef struct OndemandParser OndemandParser;

OndemandParser *ondemand_create(size_t body_bytes_max);
void ondemand_destroy(OndemandParser *parser);

// Bytes that must be readable behind a body.
size_t ondemand_padding(void);
// The kernel that finds the structure, picked at run time.
const char *ondemand_kernel(void);
// The kernel that the rest was compiled for.
const char *ondemand_compiled_kernel(void);

// Reads one batch, and extracts and validates every field. 0, or simdjson's error code.
int ondemand_extract(OndemandParser *parser, const uint8_t *body, size_t bytes,
                     OndemandAccess access, OndemandResult *result);

// The same, and writes COPY BINARY tuples to gps, vital, event (in this order), which have room.
int ondemand_encode(OndemandParser *parser, const uint8_t *body, size_t bytes,
                    OndemandAccess access, int64_t device_key, OndemandBuffer rows[3],
                    OndemandResult *result);

#ifdef __cplusplus
}
#endif
#endif
