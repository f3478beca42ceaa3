// A read-only FUSE mirror of a folder, slowed down: each read waits LATENCY_US, and all reads together get BYTES_PER_S
// (0: no limit). SIGUSR1 lifts both. Usage: slow_file_system SOURCE LATENCY_US BYTES_PER_S MOUNTPOINT
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char* source;
static atomic_long latency_us;
static atomic_long bytes_per_s;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double free_at;  // when the bandwidth is free again; behind the mutex

static void lift(int signal) {
  (void)signal;
  latency_us = 0;
  bytes_per_s = 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void wait_for_bandwidth(size_t bytes) {
  const long rate = bytes_per_s;
  if (rate <= 0) return;
  pthread_mutex_lock(&mutex);
  const double time = now();
  if (free_at < time) free_at = time;
  free_at += (double)bytes / (double)rate;
  const double wait = free_at - time;
  pthread_mutex_unlock(&mutex);
  usleep((useconds_t)(wait * 1e6));
}

// False where the name is too long.
static int real_path(char* real, const char* path) {
  return snprintf(real, PATH_MAX, "%s%s", source, path) < PATH_MAX;
}

static int get_attributes(const char* path, struct stat* status, struct fuse_file_info* file) {
  (void)file;
  char real[PATH_MAX];
  if (!real_path(real, path)) return -ENAMETOOLONG;
  return lstat(real, status) == 0 ? 0 : -errno;
}

static int read_folder(const char* path, void* buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info* file,
                       enum fuse_readdir_flags flags) {
  (void)offset;
  (void)file;
  (void)flags;
  char real[PATH_MAX];
  if (!real_path(real, path)) return -ENAMETOOLONG;
  DIR* folder = opendir(real);
  if (!folder) return -errno;
  for (const struct dirent* entry = readdir(folder); entry; entry = readdir(folder))
    fill(buffer, entry->d_name, NULL, 0, 0);
  closedir(folder);
  return 0;
}

// Without keep_cache: every opening reads anew.
static int open_file(const char* path, struct fuse_file_info* file) {
  char real[PATH_MAX];
  if (!real_path(real, path)) return -ENAMETOOLONG;
  const int descriptor = open(real, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  file->fh = (uint64_t)descriptor;
  return 0;
}

static int release_file(const char* path, struct fuse_file_info* file) {
  (void)path;
  close((int)file->fh);
  return 0;
}

static int read_file(const char* path, char* buffer, size_t size, off_t offset, struct fuse_file_info* file) {
  (void)path;
  const ssize_t got = pread((int)file->fh, buffer, size, offset);
  if (got < 0) return -errno;
  if (latency_us > 0) usleep((useconds_t)latency_us);
  if (got > 0) wait_for_bandwidth((size_t)got);
  return (int)got;
}

static void* begin(struct fuse_conn_info* connection, struct fuse_config* config) {
  connection->max_background = 256;  // a store that waits serves many at once
  connection->congestion_threshold = 256;
  config->entry_timeout = 600;
  config->attr_timeout = 600;
  return NULL;
}

int main(int count, char** words) {
  if (count != 5) {
    fprintf(stderr, "usage: slow_file_system SOURCE LATENCY_US BYTES_PER_S MOUNTPOINT\n");
    return 2;
  }
  source = words[1];
  latency_us = atol(words[2]);
  bytes_per_s = atol(words[3]);
  signal(SIGUSR1, lift);
  static const struct fuse_operations operations = {.init = begin,
                                                    .getattr = get_attributes,
                                                    .readdir = read_folder,
                                                    .open = open_file,
                                                    .release = release_file,
                                                    .read = read_file};
  char* arguments[] = {words[0], "-f", "-o", "ro,max_idle_threads=64,max_threads=256", words[4], NULL};
  return fuse_main(5, arguments, &operations, NULL);
}
