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
