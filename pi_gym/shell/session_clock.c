/* The session's clock for programs of the shell: a library that the dynamic loader puts before the C library.
 *
 * Every time that a program reads is moved by one span, the clock's and the files'; every time that it gives is moved
 * back. So files that it writes, and files that were laid out with times moved back, fit to what its clock shows. The
 * span is patched into each command's copy of the library, behind the mark below. There is no other state.
 *
 * It needs no header of the C library and no version of it, and asks the kernel itself where that is all that the
 * function does. scripts/build_clock.py builds it.
 */

typedef long i64;
typedef unsigned long u64;
typedef struct { i64 s, ns; } Time;
typedef struct { i64 s, us; } MicroTime;

#define EXPORT __attribute__((visibility("default")))
#define REALTIME 0
#define COARSE 5
#define TAI 11
#define ABSOLUTE 1
#define NOW ((1L << 30) - 1)
#define OMIT ((1L << 30) - 2)
#define HERE (-100)
#define EMPTY_PATH 0x1000
#define NOFOLLOW 0x100

static volatile struct { char mark[16]; i64 seconds, nanoseconds; } span = {"pi_gym span: 16", 0, 0};

extern int *__errno_location(void);
/* In older C libraries they are in a library of their own, which not every program has. */
extern void *dlsym(void *, const char *) __attribute__((weak));
extern void *dlvsym(void *, const char *, const char *) __attribute__((weak));
#define NEXT ((void *)-1L)

#if defined(__x86_64__)
enum { CLOCK_GETTIME = 228, CLOCK_NANOSLEEP = 230, NEWFSTATAT = 262, STATX = 332, UTIMENSAT = 280, TIMERFD_SETTIME = 286,
       TIMER_SETTIME = 223 };
typedef struct { char before[72]; Time access, modify, change; } Stat;
static i64 call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e) {
    register i64 r10 __asm__("r10") = d;
    register i64 r8 __asm__("r8") = e;
    i64 result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum { CLOCK_GETTIME = 113, CLOCK_NANOSLEEP = 115, NEWFSTATAT = 79, STATX = 291, UTIMENSAT = 88, TIMERFD_SETTIME = 86,
       TIMER_SETTIME = 110 };
typedef struct { char before[72]; Time access, modify, change; } Stat;
static i64 call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e) {
    register i64 x8 __asm__("x8") = n;
    register i64 x0 __asm__("x0") = a;
    register i64 x1 __asm__("x1") = b;
    register i64 x2 __asm__("x2") = c;
    register i64 x3 __asm__("x3") = d;
    register i64 x4 __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#endif

static int done(i64 result) {
    if (result >= 0 || result < -4095)
        return (int)result;
    *__errno_location() = (int)-result;
    return -1;
}

/* Move a time there (1) or back (-1). */
static void move(Time *time, int way) {
    time->s += way * span.seconds;
    time->ns += way * span.nanoseconds;
    if (time->ns >= 1000000000) {
        time->ns -= 1000000000;
        time->s++;
    } else if (time->ns < 0) {
        time->ns += 1000000000;
        time->s--;
    }
}

static int moved(i64 clock) { return clock == REALTIME || clock == COARSE || clock == TAI; }

/* -- clocks ----------------------------------------------------------------------------------------------------- */

EXPORT int clock_gettime(int clock, Time *time) {
    i64 result = call(CLOCK_GETTIME, clock, (i64)time, 0, 0, 0);
    if (result == 0 && moved(clock))
        move(time, 1);
    return done(result);
}

EXPORT int gettimeofday(MicroTime *restrict found, void *restrict zone) {
    Time time;
    (void)zone;
    clock_gettime(REALTIME, &time);
    found->s = time.s;
    found->us = time.ns / 1000;
    return 0;
}

EXPORT i64 time(i64 *found) {
    Time time;
    clock_gettime(REALTIME, &time);
    if (found)
        *found = time.s;
    return time.s;
}

EXPORT int timespec_get(Time *time, int base) { return base == 1 && clock_gettime(REALTIME, time) == 0 ? base : 0; }

EXPORT int clock_nanosleep(int clock, int flags, const Time *until, Time *left) {
    Time copy = *until;
    if (moved(clock) && flags & ABSOLUTE)
        move(&copy, -1);
    return (int)-call(CLOCK_NANOSLEEP, clock, flags, (i64)&copy, (i64)left, 0);
}

/* Two times: an interval, and a moment where the flags say so. Whether a timer counts by the moved clock is known by
 * how far its moment is: nobody waits for thirty years by the clock since the start of the machine. */
static int set_timer(i64 number, i64 timer, int flags, const Time *wanted, Time *before) {
    Time copy[2] = {wanted[0], wanted[1]};
    if (flags & ABSOLUTE && copy[1].s > 946684800)
        move(&copy[1], -1);
    return done(call(number, timer, flags, (i64)copy, (i64)before, 0));
}

EXPORT int timerfd_settime(int fd, int flags, const Time *wanted, Time *before) {
    return set_timer(TIMERFD_SETTIME, fd, flags, wanted, before);
}

/* -- waiting until a moment ------------------------------------------------------------------------------------- */

/* What a program gets that waits without the library that could: the error number of a bad argument. */
static int never(void) { return 22; }

/* The C library has two forms of some of these on x86_64, of which programs want the later one. */
static void *next(const char *name) {
    void *found = 0;
#if defined(__x86_64__)
    if (dlvsym)
        found = dlvsym(NEXT, name, "GLIBC_2.3.2");
#endif
    if (!found && dlsym)
        found = dlsym(NEXT, name);
    return found ? found : (void *)never;
}

#define UNTIL_2(name)                                                      \
    EXPORT int name(void *a, const Time *until) {                          \
        Time copy = *until;                                                \
        move(&copy, -1);                                                   \
        return ((int (*)(void *, const Time *))next(#name))(a, &copy);     \
    }
#define UNTIL_CLOCK_2(name)                                                          \
    EXPORT int name(void *a, int clock, const Time *until) {                         \
        Time copy = *until;                                                          \
        if (moved(clock))                                                            \
            move(&copy, -1);                                                         \
        return ((int (*)(void *, int, const Time *))next(#name))(a, clock, &copy);   \
    }

UNTIL_2(sem_timedwait)
UNTIL_2(pthread_mutex_timedlock)
UNTIL_2(pthread_rwlock_timedrdlock)
UNTIL_2(pthread_rwlock_timedwrlock)
UNTIL_CLOCK_2(sem_clockwait)
UNTIL_CLOCK_2(pthread_mutex_clocklock)
UNTIL_CLOCK_2(pthread_rwlock_clockrdlock)
UNTIL_CLOCK_2(pthread_rwlock_clockwrlock)

EXPORT int pthread_cond_clockwait(void *condition, void *mutex, int clock, const Time *until) {
    Time copy = *until;
    if (moved(clock))
        move(&copy, -1);
    return ((int (*)(void *, void *, int, const Time *))next("pthread_cond_clockwait"))(condition, mutex, clock, &copy);
}

/* Which clock a condition waits by stands in it; a moment far from the start of the machine is one of the moved clock. */
EXPORT int pthread_cond_timedwait(void *condition, void *mutex, const Time *until) {
    Time copy = *until;
    if (copy.s > 946684800)
        move(&copy, -1);
    return ((int (*)(void *, void *, const Time *))next("pthread_cond_timedwait"))(condition, mutex, &copy);
}

/* -- times of files --------------------------------------------------------------------------------------------- */

static int stat_of(i64 folder, const char *path, Stat *found, i64 flags) {
    i64 result = call(NEWFSTATAT, folder, (i64)path, (i64)found, flags, 0);
    if (result == 0) {
        move(&found->access, 1);
        move(&found->modify, 1);
        move(&found->change, 1);
    }
    return done(result);
}

EXPORT int fstatat(int folder, const char *restrict path, Stat *restrict found, int flags) {
    return stat_of(folder, path, found, flags);
}
EXPORT int stat(const char *restrict path, Stat *restrict found) { return stat_of(HERE, path, found, 0); }
EXPORT int lstat(const char *restrict path, Stat *restrict found) { return stat_of(HERE, path, found, NOFOLLOW); }
EXPORT int fstat(int fd, Stat *found) { return stat_of(fd, "", found, EMPTY_PATH); }

#define SAME(old, new, arguments) EXPORT int new arguments __attribute__((alias(#old)));
SAME(fstatat, fstatat64, (int, const char *restrict, Stat *restrict, int))
SAME(stat, stat64, (const char *restrict, Stat *restrict))
SAME(lstat, lstat64, (const char *restrict, Stat *restrict))
SAME(fstat, fstat64, (int, Stat *))

/* What programs call that were built with a C library before 2.33. */
EXPORT int __fxstatat(int v, int folder, const char *path, Stat *found, int flags) {
    (void)v;
    return stat_of(folder, path, found, flags);
}
EXPORT int __xstat(int v, const char *path, Stat *found) {
    (void)v;
    return stat_of(HERE, path, found, 0);
}
EXPORT int __lxstat(int v, const char *path, Stat *found) {
    (void)v;
    return stat_of(HERE, path, found, NOFOLLOW);
}
EXPORT int __fxstat(int v, int fd, Stat *found) {
    (void)v;
    return stat_of(fd, "", found, EMPTY_PATH);
}
SAME(__fxstatat, __fxstatat64, (int, int, const char *, Stat *, int))
SAME(__xstat, __xstat64, (int, const char *, Stat *))
SAME(__lxstat, __lxstat64, (int, const char *, Stat *))
SAME(__fxstat, __fxstat64, (int, int, Stat *))

typedef struct { i64 s; unsigned ns; int none; } LongTime;

EXPORT int statx(int folder, const char *restrict path, int flags, unsigned mask, char *restrict found) {
    i64 result = call(STATX, folder, (i64)path, flags, mask, (i64)found);
    if (result == 0) {
        LongTime *times = (LongTime *)(found + 64); /* access, birth, change, modify */
        for (int i = 0; i < 4; i++) {
            Time time = {times[i].s, times[i].ns};
            if (time.s || time.ns) {
                move(&time, 1);
                times[i].s = time.s;
                times[i].ns = (unsigned)time.ns;
            }
        }
    }
    return done(result);
}

static int set_times(i64 folder, const char *path, const Time *wanted, i64 flags) {
    Time copy[2];
    for (int i = 0; wanted && i < 2; i++) {
        copy[i] = wanted[i];
        if (copy[i].ns != NOW && copy[i].ns != OMIT)
            move(&copy[i], -1);
    }
    return done(call(UTIMENSAT, folder, (i64)path, wanted ? (i64)copy : 0, flags, 0));
}

static const Time *from_micro(const MicroTime *wanted, Time *copy) {
    for (int i = 0; wanted && i < 2; i++) {
        copy[i].s = wanted[i].s;
        copy[i].ns = wanted[i].us * 1000;
    }
    return wanted ? copy : 0;
}

EXPORT int utimensat(int folder, const char *path, const Time *wanted, int flags) {
    return set_times(folder, path, wanted, flags);
}
EXPORT int futimens(int fd, const Time *wanted) { return set_times(fd, 0, wanted, 0); }
EXPORT int utimes(const char *path, const MicroTime *wanted) {
    Time copy[2];
    return set_times(HERE, path, from_micro(wanted, copy), 0);
}
EXPORT int lutimes(const char *path, const MicroTime *wanted) {
    Time copy[2];
    return set_times(HERE, path, from_micro(wanted, copy), NOFOLLOW);
}
EXPORT int futimes(int fd, const MicroTime *wanted) {
    Time copy[2];
    return set_times(fd, 0, from_micro(wanted, copy), 0);
}
EXPORT int futimesat(int folder, const char *path, const MicroTime *wanted) {
    Time copy[2];
    return set_times(folder, path, from_micro(wanted, copy), 0);
}
EXPORT int utime(const char *path, const i64 *wanted) {
    Time copy[2] = {{wanted ? wanted[0] : 0, 0}, {wanted ? wanted[1] : 0, 0}};
    return set_times(HERE, path, wanted ? copy : 0, 0);
}
