// SHA256_Init and its two companions are deprecated in favour of a call that looks the algorithm up
// by name each time, which costs more than hashing a short text.
#define OPENSSL_SUPPRESS_DEPRECATED

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
