/*
 * Moves the clocks of a process by offsets in nanoseconds that a file contains: that of
 * the system clock, then that of the monotonic clocks. libfaketime cannot move a
 * monotonic clock alone. Absolute deadlines of waits are moved back, as the kernel does
 * not know the offsets.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* Deadlines of system clocks are later than any of a monotonic clock. */
#define MAX_MONOTONIC_SECONDS 500000000LL

static const volatile int64_t none[2];
static const volatile int64_t *offsets = none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void initialize(void)
{
	const char *path = getenv("CLOCKS_FILE");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
	if (!real_timedwait) {
		real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	}
	if (file >= 0) {
		void *map = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
		close(file);
		if (map != MAP_FAILED) {
			offsets = map;
		}
	}
}

static struct timespec plus(struct timespec time, int64_t nanos)
{
	int64_t sum = time.tv_nsec + nanos % SECOND;
	time.tv_sec += nanos / SECOND + (sum >= SECOND) - (sum < 0);
	time.tv_nsec = (sum + SECOND) % SECOND;
	return time;
}

static int64_t offset(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		return offsets[0];
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME:
		return offsets[1];
	default:
		return 0;
	}
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int result;
	if (!real_clock_gettime) {
		initialize();
	}
	result = real_clock_gettime(clock, time);
	if (result == 0) {
		*time = plus(*time, offset(clock));
	}
	return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *result)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (result) {
		*result = now.tv_sec;
	}
	return now.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
		const struct timespec *restrict deadline)
{
	struct timespec moved;
	if (!real_timedwait) {
		initialize();
	}
	moved = plus(*deadline, -offsets[deadline->tv_sec < MAX_MONOTONIC_SECONDS ? 1 : 0]);
	if (moved.tv_sec < 0) {
		moved.tv_sec = 0;
	}
	return real_timedwait(condition, mutex, &moved);
}
