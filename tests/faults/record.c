/* Records the calls by which a process changes files below a folder, in their order, with the bytes that are written.

   Preloaded; `record_begin` names the folder and the log. A record is a header, one or two names, and bytes. Calls
   below the folder happen one after the other, so that the order of the log is theirs. Files are known by their
   inodes: a handle can outlive a name. A process that is started by the program records nothing, a fork of it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char folder[PATH_MAX];
static int record = -1;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct header {
    uint64_t inode, place, size;
    uint32_t kind, first, second, unused;
};

void record_begin(const char *below, const char *log) {
    strncpy(folder, below, sizeof folder - 1);
    record = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

static void put(const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t done = syscall(SYS_write, record, at, size);
        if (done <= 0) return;
        at += done, size -= (size_t)done;
    }
}

/* A record of a change: of an inode, or of names. */
static void note(char kind, uint64_t inode, const char *one, const char *two, off_t place, const void *bytes,
                 size_t size) {
    struct header head = {inode, (uint64_t)place, size, (uint32_t)kind, 0, 0, 0};
    head.first = one ? (uint32_t)strlen(one) : 0;
    head.second = two ? (uint32_t)strlen(two) : 0;
    put(&head, sizeof head);
    put(one, head.first);
    put(two, head.second);
    if (bytes) put(bytes, size);
}

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

static int name_of(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = 0;
    return size > 0;
}

/* Whether a path that a call names is below the folder; `whole` becomes the path from the root. */
static int counts(int directory, const char *path, char *whole) {
    if (record < 0 || !path) return 0;
    whole[0] = 0;
    if (path[0] != '/') {
        if (directory == AT_FDCWD ? !getcwd(whole, PATH_MAX) : !name_of(directory, whole)) return 0;
        strncat(whole, "/", PATH_MAX - strlen(whole) - 1);
    }
    strncat(whole, path, PATH_MAX - strlen(whole) - 1);
    return is_below(whole);
}

static int handle_counts(int handle) {
    char path[PATH_MAX];
    return record >= 0 && handle >= 0 && handle != record && name_of(handle, path) && is_below(path);
}

static uint64_t inode_at(int handle) {
    struct stat found;
    return fstat(handle, &found) ? 0 : found.st_ino;
}

static uint64_t inode_named(const char *path) {
    struct stat found;
    return lstat(path, &found) ? 0 : found.st_ino;
}

#define LOCKED(call)                                                                                                   \
    pthread_mutex_lock(&one_at_a_time);                                                                                \
    call;                                                                                                              \
    pthread_mutex_unlock(&one_at_a_time)

static int opened(int directory, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    if (!(flags & (O_CREAT | O_TRUNC)) || !counts(directory, path, whole))
        return (int)syscall(SYS_openat, directory, path, flags, mode);
    pthread_mutex_lock(&one_at_a_time);
    int is_new = !inode_named(whole);
    int handle = (int)syscall(SYS_openat, directory, path, flags, mode), error = errno;
    if (handle >= 0 && is_new) note('C', inode_at(handle), whole, NULL, 0, NULL, 0);
    if (handle >= 0 && !is_new && flags & O_TRUNC) note('T', inode_at(handle), NULL, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    errno = error;
    return handle;
}

#define OPEN(name, parameters, directory)                                                                              \
    int name parameters {                                                                                              \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t);                                                                            \
        va_end(rest);                                                                                                  \
        return opened(directory, path, flags, mode);                                                                   \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int directory, const char *path, int flags, ...), directory)
OPEN(openat64, (int directory, const char *path, int flags, ...), directory)

/* Bytes that a call has written, read back: their place is what the handle says, where the call names none. */
static void wrote(int handle, off_t place, size_t size) {
    char link[64], bytes[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    int back = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
    while (back >= 0 && size > 0) {
        ssize_t done = syscall(SYS_pread64, back, bytes, size < sizeof bytes ? size : sizeof bytes, place);
        if (done <= 0) break;
        note('W', inode_at(handle), NULL, NULL, place, bytes, (size_t)done);
        place += done, size -= (size_t)done;
    }
    if (back >= 0) syscall(SYS_close, back);
}

#define WRITE(name, parameters, arguments, place)                                                                      \
    ssize_t name parameters {                                                                                          \
        if (!handle_counts(handle)) return REAL(name) arguments;                                                       \
        pthread_mutex_lock(&one_at_a_time);                                                                            \
        ssize_t done = REAL(name) arguments;                                                                           \
        int error = errno;                                                                                             \
        if (done > 0) wrote(handle, place, (size_t)done);                                                              \
        pthread_mutex_unlock(&one_at_a_time);                                                                          \
        errno = error;                                                                                                 \
        return done;                                                                                                   \
    }
#define BEHIND (lseek(handle, 0, SEEK_CUR) - done)
WRITE(write, (int handle, const void *bytes, size_t size), (handle, bytes, size), BEHIND)
WRITE(writev, (int handle, const struct iovec *some, int count), (handle, some, count), BEHIND)
WRITE(pwrite, (int handle, const void *bytes, size_t size, off_t at), (handle, bytes, size, at), at)
WRITE(pwrite64, (int handle, const void *bytes, size_t size, off64_t at), (handle, bytes, size, at), at)
WRITE(pwritev, (int handle, const struct iovec *some, int count, off_t at), (handle, some, count, at), at)
WRITE(sendfile, (int handle, int from, off_t *start, size_t size), (handle, from, start, size), BEHIND)
WRITE(sendfile64, (int handle, int from, off64_t *start, size_t size), (handle, from, start, size), BEHIND)
WRITE(copy_file_range, (int from, off64_t *start, int handle, off64_t *at, size_t size, unsigned flags),
      (from, start, handle, at, size, flags), at ? *at - done : BEHIND)

#define ON_HANDLE(name, parameters, arguments, kind, size)                                                             \
    int name parameters {                                                                                              \
        if (!handle_counts(handle)) return REAL(name) arguments;                                                       \
        LOCKED(int failed = REAL(name) arguments;                                                                      \
               if (!failed) note(kind, inode_at(handle), NULL, NULL, size, NULL, 0));                                  \
        return failed;                                                                                                 \
    }
ON_HANDLE(fsync, (int handle), (handle), 'S', 0)
ON_HANDLE(fdatasync, (int handle), (handle), 'S', 0)
ON_HANDLE(syncfs, (int handle), (handle), 'A', 0)
ON_HANDLE(ftruncate, (int handle, off_t size), (handle, size), 'T', size)
ON_HANDLE(ftruncate64, (int handle, off64_t size), (handle, size), 'T', size)

#define ON_PATH(name, parameters, arguments, directory, path, kind)                                                    \
    int name parameters {                                                                                              \
        char whole[PATH_MAX];                                                                                          \
        if (!counts(directory, path, whole)) return REAL(name) arguments;                                              \
        LOCKED(int failed = REAL(name) arguments;                                                                      \
               if (!failed) note(kind, kind == 'M' ? inode_named(whole) : 0, whole, NULL, 0, NULL, 0));                \
        return failed;                                                                                                 \
    }
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path, 'M')
ON_PATH(mkdirat, (int place, const char *path, mode_t mode), (place, path, mode), place, path, 'M')
ON_PATH(unlink, (const char *path), (path), AT_FDCWD, path, 'U')
ON_PATH(unlinkat, (int place, const char *path, int flags), (place, path, flags), place, path, 'U')
ON_PATH(remove, (const char *path), (path), AT_FDCWD, path, 'U')
ON_PATH(rmdir, (const char *path), (path), AT_FDCWD, path, 'U')

#define ON_PATHS(name, parameters, arguments, from, one, to, two, kind)                                                \
    int name parameters {                                                                                              \
        char old[PATH_MAX], new[PATH_MAX];                                                                             \
        if (!(counts(from, one, old) + counts(to, two, new))) return REAL(name) arguments;                             \
        LOCKED(int failed = REAL(name) arguments;                                                                      \
               if (!failed) note(kind, inode_named(new), old, new, 0, NULL, 0));                                       \
        return failed;                                                                                                 \
    }
ON_PATHS(rename, (const char *one, const char *two), (one, two), AT_FDCWD, one, AT_FDCWD, two, 'R')
ON_PATHS(renameat, (int from, const char *one, int to, const char *two), (from, one, to, two), from, one, to, two, 'R')
ON_PATHS(renameat2, (int from, const char *one, int to, const char *two, unsigned flags), (from, one, to, two, flags),
         from, one, to, two, 'R')
ON_PATHS(link, (const char *one, const char *two), (one, two), AT_FDCWD, one, AT_FDCWD, two, 'L')
ON_PATHS(linkat, (int from, const char *one, int to, const char *two, int flags), (from, one, to, two, flags), from,
         one, to, two, 'L')
