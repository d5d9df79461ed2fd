// The switch of all mutants. MUTANT is the number of the one that runs; MUTANTS_REACHED the file in
// which each mutant has a byte that is set once it is reached. It is mapped, so that nothing is
// lost when the process is killed.
#include "mutants.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { mutants_max = 65536 };
static uint8_t unrecorded[mutants_max];
int32_t mutants_active = -1;
uint8_t *mutants_reached = unrecorded;

__attribute__((constructor)) static void start(void) {
    const char *number = getenv("MUTANT"), *path = getenv("MUTANTS_REACHED");
    if (number) mutants_active = atoi(number);
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, mutants_max) != 0) return;
    void *map = mmap(0, mutants_max, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) mutants_reached = map;
    close(file);
}
