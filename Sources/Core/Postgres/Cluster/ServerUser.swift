import Glibc

/// The system user that the server runs as when sluice is root: PostgreSQL refuses to run as root.
struct ServerUser: Equatable {
    let name: String
    let id: uid_t
    let group: gid_t

    private static let candidates = ["postgres", "nobody"]

    /// - Returns: nil when this process is not root: the server runs as the same user.
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

    /// The words before a command that run it as this user. Every Debian has util-linux.
    var prefix: [String] {
        ["/usr/bin/setpriv", "--reuid=\(id)", "--regid=\(group)", "--clear-groups", "--"]
    }

    /// Whether this user can enter `directory`, according to the kernel.
    func reaches(_ directory: String) throws(ClusterError) -> Bool {
        let test = Command(program: "/usr/bin/test", arguments: ["-x", directory], user: self)
        return try test.runForStatus(limit: .seconds(10)).status == 0
    }
}
