// The opponent in the scanner benchmark: reads the same batches with simdjson On-Demand.
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
    // A checksum of all values. It shows that no value was skipped, and that both sides agree.
    uint64_t checksum;
} OndemandResult;

typedef struct {
    uint8_t *bytes;
    size_t count;
} OndemandBuffer;

typedef struct OndemandParser OndemandParser;

OndemandParser *ondemand_create(size_t body_bytes_max);
void ondemand_destroy(OndemandParser *parser);

// Bytes after a body that must be readable.
size_t ondemand_padding(void);
// The simdjson kernel that finds the structure; simdjson picks it at run time.
const char *ondemand_kernel(void);
// The kernel that the rest was compiled for.
const char *ondemand_compiled_kernel(void);

// Reads one batch; extracts and validates every field. Returns 0 or simdjson's error code.
int ondemand_extract(OndemandParser *parser, const uint8_t *body, size_t bytes,
                     OndemandAccess access, OndemandResult *result);

// The same, and also writes COPY BINARY tuples. `rows` are the buffers for gps, vital and event,
// in this order; they must be large enough.
int ondemand_encode(OndemandParser *parser, const uint8_t *body, size_t bytes,
                    OndemandAccess access, int64_t device_key, OndemandBuffer rows[3],
                    OndemandResult *result);

#ifdef __cplusplus
}
#endif
#endif
