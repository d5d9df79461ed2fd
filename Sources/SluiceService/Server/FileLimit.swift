import Glibc

/// How many files and sockets the process may have open.
enum FileLimit {
    /// Takes what the process may take. Shells and service managers give out a thousand first, which
    /// programs that use select(2) need and a server runs out of.
    static func raise() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // It goes on with what it has; `sluice doctor` says whether that is enough.
        setrlimit(resource, &limit)
    }
}
