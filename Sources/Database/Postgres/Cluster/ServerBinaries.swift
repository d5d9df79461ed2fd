import Glibc

/// Where the server's programs are.
struct ServerBinaries {
    /// Holds `initdb`, `pg_ctl` and `postgres`.
    let directory: String

    /// Looks in `SLUICE_POSTGRES_BIN`, in Debian's directories from the newest version down, and
    /// in PATH.
    ///
    /// - Parameter version: the major version of a cluster that exists; nil takes the newest.
    static func find(
        version: String?, override: String?, path: String?
    ) throws(ClusterError) -> ServerBinaries {
        let searched: [String]
        if let override {
            searched = [override]
        } else {
            searched =
                debianDirectories() + (path ?? "").split(separator: ":").map(String.init)
        }
        let found = searched.filter { directory in
            ["initdb", "pg_ctl", "postgres"].allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
        }.map(ServerBinaries.init)
        guard let newest = found.first else { throw .serverMissing(searched: searched) }
        guard let version else { return newest }
        for binaries in found where try binaries.version() == version { return binaries }
        throw .versionMissing(cluster: version, searched: searched)
    }

    /// The major version, as in a cluster's `PG_VERSION`.
    func version() throws(ClusterError) -> String {
        let command = Command(program: "\(directory)/postgres", arguments: ["--version"], user: nil)
        let words = try command.run(limit: .seconds(10)).split(separator: " ")
        // postgres (PostgreSQL) 15.4 (Debian 15.4-1)
        let number = words.first { $0.first?.isNumber == true } ?? ""
        return String(number.prefix { $0.isNumber })
    }

    private static func debianDirectories() -> [String] {
        let root = "/usr/lib/postgresql"
        return Files.list(root).compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
    }
}

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
