/* Counts the calls by which a process changes files below a folder, and lets one of them fail or be the last.

   Preloaded; `fault_arm` sets the folder, which call, and how: 0 kills the process before the call (of a write
   half is done), an errno fails it. `is_lasting` fails every later call that takes room too, as a full disk does.
   The count is shared with children, so that it outlives them. `fault_clock` lets the clock of the wall go
   backwards, ten seconds a look. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define HANDLES 4096
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char folder[PATH_MAX];
static atomic_long *calls;
static long fatal;
static int how, is_lasting, is_armed, is_clock_odd;
static atomic_bool is_below[HANDLES];
static atomic_long looks;

__attribute__((constructor)) static void begin(void) {
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void fault_arm(const char *below, long at, int error, int lasting) {
    strncpy(folder, below, sizeof folder - 1);
    fatal = at, how = error, is_lasting = lasting, is_armed = 1;
    atomic_store(calls, 0);
}

void fault_clock(void) { is_clock_odd = 1; }

long fault_calls(void) { return atomic_load(calls); }

static int path_counts(int directory, const char *path) {
    if (!is_armed || !path) return 0;
    if (path[0] == '/') return strncmp(path, folder, strlen(folder)) == 0;
    return directory >= 0 && directory < HANDLES && is_below[directory];
}

static int handle_counts(int handle) { return is_armed && handle >= 0 && handle < HANDLES && is_below[handle]; }

/* Whether this call is the one: 1 it fails, 2 it is the last that happens. */
static int strikes(int takes_room) {
    long number = atomic_fetch_add(calls, 1) + 1;
    if (!fatal || number < fatal) return 0;
    if (!how) return number == fatal ? 2 : 0;
    if (number > fatal && !(is_lasting && takes_room)) return 0;
    if (number == fatal && is_lasting && !takes_room) return 0;
    errno = how;
    return 1;
}

static int stopped(int takes_room) {
    int struck = strikes(takes_room);
    if (struck == 2) kill(getpid(), SIGKILL);
    return struck;
}

static int opened(int directory, const char *path, int flags, int handle) {
    if (handle >= 0 && handle < HANDLES) is_below[handle] = path_counts(directory, path);
    (void)flags;
    return handle;
}

static int refuses(int directory, const char *path, int flags) {
    return (flags & (O_CREAT | O_TRUNC)) && path_counts(directory, path) && stopped(1);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t);                                                                            \
        va_end(rest);                                                                                                  \
        if (refuses(AT_FDCWD, path, flags)) return -1;                                                                 \
        return opened(AT_FDCWD, path, flags, REAL(name)(path, flags, mode));                                           \
    }
#define OPENAT(name)                                                                                                   \
    int name(int directory, const char *path, int flags, ...) {                                                        \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t);                                                                            \
        va_end(rest);                                                                                                  \
        if (refuses(directory, path, flags)) return -1;                                                                \
        return opened(directory, path, flags, REAL(name)(directory, path, flags, mode));                               \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int close(int handle) {
    if (handle >= 0 && handle < HANDLES) is_below[handle] = 0;
    return REAL(close)(handle);
}

/* Half of what is to be written is, before a process is killed or a disk is full; an interrupted call writes nothing. */
#define WRITE(name, parameters, half, whole)                                                                           \
    ssize_t name parameters {                                                                                          \
        int struck = handle_counts(handle) ? strikes(1) : 0;                                                           \
        if (struck) {                                                                                                  \
            int error = errno;                                                                                         \
            ssize_t done = size > 1 && error != EINTR ? REAL(name) half : 0;                                                             \
            if (struck == 2) kill(getpid(), SIGKILL);                                                                  \
            (void)done;                                                                                                \
            errno = error;                                                                                             \
            return -1;                                                                                                 \
        }                                                                                                              \
        return REAL(name) whole;                                                                                       \
    }
WRITE(write, (int handle, const void *bytes, size_t size), (handle, bytes, size / 2), (handle, bytes, size))
WRITE(pwrite, (int handle, const void *bytes, size_t size, off_t place), (handle, bytes, size / 2, place),
      (handle, bytes, size, place))
WRITE(pwrite64, (int handle, const void *bytes, size_t size, off64_t place), (handle, bytes, size / 2, place),
      (handle, bytes, size, place))

#define ON_HANDLE(type, name, parameters, arguments, takes_room)                                                       \
    type name parameters {                                                                                             \
        if (handle_counts(handle) && stopped(takes_room)) return -1;                                                   \
        return REAL(name) arguments;                                                                                   \
    }
ON_HANDLE(int, fsync, (int handle), (handle), 1)
ON_HANDLE(int, fdatasync, (int handle), (handle), 1)
ON_HANDLE(int, ftruncate, (int handle, off_t size), (handle, size), 1)
ON_HANDLE(int, ftruncate64, (int handle, off64_t size), (handle, size), 1)
ON_HANDLE(ssize_t, sendfile64, (int handle, int from, off64_t *place, size_t size), (handle, from, place, size), 1)
ON_HANDLE(ssize_t, copy_file_range, (int from, off64_t *start, int handle, off64_t *place, size_t size, unsigned flags),
          (from, start, handle, place, size, flags), 1)

#define ON_PATH(name, parameters, directory, path, arguments, takes_room)                                              \
    int name parameters {                                                                                              \
        if (path_counts(directory, path) && stopped(takes_room)) return -1;                                            \
        return REAL(name) arguments;                                                                                   \
    }
ON_PATH(rename, (const char *from, const char *to), AT_FDCWD, to, (from, to), 0)
ON_PATH(renameat, (int old, const char *from, int place, const char *to), place, to, (old, from, place, to), 0)
ON_PATH(link, (const char *from, const char *to), AT_FDCWD, to, (from, to), 1)
ON_PATH(linkat, (int old, const char *from, int place, const char *to, int flags), place, to,
        (old, from, place, to, flags), 1)
ON_PATH(mkdir, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode), 1)
ON_PATH(mkdirat, (int place, const char *path, mode_t mode), place, path, (place, path, mode), 1)
ON_PATH(unlink, (const char *path), AT_FDCWD, path, (path), 0)
ON_PATH(unlinkat, (int place, const char *path, int flags), place, path, (place, path, flags), 0)
ON_PATH(rmdir, (const char *path), AT_FDCWD, path, (path), 0)

static time_t earlier(void) { return is_clock_odd ? 10 * (atomic_fetch_add(&looks, 1) + 1) : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int found = REAL(clock_gettime)(clock, now);
    if (!found && clock == CLOCK_REALTIME) now->tv_sec -= earlier();
    return found;
}
