//! System calls that a job may make, by family. A call that is not here, or is newer than this list, is answered as by a
//! kernel that does not have it; so are calls of foreign number spaces, such as x32.
//!
//! Left out on purpose: tracing and memory of other processes, keys of the kernel, mounts and name spaces, modules,
//! clocks, BPF, performance counters, `io_uring`, `userfaultfd`, file handles, the kernel's log.

use libc::*;

/// Calls that reach this process, its children and the files it may open.
#[rustfmt::skip]
pub(super) const USUAL: &[c_long] = &[
    // Files.
    SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv,
    SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_dup, SYS_dup3, SYS_pipe2, SYS_fcntl, SYS_flock, SYS_fsync, SYS_fdatasync,
    SYS_sync, SYS_syncfs, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_readahead, SYS_getdents64,
    SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_openat, SYS_openat2, SYS_close_range, SYS_mkdirat, SYS_mknodat, SYS_fchownat,
    SYS_fchown, SYS_fchmod, SYS_fchmodat, SYS_unlinkat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_readlinkat,
    SYS_faccessat, SYS_faccessat2, SYS_utimensat, SYS_statx, SYS_newfstatat, SYS_statfs, SYS_fstatfs, SYS_umask,
    SYS_sendfile, SYS_splice, SYS_tee, SYS_vmsplice, SYS_copy_file_range, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_memfd_create,
    SYS_memfd_secret, 452, // fchmodat2
    // The older, asynchronous reads and writes.
    SYS_io_setup, SYS_io_destroy, SYS_io_getevents, SYS_io_submit, SYS_io_cancel,
    // Waiting.
    SYS_pselect6, SYS_ppoll, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2,
    SYS_signalfd4, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_futex, SYS_futex_waitv,
    SYS_set_robust_list, SYS_get_robust_list, 449, 454, 455, 456, // futex_waitv, futex_wake, futex_wait, futex_requeue
    // Memory.
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_brk, SYS_mremap, SYS_msync, SYS_mincore, SYS_madvise, SYS_mlock, SYS_mlock2,
    SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_remap_file_pages, SYS_mbind, SYS_set_mempolicy, SYS_get_mempolicy,
    SYS_membarrier, SYS_pkey_mprotect, SYS_pkey_alloc, SYS_pkey_free, SYS_rseq, SYS_mseal,
    // Processes, threads and signals of its own.
    SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_kill, SYS_tkill, SYS_tgkill,
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_setpgid, SYS_getpgid, SYS_setsid, SYS_getsid, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall, SYS_set_tid_address, SYS_pidfd_open,
    SYS_pidfd_send_signal, SYS_prctl, SYS_personality, SYS_sched_yield, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_rr_get_interval, SYS_sched_getaffinity,
    SYS_sched_getattr, SYS_getpriority, SYS_ioprio_get, SYS_getcpu, SYS_getrlimit, SYS_setrlimit, SYS_getrusage,
    SYS_times,
    // Who it is, and what it may: nothing here gives a right back.
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_setuid, SYS_setgid,
    SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid, SYS_setgroups, SYS_capget,
    SYS_capset, SYS_seccomp, SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    // Time, chance and the machine.
    SYS_gettimeofday, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_getitimer,
    SYS_setitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete,
    SYS_getrandom, SYS_uname, SYS_sysinfo,
    // Sockets; which families can be opened is decided elsewhere.
    SYS_connect, SYS_accept, SYS_accept4, SYS_bind, SYS_listen, SYS_shutdown, SYS_sendto, SYS_recvfrom, SYS_sendmsg,
    SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_getsockname, SYS_getpeername, SYS_setsockopt, SYS_getsockopt,
];

/// Calls that newer machines no longer have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(super) const OLDER: &[c_long] = &[
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_pipe, SYS_dup2, SYS_poll, SYS_select, SYS_epoll_create,
    SYS_epoll_wait, SYS_eventfd, SYS_signalfd, SYS_inotify_init, SYS_getdents, SYS_rename, SYS_renameat, SYS_mkdir,
    SYS_rmdir, SYS_mknod, SYS_link, SYS_unlink, SYS_symlink, SYS_readlink, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime,
    SYS_utimes, SYS_futimesat, SYS_fork, SYS_vfork, SYS_getpgrp, SYS_pause, SYS_alarm, SYS_time, SYS_sync_file_range,
    SYS_arch_prctl, SYS_set_thread_area, SYS_get_thread_area,
];
/// Calls that newer machines no longer have.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLDER: &[c_long] = &[];

/// Shared memory, semaphores and queues that all processes of an IPC name space see.
#[rustfmt::skip]
pub(super) const SHARED: &[c_long] = &[
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop, SYS_msgget,
    SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_mq_timedsend, SYS_mq_timedreceive, SYS_mq_notify,
    SYS_mq_getsetattr,
];

/// Calls that can name another process, and which argument does; zero means the caller.
pub(super) const OF_A_PROCESS: &[(c_long, u8)] = &[
    (SYS_prlimit64, 0),
    (SYS_setpriority, 1),
    (SYS_sched_setparam, 0),
    (SYS_sched_setscheduler, 0),
    (SYS_sched_setattr, 0),
    (SYS_sched_setaffinity, 0),
    (SYS_ioprio_set, 1),
    (SYS_migrate_pages, 0),
    (SYS_move_pages, 0),
];
