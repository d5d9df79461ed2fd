import Files
import Glibc

/// Where the parts of a private cluster are.
///
/// `<data>/postgres` is the home: `data` (the server's own), `log`, `run` (the socket) and
/// `server.log` (the server's messages before its log is open). If root starts sluice in a place
/// that the server's user can't enter, the home is a link to
/// `/var/lib/sluice-postgres/<name>-<hash>`. If the socket's path would be too long, the socket
/// is in a short directory elsewhere.
struct ClusterLayout {
    /// The longest path of a Unix socket (`sockaddr_un`).
    static let socketPathBytesMax = 107

    /// Absolute, without links.
    let home: String
    let socketDirectory: String
    /// Messages for the operator about parts in unexpected places.
    let notices: [String]

    var data: String { home + "/data" }
    var log: String { home + "/log" }
    var startLog: String { home + "/server.log" }
    var settings: String { data + "/sluice.conf" }
    /// The access rules, if we write them.
    var access: String { data + "/sluice_hba.conf" }
    /// This file exists when the cluster may be discarded.
    var throwawayMark: String { Self.throwawayMark(home) }

    static func home(_ dataDirectory: String) -> String { dataDirectory + "/postgres" }
    static func throwawayMark(_ home: String) -> String { home + "/throwaway" }

    /// Creates the directories that are missing.
    ///
    /// - Parameter dataDirectory: absolute, exists.
    init(dataDirectory: String, user: ServerUser?) throws(ClusterError) {
        var notices: [String] = []
        let link = Self.home(dataDirectory)
        if let user, ClusterFiles.linkTarget(link) == nil, try !user.reaches(dataDirectory) {
            guard !ClusterFiles.exists(link) else {
                throw .directoryUnreachable(path: link, user: user.name)
            }
            let name = dataDirectory.split(separator: "/").last ?? "root"
            // Not below /var/lib/sluice: only the service's user may enter it.
            let elsewhere = "/var/lib/sluice-postgres/\(name)-\(Self.shortHash(dataDirectory))"
            try ClusterFiles.makeDirectory(elsewhere, mode: 0o700)
            guard symlink(elsewhere, link) == 0 else {
                throw .fileFailed(path: link, operation: "link", errno: errno)
            }
            notices.append(
                "the user \(user.name), who runs PostgreSQL, can't enter \(dataDirectory): "
                    + "the database is in \(elsewhere)")
        } else {
            try ClusterFiles.makeDirectory(ClusterFiles.linkTarget(link) ?? link, mode: 0o700)
        }
        home = try ClusterFiles.resolve(link)
        try ClusterFiles.give(home, to: user)
        if let user, try !user.reaches(home) {
            throw .directoryUnreachable(path: home, user: user.name)
        }
        try ClusterFiles.makeDirectory(home + "/log", mode: 0o700)
        try ClusterFiles.give(home + "/log", to: user)
        socketDirectory = try Self.makeSocketDirectory(home: home, user: user)
        self.notices = notices
    }

    private static func makeSocketDirectory(
        home: String, user: ServerUser?
    ) throws(ClusterError) -> String {
        var directory = home + "/run"
        if "\(directory)/.s.PGSQL.5432.lock".utf8.count > socketPathBytesMax {
            directory = "/tmp/sluice-\(user?.id ?? geteuid())-\(shortHash(home))"
        }
        try ClusterFiles.makeDirectory(directory, mode: 0o700)
        var status = stat()
        // In /tmp another user could have created it before us.
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & 0o077 == 0,
            status.st_uid == geteuid() || status.st_uid == user?.id
        else { throw .directoryUnsafe(path: directory) }
        try ClusterFiles.give(directory, to: user)
        return directory
    }

    /// Eight hexadecimal digits that stand for a path.
    private static func shortHash(_ path: String) -> String {
        String(Migrator.checksum([UInt8](path.utf8)).prefix(8))
    }
}
