#include "watch/linux/system_calls.hpp"

#include <sys/syscall.h>
#include <unordered_map>

namespace stoker::watch {

namespace {

using Timeout = SystemCall::Timeout;

#define STOKER_PLAIN(call)        \
  {                               \
    SYS_##call, { .name = #call } \
  }
#define STOKER_ON_DESCRIPTOR(call) {SYS_##call, {.name = #call, .descriptor = 0}}
#define STOKER_ON_PATH(call) {SYS_##call, {.name = #call, .path = 0}}
#define STOKER_ON_PATH_AT(call) {SYS_##call, {.name = #call, .path = 1, .folder = 0}}

// clang-format off
const std::unordered_map<long, SystemCall>& table() {
  static const std::unordered_map<long, SystemCall> calls = {
    STOKER_ON_DESCRIPTOR(read), STOKER_ON_DESCRIPTOR(pread64), STOKER_ON_DESCRIPTOR(readv),
    STOKER_ON_DESCRIPTOR(preadv), STOKER_ON_DESCRIPTOR(preadv2), STOKER_ON_DESCRIPTOR(write),
    STOKER_ON_DESCRIPTOR(pwrite64), STOKER_ON_DESCRIPTOR(writev), STOKER_ON_DESCRIPTOR(pwritev),
    STOKER_ON_DESCRIPTOR(pwritev2), STOKER_ON_DESCRIPTOR(recvfrom), STOKER_ON_DESCRIPTOR(recvmsg),
    STOKER_ON_DESCRIPTOR(recvmmsg), STOKER_ON_DESCRIPTOR(sendto), STOKER_ON_DESCRIPTOR(sendmsg),
    STOKER_ON_DESCRIPTOR(sendmmsg), STOKER_ON_DESCRIPTOR(accept), STOKER_ON_DESCRIPTOR(accept4),
    STOKER_ON_DESCRIPTOR(connect), STOKER_ON_DESCRIPTOR(ioctl), STOKER_ON_DESCRIPTOR(fsync),
    STOKER_ON_DESCRIPTOR(fdatasync), STOKER_ON_DESCRIPTOR(sync_file_range), STOKER_ON_DESCRIPTOR(fstat),
    STOKER_ON_DESCRIPTOR(getdents64), STOKER_ON_DESCRIPTOR(lseek), STOKER_ON_DESCRIPTOR(fallocate),
    STOKER_ON_DESCRIPTOR(ftruncate), STOKER_ON_DESCRIPTOR(flock), STOKER_ON_DESCRIPTOR(fcntl),
    STOKER_ON_DESCRIPTOR(readahead), STOKER_ON_DESCRIPTOR(fadvise64), STOKER_ON_DESCRIPTOR(close),
    STOKER_ON_DESCRIPTOR(fstatfs), STOKER_ON_DESCRIPTOR(splice), STOKER_ON_DESCRIPTOR(copy_file_range),
    STOKER_ON_DESCRIPTOR(io_uring_enter),
    {SYS_sendfile, {.name = "sendfile", .descriptor = 1}},
    STOKER_ON_PATH(statfs), STOKER_ON_PATH(truncate), STOKER_ON_PATH(chdir), STOKER_ON_PATH(execve),
    STOKER_ON_PATH_AT(openat), STOKER_ON_PATH_AT(openat2), STOKER_ON_PATH_AT(newfstatat),
    STOKER_ON_PATH_AT(statx), STOKER_ON_PATH_AT(faccessat), STOKER_ON_PATH_AT(readlinkat),
    STOKER_ON_PATH_AT(unlinkat), STOKER_ON_PATH_AT(mkdirat),
    {SYS_ppoll, {.name = "ppoll", .polled = 0, .timeout_kind = Timeout::timespec, .timeout = 2}},
    {SYS_epoll_pwait, {.name = "epoll_pwait", .descriptor = 0, .timeout_kind = Timeout::milliseconds, .timeout = 3}},
    {SYS_pselect6, {.name = "pselect6", .timeout_kind = Timeout::timespec, .timeout = 4}},
    STOKER_PLAIN(futex), STOKER_PLAIN(nanosleep), STOKER_PLAIN(clock_nanosleep), STOKER_PLAIN(wait4),
    STOKER_PLAIN(waitid), STOKER_PLAIN(rt_sigsuspend), STOKER_PLAIN(rt_sigtimedwait), STOKER_PLAIN(mmap),
    STOKER_PLAIN(munmap), STOKER_PLAIN(mremap), STOKER_PLAIN(mprotect), STOKER_PLAIN(madvise),
    STOKER_PLAIN(brk), STOKER_PLAIN(msync), STOKER_PLAIN(mincore), STOKER_PLAIN(mlock),
    STOKER_PLAIN(sched_yield), STOKER_PLAIN(clone), STOKER_PLAIN(exit), STOKER_PLAIN(exit_group),
    STOKER_PLAIN(io_getevents), STOKER_PLAIN(semop), STOKER_PLAIN(semtimedop), STOKER_PLAIN(msgrcv),
    STOKER_PLAIN(msgsnd), STOKER_PLAIN(sync), STOKER_PLAIN(getrandom), STOKER_PLAIN(restart_syscall),
    STOKER_PLAIN(membarrier), STOKER_PLAIN(mbind), STOKER_PLAIN(move_pages),
#ifdef SYS_futex_waitv
    STOKER_PLAIN(futex_waitv),
#endif
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, {.name = "epoll_pwait2", .descriptor = 0, .timeout_kind = Timeout::timespec, .timeout = 3}},
#endif
#ifdef SYS_renameat
    STOKER_PLAIN(renameat),
#endif
#ifdef SYS_renameat2
    STOKER_PLAIN(renameat2),
#endif
#ifdef SYS_poll  // what newer architectures have only by the calls above
    {SYS_poll, {.name = "poll", .polled = 0, .timeout_kind = Timeout::milliseconds, .timeout = 2}},
    {SYS_epoll_wait, {.name = "epoll_wait", .descriptor = 0, .timeout_kind = Timeout::milliseconds, .timeout = 3}},
    {SYS_select, {.name = "select", .timeout_kind = Timeout::timeval, .timeout = 4}},
    STOKER_ON_DESCRIPTOR(getdents), STOKER_ON_PATH(open), STOKER_ON_PATH(creat), STOKER_ON_PATH(stat),
    STOKER_ON_PATH(lstat), STOKER_ON_PATH(access), STOKER_ON_PATH(readlink), STOKER_ON_PATH(unlink),
    STOKER_ON_PATH(rename), STOKER_ON_PATH(mkdir), STOKER_ON_PATH(rmdir), STOKER_PLAIN(fork),
    STOKER_PLAIN(vfork), STOKER_PLAIN(pause),
#endif
  };
  return calls;
}
// clang-format on

}  // namespace

const SystemCall* system_call(long number) {
  const auto found = table().find(number);
  return found == table().end() ? nullptr : &found->second;
}

}  // namespace stoker::watch
