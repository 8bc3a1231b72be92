/*
 * Records what a process does to the files of one directory, so that a test can rebuild
 * the directory as a power failure would leave it. Can also fill the disk, and fail
 * writes and forces.
 *
 * POWERCUT_DIRECTORY  absolute path of the directory, without symbolic links
 * POWERCUT_JOURNAL    file to which records are appended, outside of the directory
 * POWERCUT_CONTROL    file with a struct control, which the test changes
 *
 * A record is written after its operation, and before the call returns. A process that
 * is killed in between has told no client about the operation. One mutex keeps the order
 * of records that of the operations, except for forces: a force covers what was recorded
 * before it began.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum type { OPEN = 1, WRITE, TRUNCATE, FORCE, FAILED_FORCE, RENAME, LINK, UNLINK, MKDIR, RMDIR, UNSUPPORTED };

enum { CREATED = 1, DIRECTORY = 2 };

/* Native byte order, which Java learns from ByteOrder.nativeOrder(). */
struct header {
	uint32_t type;
	uint32_t length;
	uint64_t inode;
	uint64_t number;
};

struct control {
	int32_t full;          /* whether files cannot grow and no file can be created */
	int32_t failed_forces; /* number of forces that fail next */
	int32_t failed_writes; /* number of writes that fail next */
};

struct file {
	char tracked;
	char synchronous;
	uint64_t inode;
};

enum { MAX_FILES = 65536 };

static struct file files[MAX_FILES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char directory[PATH_MAX];
static size_t directory_length;
static int journal = -1;
static uint64_t records;
static struct control none;
static volatile struct control *control = &none;

#define REAL(name, ...) \
	({ \
		static __typeof__(&name) real; \
		if (!real) \
			real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		real(__VA_ARGS__); \
	})

__attribute__((constructor)) static void start(void) {
	const char *path = getenv("POWERCUT_DIRECTORY");
	const char *file = getenv("POWERCUT_JOURNAL");
	const char *settings = getenv("POWERCUT_CONTROL");
	if (!path || !file)
		return;
	snprintf(directory, sizeof directory, "%s", path);
	directory_length = strlen(directory);
	journal = REAL(open, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (settings) {
		int fd = REAL(open, settings, O_RDWR | O_CLOEXEC);
		void *mapped = REAL(mmap, NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		REAL(close, fd);
		if (mapped != MAP_FAILED)
			control = mapped;
	}
}

/* Returns the path below the directory, "" for the directory itself, or NULL. */
static const char *below(const char *path) {
	if (journal < 0 || strncmp(path, directory, directory_length))
		return NULL;
	path += directory_length;
	if (*path && *path != '/')
		return NULL;
	while (*path == '/')
		path++;
	return path;
}

/* Resolves a path against a directory. Returns NULL if it is not below the directory. */
static const char *resolve(int dirfd, const char *path, char *buffer) {
	if (path[0] != '/') {
		char link[64];
		ssize_t length;
		if (dirfd == AT_FDCWD)
			snprintf(link, sizeof link, "/proc/self/cwd");
		else
			snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
		length = readlink(link, buffer, PATH_MAX - 1);
		if (length < 0)
			return NULL;
		snprintf(buffer + length, PATH_MAX - length, "/%s", path);
		path = buffer;
	}
	return below(path);
}

static void append(enum type type, uint64_t inode, uint64_t number, struct iovec *data, int count) {
	struct iovec parts[1 + 16];
	struct header header = { type, 0, inode, number };
	int saved = errno;
	ssize_t written;
	if (count > 16)
		abort();
	parts[0].iov_base = &header;
	parts[0].iov_len = sizeof header;
	for (int i = 0; i < count; i++) {
		parts[i + 1] = data[i];
		header.length += data[i].iov_len;
	}
	written = REAL(writev, journal, parts, count + 1);
	if (written != (ssize_t)(sizeof header + header.length)) {
		static const char message[] = "powercut: the journal cannot be written\n";
		(void)!REAL(write, 2, message, sizeof message - 1);
		abort();
	}
	records++;
	errno = saved;
}

static void append_text(enum type type, uint64_t inode, uint64_t number, const char *text) {
	struct iovec part = { (void *)text, strlen(text) };
	append(type, inode, number, &part, 1);
}

static void unsupported(const char *what) {
	pthread_mutex_lock(&mutex);
	append_text(UNSUPPORTED, 0, 0, what);
	pthread_mutex_unlock(&mutex);
}

static struct file *tracked(int fd) {
	return (fd >= 0 && fd < MAX_FILES && files[fd].tracked) ? &files[fd] : NULL;
}

/* ---- open and close ---- */

static int open_below(int dirfd, const char *path, int flags, mode_t mode, const char *name) {
	struct stat status;
	int existed, fd;
	pthread_mutex_lock(&mutex);
	existed = fstatat(dirfd, path, &status, 0) == 0;
	if (!existed && (flags & O_CREAT) && control->full) {
		pthread_mutex_unlock(&mutex);
		errno = ENOSPC;
		return -1;
	}
	fd = REAL(openat, dirfd, path, flags, mode);
	if (fd >= 0 && fd < MAX_FILES && fstat(fd, &status) == 0) {
		int what = (existed ? 0 : CREATED) | (S_ISDIR(status.st_mode) ? DIRECTORY : 0);
		append_text(OPEN, status.st_ino, what, name);
		if (existed && (flags & O_TRUNC))
			append(TRUNCATE, status.st_ino, 0, NULL, 0);
		files[fd].inode = status.st_ino;
		files[fd].synchronous = (flags & (O_SYNC | O_DSYNC)) != 0;
		files[fd].tracked = 1;
	}
	pthread_mutex_unlock(&mutex);
	return fd;
}

static int open_any(int dirfd, const char *path, int flags, mode_t mode) {
	char buffer[PATH_MAX];
	const char *name = resolve(dirfd, path, buffer);
	return name ? open_below(dirfd, path, flags, mode, name) : REAL(openat, dirfd, path, flags, mode);
}

#define MODE(flags) \
	mode_t mode = 0; \
	if ((flags) & (O_CREAT | __O_TMPFILE)) { \
		va_list arguments; \
		va_start(arguments, flags); \
		mode = va_arg(arguments, mode_t); \
		va_end(arguments); \
	}

int open(const char *path, int flags, ...) {
	MODE(flags)
	return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
	MODE(flags)
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int dirfd, const char *path, int flags, ...) {
	MODE(flags)
	return open_any(dirfd, path, flags, mode);
}

int openat64(int dirfd, const char *path, int flags, ...) {
	MODE(flags)
	return open_any(dirfd, path, flags | O_LARGEFILE, mode);
}

int __open_2(const char *path, int flags) {
	return open_any(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags) {
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

int creat(const char *path, mode_t mode) {
	return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
	if (tracked(fd))
		files[fd].tracked = 0;
	return REAL(close, fd);
}

/* Closes the descriptor without a call of close. */
int closedir(DIR *entries) {
	int fd = dirfd(entries);
	if (tracked(fd))
		files[fd].tracked = 0;
	return REAL(closedir, entries);
}

int dup2(int from, int to) {
	int result = REAL(dup2, from, to);
	if (result >= 0 && to < MAX_FILES && from < MAX_FILES)
		files[to] = files[from];
	return result;
}

/* ---- writes ---- */

/* Returns how many bytes of a write fit, or -1 with errno set. */
static ssize_t admitted(int fd, off_t offset, size_t length) {
	struct stat status;
	if (control->failed_writes > 0) {
		control->failed_writes--;
		errno = EIO;
		return -1;
	}
	if (!control->full || fstat(fd, &status) || offset + (off_t)length <= status.st_size)
		return length;
	if (offset < status.st_size)
		return status.st_size - offset;
	errno = ENOSPC;
	return -1;
}

static void written(struct file *file, off_t offset, const struct iovec *data, int count, ssize_t length) {
	struct iovec parts[16];
	int used = 0;
	for (size_t left = length; left > 0; used++) {
		if (used == 16 || used == count)
			abort();
		parts[used] = data[used];
		if (parts[used].iov_len > left)
			parts[used].iov_len = left;
		left -= parts[used].iov_len;
	}
	append(WRITE, file->inode, offset, parts, used);
	if (file->synchronous)
		append(FORCE, file->inode, records, NULL, 0);
}

/* Writes at an offset, or at the position of the file if it is negative. */
static ssize_t write_tracked(int fd, const struct iovec *data, int count, off_t offset) {
	struct file *file = &files[fd];
	struct iovec limited[16];
	size_t length = 0;
	ssize_t result;
	off_t at = offset;
	if (count > 16)
		count = 16; /* A short write is legal. */
	for (int i = 0; i < count; i++)
		length += data[i].iov_len;
	pthread_mutex_lock(&mutex);
	if (at < 0)
		at = lseek(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) ? SEEK_END : SEEK_CUR);
	result = admitted(fd, at, length);
	if (result >= 0) {
		size_t left = result;
		int used = 0;
		for (; used < count && (left > 0 || used == 0); used++) {
			limited[used] = data[used];
			if (limited[used].iov_len > left)
				limited[used].iov_len = left;
			left -= limited[used].iov_len;
		}
		result = (offset < 0) ? REAL(writev, fd, limited, used) : REAL(pwritev, fd, limited, used, offset);
		if (result > 0)
			written(file, at, limited, used, result);
	}
	pthread_mutex_unlock(&mutex);
	return result;
}

ssize_t write(int fd, const void *data, size_t length) {
	struct iovec part = { (void *)data, length };
	return tracked(fd) ? write_tracked(fd, &part, 1, -1) : REAL(write, fd, data, length);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
	struct iovec part = { (void *)data, length };
	return tracked(fd) ? write_tracked(fd, &part, 1, offset) : REAL(pwrite, fd, data, length, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
	return pwrite(fd, data, length, offset);
}

ssize_t writev(int fd, const struct iovec *data, int count) {
	return tracked(fd) ? write_tracked(fd, data, count, -1) : REAL(writev, fd, data, count);
}

ssize_t pwritev(int fd, const struct iovec *data, int count, off_t offset) {
	return tracked(fd) ? write_tracked(fd, data, count, offset) : REAL(pwritev, fd, data, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *data, int count, off64_t offset) {
	return pwritev(fd, data, count, offset);
}

int ftruncate(int fd, off_t size) {
	int result;
	if (!tracked(fd))
		return REAL(ftruncate, fd, size);
	pthread_mutex_lock(&mutex);
	result = REAL(ftruncate, fd, size);
	if (result == 0)
		append(TRUNCATE, files[fd].inode, size, NULL, 0);
	pthread_mutex_unlock(&mutex);
	return result;
}

int ftruncate64(int fd, off64_t size) {
	return ftruncate(fd, size);
}

/* ---- forces ---- */

static int force(int fd, int data_only) {
	uint64_t before;
	int result;
	pthread_mutex_lock(&mutex);
	before = records;
	if (control->failed_forces > 0) {
		control->failed_forces--;
		append(FAILED_FORCE, files[fd].inode, before, NULL, 0);
		pthread_mutex_unlock(&mutex);
		errno = EIO;
		return -1;
	}
	pthread_mutex_unlock(&mutex);
	result = data_only ? REAL(fdatasync, fd) : REAL(fsync, fd);
	if (result == 0) {
		pthread_mutex_lock(&mutex);
		append(FORCE, files[fd].inode, before, NULL, 0);
		pthread_mutex_unlock(&mutex);
	}
	return result;
}

int fsync(int fd) {
	return tracked(fd) ? force(fd, 0) : REAL(fsync, fd);
}

int fdatasync(int fd) {
	return tracked(fd) ? force(fd, 1) : REAL(fdatasync, fd);
}

/* ---- directory entries ---- */

static int change_entry(enum type type, int dirfd, const char *path, mode_t mode) {
	char buffer[PATH_MAX];
	const char *name = resolve(dirfd, path, buffer);
	int flags = (type == RMDIR) ? AT_REMOVEDIR : 0;
	int result;
	pthread_mutex_lock(&mutex);
	if (type == MKDIR && name && control->full) {
		pthread_mutex_unlock(&mutex);
		errno = ENOSPC;
		return -1;
	}
	result = (type == MKDIR) ? REAL(mkdirat, dirfd, path, mode) : REAL(unlinkat, dirfd, path, flags);
	if (result == 0 && name)
		append_text(type, 0, 0, name);
	pthread_mutex_unlock(&mutex);
	return result;
}

int unlink(const char *path) {
	return change_entry(UNLINK, AT_FDCWD, path, 0);
}

int unlinkat(int dirfd, const char *path, int flags) {
	return change_entry((flags & AT_REMOVEDIR) ? RMDIR : UNLINK, dirfd, path, 0);
}

int remove(const char *path) {
	int result = unlink(path);
	return (result && errno == EISDIR) ? change_entry(RMDIR, AT_FDCWD, path, 0) : result;
}

int rmdir(const char *path) {
	return change_entry(RMDIR, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode) {
	return change_entry(MKDIR, AT_FDCWD, path, mode);
}

int mkdirat(int dirfd, const char *path, mode_t mode) {
	return change_entry(MKDIR, dirfd, path, mode);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
	char from_buffer[PATH_MAX], to_buffer[PATH_MAX];
	const char *from_name = resolve(from_fd, from, from_buffer);
	const char *to_name = resolve(to_fd, to, to_buffer);
	int result;
	if (!from_name != !to_name || (from_name && flags))
		unsupported("rename to or from another directory, or with flags");
	pthread_mutex_lock(&mutex);
	result = flags ? REAL(renameat2, from_fd, from, to_fd, to, flags) : REAL(renameat, from_fd, from, to_fd, to);
	if (result == 0 && from_name && to_name) {
		struct iovec parts[] = { { (void *)from_name, strlen(from_name) + 1 }, { (void *)to_name, strlen(to_name) } };
		append(RENAME, 0, 0, parts, 2);
	}
	pthread_mutex_unlock(&mutex);
	return result;
}

int renameat(int from_fd, const char *from, int to_fd, const char *to) {
	return renameat2(from_fd, from, to_fd, to, 0);
}

int rename(const char *from, const char *to) {
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags) {
	char from_buffer[PATH_MAX], to_buffer[PATH_MAX];
	const char *from_name = resolve(from_fd, from, from_buffer);
	const char *to_name = resolve(to_fd, to, to_buffer);
	int result;
	if (!from_name != !to_name)
		unsupported("link to or from another directory");
	pthread_mutex_lock(&mutex);
	if (to_name && control->full) {
		pthread_mutex_unlock(&mutex);
		errno = ENOSPC;
		return -1;
	}
	result = REAL(linkat, from_fd, from, to_fd, to, flags);
	if (result == 0 && from_name && to_name) {
		struct iovec parts[] = { { (void *)from_name, strlen(from_name) + 1 }, { (void *)to_name, strlen(to_name) } };
		append(LINK, 0, 0, parts, 2);
	}
	pthread_mutex_unlock(&mutex);
	return result;
}

int link(const char *from, const char *to) {
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* ---- operations that are not recorded: a test that meets one must fail ---- */

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
	if (tracked(fd) && (protection & PROT_WRITE) && (flags & MAP_SHARED))
		unsupported("mmap");
	return REAL(mmap, address, length, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
	return mmap(address, length, protection, flags, fd, offset);
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t count) {
	if (tracked(out))
		unsupported("sendfile");
	return REAL(sendfile64, out, in, offset, count);
}

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length, unsigned flags) {
	if (tracked(out))
		unsupported("copy_file_range");
	return REAL(copy_file_range, in, in_offset, out, out_offset, length, flags);
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
	if (tracked(fd))
		unsupported("fallocate");
	return REAL(fallocate, fd, mode, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length) {
	if (tracked(fd))
		unsupported("posix_fallocate");
	return REAL(posix_fallocate, fd, offset, length);
}

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
	return posix_fallocate(fd, offset, length);
}

