import Glibc

/// The system user that the server runs as when sluice is root, which PostgreSQL refuses to be.
struct ServerUser: Equatable {
    let name: String
    let id: uid_t
    let group: gid_t

    private static let candidates = ["postgres", "nobody"]

    /// - Returns: nil when we are not root: the server runs as we do.
    static func current() throws(ClusterError) -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        for name in candidates {
            if let entry = getpwnam(name), entry.pointee.pw_uid != 0 {
                return ServerUser(
                    name: name, id: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
            }
        }
        throw .userMissing(tried: candidates)
    }

    /// What stands before a command so that it runs as this user. util-linux is on every Debian.
    var prefix: [String] {
        ["/usr/bin/setpriv", "--reuid=\(id)", "--regid=\(group)", "--clear-groups", "--"]
    }

    /// Whether this user can go into `directory`, as the kernel sees it.
    func reaches(_ directory: String) throws(ClusterError) -> Bool {
        let test = Command(program: "/usr/bin/test", arguments: ["-x", directory], user: self)
        return try test.runForStatus(limit: .seconds(10)).status == 0
    }
}
