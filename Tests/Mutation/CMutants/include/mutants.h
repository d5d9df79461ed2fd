#pragma once
#include <stdbool.h>
#include <stdint.h>

extern int32_t mutants_active;
extern uint8_t *mutants_reached;

/// Whether this mutant is the one that runs. Notes that it was reached.
static inline bool mutant(int32_t number) {
    mutants_reached[number] = 1;
    return number == mutants_active;
}
