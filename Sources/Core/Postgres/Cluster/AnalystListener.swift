import Glibc

/// How analysts connect to a private cluster: over TCP from this machine, with their passwords
/// (SCRAM), to one database. Every other role is rejected there, and the socket is for the
/// cluster's owner only.
public struct AnalystListener: Sendable, Equatable {
    /// On 127.0.0.1; 0 takes the first free port from 5433 on and keeps it at later starts.
    public var port: Int
    /// The role whose members may connect.
    public var role: String

    /// - Parameters:
    ///   - port: 0 to 65535.
    ///   - role: needs no quotes.
    public init(port: Int, role: String) {
        (self.port, self.role) = (port, role)
    }

    /// Not 5432: this machine may have another server one day.
    private static let candidates = 5433...5532

    /// - Parameter before: the port of the last start.
    /// - Returns: a port even when none is free: the socket's name needs one.
    func choosePort(before: Int?) -> Int {
        if port != 0 { return port }
        let known = before.map { $0 == ServerSettings.port ? [] : [$0] } ?? []
        return (known + Self.candidates).first(where: Self.isFree) ?? before ?? ServerSettings.port
    }

    /// Whether a server could listen there now.
    static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && listen(descriptor, 1) == 0
            }
        }
    }

    /// The access rules, in the format of `pg_hba.conf`. Backups need the rule of replication, which
    /// `all` does not include.
    func rules(database: String) -> String {
        """
        # Written by sluice at every start. For rules of your own set hba_file by ALTER SYSTEM.
        local all all trust
        local replication all trust
        host "\(database)" +\(role) 127.0.0.1/32 scram-sha-256
        host all all all reject

        """
    }

    /// Whether `pg_hba.conf` is as `initdb` made it. A file that was changed is used instead of
    /// these rules.
    static func isUntouched(_ access: String) -> Bool {
        access.split(whereSeparator: \.isNewline).allSatisfy { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { return true }
            return first == "local" ? words.last == "trust" : words.last == "reject"
        }
    }
}

extension Connection {
    /// The TCP port that the server listens on; nil: none.
    public var listeningPort: Int? {
        get throws(PostgresError) {
            let rows = try query(
                "SELECT current_setting('port') WHERE current_setting('listen_addresses') <> ''")
            return rows.count == 0 ? nil : Int(rows.string(0, 0))
        }
    }
}
