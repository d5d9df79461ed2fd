// A library to preload. It writes a journal of all that its process changes under one directory:
// bytes, sizes and names, and what it has synced. disk.py reads the journal, and makes of it a disk
// as a power cut may leave it.
//
// POWER_ROOT      the directory; it exists, and nothing else changes it
// POWER_JOURNAL   the file of the journal; several processes may append to it
// POWER_CUT       this process kills itself after so many records
//
// A sync is not passed on to the kernel. It takes POWER_SYNC microseconds (500 by default), so that
// a cut falls into it often enough. It covers what was in the journal when it began.
//
// Each record is a line, and for W so many bytes behind it:
//   C parent inode mode name     a file was created      D parent inode mode name   a directory was
//   L parent inode name          a second name           U parent name              a name was removed
//   R parent parent name/name    a name was moved
//   W inode offset bytes         bytes were written      Z inode size               the size was set
//   S inode begin path           a sync ended that began when the journal had `begin` bytes
//
// What it can't record ends the process: shared mappings for writing, O_SYNC, copies by the kernel.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))next(#name))

static const char *root;
static size_t root_length;
static int journal = -1;
static long records, records_max;
static useconds_t sync_time = 500;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

static void refuse(const char *what)
{
    dprintf(2, "journal.c can't record %s\n", what);
    abort();
}

__attribute__((constructor)) static void start(void)
{
    const char *directory = getenv("POWER_ROOT"), *file = getenv("POWER_JOURNAL");
    // It reads pictures in a sandbox, and writes no files.
    if (!directory || !file || strcmp(program_invocation_short_name, "sluice-inspect") == 0) return;
    if (getenv("POWER_CUT")) records_max = atol(getenv("POWER_CUT"));
    if (getenv("POWER_SYNC")) sync_time = (useconds_t)atol(getenv("POWER_SYNC"));
    // A number that no program expects to be free.
    int opened = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_APPEND | O_CREAT, 0600);
    journal = fcntl(opened, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, opened);
    if (journal < 0) refuse("without its journal");
    root_length = strlen(directory);
    root = directory;
}

static bool is_inside(const char *path)
{
    return strncmp(path, root, root_length) == 0
        && (path[root_length] == 0 || path[root_length] == '/');
}

/// Whether a descriptor is of a file or directory below the root; its path, for messages.
static bool is_watched(int fd, struct stat *status, char path[PATH_MAX])
{
    if (!root) return false;
    int code = errno;
    bool result = false;
    if (fstat(fd, status) == 0 && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode))) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, PATH_MAX - 1);
        if (length > 0) {
            path[length] = 0;
            result = is_inside(path);
        }
    }
    errno = code;
    return result;
}

/// The directory of a path, if it is below the root, and the last name.
struct place {
    bool is_watched;
    struct stat parent;
    char name[PATH_MAX];
};

static struct place locate(int directory, const char *path)
{
    struct place place = {0};
    if (!root || !path || !*path) return place;
    int code = errno;
    char text[PATH_MAX];
    snprintf(text, sizeof text, "%s", path);
    size_t end = strlen(text);
    while (end > 1 && text[end - 1] == '/') text[--end] = 0;
    char *slash = strrchr(text, '/');
    snprintf(place.name, sizeof place.name, "%s", slash ? slash + 1 : text);
    if (slash) slash[slash == text ? 1 : 0] = 0;
    int parent = (int)syscall(
        SYS_openat, directory, slash ? text : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent >= 0) {
        char real[PATH_MAX];
        place.is_watched = is_watched(parent, &place.parent, real);
        syscall(SYS_close, parent);
    }
    errno = code;
    return place;
}

static void lock(void)
{
    pthread_mutex_lock(&mutex);
    flock(journal, LOCK_EX);
}

static void unlock(void)
{
    int code = errno;
    flock(journal, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = code;
}

/// Called with the lock.
static void record(const struct iovec *bytes, size_t count, const char *format, ...)
{
    int code = errno;
    char line[PATH_MAX + 600];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ssize_t done = syscall(SYS_write, journal, line, (size_t)length);
    for (size_t i = 0; i < count && done >= 0; i++) {
        done = syscall(SYS_write, journal, bytes[i].iov_base, bytes[i].iov_len);
        if (done >= 0 && (size_t)done != bytes[i].iov_len) done = -1;
    }
    if (done < 0) refuse("any more: the journal's disk");
    if (++records == records_max) {
        kill(getpid(), SIGKILL);
        pause();
    }
    errno = code;
}

static unsigned long number(const struct stat *status) { return (unsigned long)status->st_ino; }

// MARK: Opening

static int open_any(int directory, const char *path, int flags, mode_t mode)
{
    static __typeof__(&openat) real;
    if (!real) real = NEXT(openat);
    if (!root || !(flags & (O_CREAT | O_TRUNC | O_SYNC | O_DSYNC | __O_TMPFILE)))
        return real(directory, path, flags, mode);
    struct place place = locate(directory, path);
    if (!place.is_watched) return real(directory, path, flags, mode);
    if ((flags & O_TMPFILE) == O_TMPFILE) refuse("O_TMPFILE");
    if (flags & (O_SYNC | O_DSYNC)) refuse("O_SYNC");
    lock();
    struct stat status;
    bool was_there = fstatat(directory, path, &status, 0) == 0;
    int fd = real(directory, path, flags, mode);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        if (!was_there)
            record(
                NULL, 0, "C %lu %lu %o %s\n", number(&place.parent), number(&status),
                status.st_mode & 07777, place.name);
        else if (flags & O_TRUNC)
            record(NULL, 0, "Z %lu 0\n", number(&status));
    }
    unlock();
    return fd;
}

#define MODE                                                \
    mode_t mode = 0;                                        \
    if (flags & (O_CREAT | __O_TMPFILE)) {                  \
        va_list arguments;                                  \
        va_start(arguments, flags);                         \
        mode = (mode_t)va_arg(arguments, int);              \
        va_end(arguments);                                  \
    }

EXPORT int open(const char *path, int flags, ...)
{
    MODE return open_any(AT_FDCWD, path, flags, mode);
}
EXPORT int open64(const char *path, int flags, ...)
{
    MODE return open_any(AT_FDCWD, path, flags, mode);
}
EXPORT int openat(int directory, const char *path, int flags, ...)
{
    MODE return open_any(directory, path, flags, mode);
}
EXPORT int openat64(int directory, const char *path, int flags, ...)
{
    MODE return open_any(directory, path, flags, mode);
}
EXPORT int creat(const char *path, mode_t mode)
{
    return open_any(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

static FILE *open_stream(const char *path, const char *mode, const char *name)
{
    __typeof__(&fopen) real = (__typeof__(&fopen))next(name);
    if (strpbrk(mode, "wa+") && locate(AT_FDCWD, path).is_watched) refuse("fopen(3) for writing");
    return real(path, mode);
}
EXPORT FILE *fopen(const char *path, const char *mode) { return open_stream(path, mode, "fopen"); }
EXPORT FILE *fopen64(const char *path, const char *mode) { return open_stream(path, mode, "fopen64"); }

EXPORT int mkstemp(char *template)
{
    bool is_watched = locate(AT_FDCWD, template).is_watched;
    if (is_watched) lock();
    int fd = NEXT(mkstemp)(template);
    if (is_watched) {
        struct place place = locate(AT_FDCWD, template);
        struct stat status;
        if (fd >= 0 && fstat(fd, &status) == 0)
            record(
                NULL, 0, "C %lu %lu %o %s\n", number(&place.parent), number(&status), 0600,
                place.name);
        unlock();
    }
    return fd;
}
EXPORT int mkstemp64(char *template) { return mkstemp(template); }

// MARK: Bytes

static void wrote(
    int fd, const struct stat *status, const struct iovec *bytes, int count, ssize_t done,
    off_t offset)
{
    if (done <= 0) return;
    struct iovec parts[count];
    int used = 0;
    for (size_t left = (size_t)done; left > 0; used++) {
        parts[used] = bytes[used];
        if (parts[used].iov_len > left) parts[used].iov_len = left;
        left -= parts[used].iov_len;
    }
    if (offset < 0) offset = lseek(fd, 0, SEEK_CUR) - done;
    record(
        parts, (size_t)used, "W %lu %lld %lld\n", number(status), (long long)offset,
        (long long)done);
}

#define WRITE(call, bytes, count, offset)                             \
    struct stat status;                                               \
    char path[PATH_MAX];                                              \
    if (!is_watched(fd, &status, path)) return call;                  \
    lock();                                                           \
    ssize_t done = call;                                              \
    int code = errno;                                                 \
    wrote(fd, &status, bytes, count, done, offset);                   \
    errno = code;                                                     \
    unlock();                                                         \
    return done;

EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    static __typeof__(&write) real;
    if (!real) real = NEXT(write);
    struct iovec part = {(void *)bytes, count};
    WRITE(real(fd, bytes, count), &part, 1, -1)
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    static __typeof__(&pwrite) real;
    if (!real) real = NEXT(pwrite);
    struct iovec part = {(void *)bytes, count};
    WRITE(real(fd, bytes, count, offset), &part, 1, offset)
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    return pwrite(fd, bytes, count, offset);
}
EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    static __typeof__(&writev) real;
    if (!real) real = NEXT(writev);
    WRITE(real(fd, parts, count), parts, count, -1)
}
EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    static __typeof__(&pwritev) real;
    if (!real) real = NEXT(pwritev);
    WRITE(real(fd, parts, count, offset), parts, count, offset)
}
EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    return pwritev(fd, parts, count, offset);
}

/// Records a call that may have changed the size.
static int resized(int result, int fd)
{
    struct stat status;
    if (result == 0 && fstat(fd, &status) == 0)
        record(NULL, 0, "Z %lu %lld\n", number(&status), (long long)status.st_size);
    return result;
}

#define RESIZE(call)                                     \
    struct stat status;                                  \
    char path[PATH_MAX];                                 \
    if (!is_watched(fd, &status, path)) return call;     \
    lock();                                              \
    int result = resized(call, fd);                      \
    unlock();                                            \
    return result;

EXPORT int ftruncate(int fd, off_t size) { RESIZE(NEXT(ftruncate)(fd, size)) }
EXPORT int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
EXPORT int posix_fallocate(int fd, off_t offset, off_t bytes)
{
    RESIZE(NEXT(posix_fallocate)(fd, offset, bytes))
}
EXPORT int posix_fallocate64(int fd, off64_t offset, off64_t bytes)
{
    return posix_fallocate(fd, offset, bytes);
}
EXPORT int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    struct stat status;
    char path[PATH_MAX];
    if (mode != 0 && is_watched(fd, &status, path)) refuse("fallocate(2) with a mode");
    return mode == 0 ? posix_fallocate(fd, offset, bytes) : NEXT(fallocate)(fd, mode, offset, bytes);
}
EXPORT int truncate(const char *path, off_t size)
{
    if (locate(AT_FDCWD, path).is_watched) refuse("truncate(2)");
    return NEXT(truncate)(path, size);
}

static void refuse_target(int fd, const char *what)
{
    struct stat status;
    char path[PATH_MAX];
    if (is_watched(fd, &status, path)) refuse(what);
}

EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    static __typeof__(&mmap) real;
    if (!real) real = NEXT(mmap);
    if (root && fd >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE))
        refuse_target(fd, "a shared mapping");
    return real(address, bytes, protection, flags, fd, offset);
}
EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
    return mmap(address, bytes, protection, flags, fd, offset);
}
EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t bytes)
{
    refuse_target(out, "sendfile(2)");
    return NEXT(sendfile)(out, in, offset, bytes);
}
EXPORT ssize_t sendfile64(int out, int in, off64_t *offset, size_t bytes)
{
    return sendfile(out, in, offset, bytes);
}
EXPORT ssize_t copy_file_range(
    int in, off64_t *from, int out, off64_t *to, size_t bytes, unsigned flags)
{
    refuse_target(out, "copy_file_range(2)");
    return NEXT(copy_file_range)(in, from, out, to, bytes, flags);
}

// MARK: Names

static int made_directory(int directory, const char *path, mode_t mode)
{
    struct place place = locate(directory, path);
    if (!place.is_watched) return NEXT(mkdirat)(directory, path, mode);
    lock();
    int result = NEXT(mkdirat)(directory, path, mode);
    struct stat status;
    if (result == 0 && fstatat(directory, path, &status, 0) == 0)
        record(
            NULL, 0, "D %lu %lu %o %s\n", number(&place.parent), number(&status),
            status.st_mode & 07777, place.name);
    unlock();
    return result;
}
EXPORT int mkdir(const char *path, mode_t mode) { return made_directory(AT_FDCWD, path, mode); }
EXPORT int mkdirat(int directory, const char *path, mode_t mode)
{
    return made_directory(directory, path, mode);
}
EXPORT char *mkdtemp(char *template)
{
    if (!locate(AT_FDCWD, template).is_watched) return NEXT(mkdtemp)(template);
    lock();
    char *result = NEXT(mkdtemp)(template);
    struct stat status;
    if (result && stat(result, &status) == 0) {
        struct place place = locate(AT_FDCWD, result);
        record(
            NULL, 0, "D %lu %lu %o %s\n", number(&place.parent), number(&status), 0700,
            place.name);
    }
    unlock();
    return result;
}

static int removed(int directory, const char *path, int flags)
{
    struct place place = locate(directory, path);
    if (!place.is_watched) return NEXT(unlinkat)(directory, path, flags);
    lock();
    int result = NEXT(unlinkat)(directory, path, flags);
    if (result == 0) record(NULL, 0, "U %lu %s\n", number(&place.parent), place.name);
    unlock();
    return result;
}
EXPORT int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
EXPORT int unlinkat(int directory, const char *path, int flags)
{
    return removed(directory, path, flags);
}
EXPORT int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
EXPORT int remove(const char *path)
{
    int result = removed(AT_FDCWD, path, 0);
    return result != 0 && errno == EISDIR ? removed(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

static int moved(int from, const char *old, int to, const char *new, unsigned flags)
{
    struct place source = locate(from, old), target = locate(to, new);
    if (!source.is_watched && !target.is_watched) return NEXT(renameat2)(from, old, to, new, flags);
    if (!source.is_watched || !target.is_watched) refuse("a rename across the root's border");
    if (flags & ~(unsigned)RENAME_NOREPLACE) refuse("renameat2(2) with those flags");
    lock();
    int result = NEXT(renameat2)(from, old, to, new, flags);
    if (result == 0)
        record(
            NULL, 0, "R %lu %lu %s/%s\n", number(&source.parent), number(&target.parent),
            source.name, target.name);
    unlock();
    return result;
}
EXPORT int rename(const char *old, const char *new)
{
    return moved(AT_FDCWD, old, AT_FDCWD, new, 0);
}
EXPORT int renameat(int from, const char *old, int to, const char *new)
{
    return moved(from, old, to, new, 0);
}
EXPORT int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return moved(from, old, to, new, flags);
}

static int linked(int from, const char *old, int to, const char *new, int flags)
{
    struct place target = locate(to, new);
    if (!target.is_watched) return NEXT(linkat)(from, old, to, new, flags);
    lock();
    int result = NEXT(linkat)(from, old, to, new, flags);
    struct stat status;
    if (result == 0 && fstatat(to, new, &status, AT_SYMLINK_NOFOLLOW) == 0)
        record(
            NULL, 0, "L %lu %lu %s\n", number(&target.parent), number(&status), target.name);
    unlock();
    return result;
}
EXPORT int link(const char *old, const char *new)
{
    return linked(AT_FDCWD, old, AT_FDCWD, new, 0);
}
EXPORT int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return linked(from, old, to, new, flags);
}
EXPORT int symlinkat(const char *content, int directory, const char *path)
{
    if (locate(directory, path).is_watched) refuse("a symbolic link");
    return NEXT(symlinkat)(content, directory, path);
}
EXPORT int symlink(const char *content, const char *path)
{
    return symlinkat(content, AT_FDCWD, path);
}

// MARK: Syncs

static int synced(int fd, const char *name)
{
    struct stat status;
    char path[PATH_MAX];
    if (!is_watched(fd, &status, path)) return ((__typeof__(&fsync))next(name))(fd);
    lock();
    off_t begin = lseek(journal, 0, SEEK_END);
    unlock();
    usleep(sync_time);
    lock();
    record(NULL, 0, "S %lu %lld %s\n", number(&status), (long long)begin, path);
    unlock();
    return 0;
}
EXPORT int fsync(int fd) { return synced(fd, "fsync"); }
EXPORT int fdatasync(int fd) { return synced(fd, "fdatasync"); }
