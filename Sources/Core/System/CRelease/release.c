#include "CRelease.h"

#ifndef SLUICE_COMMIT
#define SLUICE_COMMIT ""
#endif

const char *sluice_commit(void) { return SLUICE_COMMIT; }
