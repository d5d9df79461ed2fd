import Glibc

/// The directory of the server's programs.
struct ServerBinaries {
    /// Holds `initdb`, `pg_ctl` and `postgres`.
    let directory: String

    /// Searches only `override` if it is given (`SLUICE_POSTGRES_BIN`). Otherwise searches
    /// Debian's directories from the newest version down, then PATH.
    ///
    /// - Parameter version: the major version of an existing cluster; nil takes the first that is
    ///   found.
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
        return ClusterFiles.list(root).compactMap { Int($0) }.sorted(by: >)
            .map { "\(root)/\($0)/bin" }
    }
}

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
