//! One filter of system calls for every back-end, as programs that the kernel runs before each call.

use super::calls::{OF_A_PROCESS, OLDER, SHARED, USUAL};
use nix::sys::memfd::{MFdFlags, memfd_create};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;

/// The only protocol of `AF_NETLINK` that programs ask for the machine's addresses.
const NETLINK_ROUTE: u64 = 0;
/// The bits of a socket's type that say its kind; the others are flags.
const SOCKET_KIND: u64 = 0xF;
/// Requests that put words into a terminal, as if they had been typed.
const TYPING: [u64; 2] = [0x5412, 0x541C];

/// What is around a job beside its filter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    /// Whether it has process, IPC and network spaces of its own.
    pub(super) is_alone: bool,
    /// Whether it may reach the network.
    pub(super) network: bool,
    /// Whether it may connect to one server of this program.
    pub(super) door: bool,
}

/// The programs, in the order in which they are laid on. The first alone holds everything; the second gives sockets of
/// other families the answer that programs look for.
pub(super) fn programs(around: Around) -> io::Result<Vec<BpfProgram>> {
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> =
        USUAL.iter().chain(OLDER).map(|&call| (call, Vec::new())).collect();
    // The flags of `clone3` lie in memory, where no filter sees them; without it the C library uses the older call. A
    // new user name space would bring all capabilities back.
    let nested = libc::CLONE_NEWUSER.cast_unsigned().into();
    allowed.insert(libc::SYS_clone, vec![rule(&[(0, SeccompCmpOp::MaskedEq(nested), 0)])?]);
    allowed.insert(libc::SYS_ioctl, vec![rule(&TYPING.map(|request| (1, SeccompCmpOp::Ne, request)))?]);
    allowed.insert(libc::SYS_socketpair, vec![family(libc::AF_UNIX)?]);
    for &(call, argument) in OF_A_PROCESS {
        let own = if around.is_alone { Vec::new() } else { vec![rule(&[(argument, SeccompCmpOp::Eq, 0)])?] };
        allowed.insert(call, own);
    }
    if around.is_alone {
        allowed.extend(SHARED.iter().map(|&call| (call, Vec::new())));
    }
    let mut other_families = Some(Vec::new());
    if around.is_alone || around.network {
        let [unix, inet, inet6] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6].map(family);
        let netlink = libc::AF_NETLINK.cast_unsigned().into();
        let netlink = rule(&[(0, SeccompCmpOp::Eq, netlink), (2, SeccompCmpOp::Eq, NETLINK_ROUTE)]);
        allowed.insert(libc::SYS_socket, vec![unix?, inet?, inet6?, netlink?]);
        let known = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
        other_families = Some(vec![rule(&known.map(|family| (0, SeccompCmpOp::Ne, family.cast_unsigned().into())))?]);
    } else if around.door {
        // Connections only: the port that a datagram is sent to is held by nothing.
        let stream = |family: libc::c_int| {
            let kind = SeccompCmpOp::MaskedEq(SOCKET_KIND);
            let stream = libc::SOCK_STREAM.cast_unsigned().into();
            rule(&[(0, SeccompCmpOp::Eq, family.cast_unsigned().into()), (1, kind, stream)])
        };
        allowed.insert(libc::SYS_socket, vec![stream(libc::AF_INET)?, stream(libc::AF_INET6)?]);
        other_families = None;
    }
    let mut programs =
        vec![program(allowed, SeccompAction::Errno(libc::ENOSYS.cast_unsigned()), SeccompAction::Allow)?];
    if let Some(refused) = other_families {
        let refused = BTreeMap::from([(libc::SYS_socket, refused)]);
        let answer = SeccompAction::Errno(libc::EAFNOSUPPORT.cast_unsigned());
        programs.push(program(refused, SeccompAction::Allow, answer)?);
    }
    // Only what gives room back is left: room that is taken without being written would be gone before anybody looks.
    let takes_room = rule(&[(1, SeccompCmpOp::MaskedEq(PUNCH_HOLE), 0)])?;
    let taking = BTreeMap::from([(libc::SYS_fallocate, vec![takes_room])]);
    let answer = SeccompAction::Errno(libc::EOPNOTSUPP.cast_unsigned());
    programs.push(program(taking, SeccompAction::Allow, answer)?);
    Ok(programs)
}

/// The flag of `fallocate` that gives room back.
const PUNCH_HOLE: u64 = libc::FALLOC_FL_PUNCH_HOLE as u64;

fn family(family: libc::c_int) -> io::Result<SeccompRule> {
    rule(&[(0, SeccompCmpOp::Eq, family.cast_unsigned().into())])
}

/// Conditions on arguments, all of which must hold.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> io::Result<SeccompRule> {
    let made = conditions.iter().map(|(argument, operator, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    let made = made.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
    SeccompRule::new(made).map_err(io::Error::other)
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matching: SeccompAction,
) -> io::Result<BpfProgram> {
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, otherwise, matching, architecture);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

/// A file in memory that holds a program as bubblewrap reads it.
pub(super) fn file(program: &BpfProgram) -> io::Result<OwnedFd> {
    let mut bytes = Vec::with_capacity(program.len() * size_of::<seccompiler::sock_filter>());
    for step in program {
        bytes.extend(step.code.to_ne_bytes());
        bytes.extend([step.jt, step.jf]);
        bytes.extend(step.k.to_ne_bytes());
    }
    let mut file = File::from(memfd_create(c"seccomp", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(&bytes)?;
    file.rewind()?;
    Ok(file.into())
}
