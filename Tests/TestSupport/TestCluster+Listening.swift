import Glibc
public import Postgres

extension TestCluster {
    /// Starts a separate throwaway server that also listens on 127.0.0.1 and asks for a password
    /// there, as an operator's server does.
    ///
    /// - Parameter password: of the role `writer`, which owns only the database `telemetry`.
    /// - Returns: the server, and the port it listens on.
    public static func startListeningServer(
        dataDirectory: String, password: String
    ) throws -> (server: PrivateCluster, port: Int) {
        let first = try startServer(dataDirectory: dataDirectory)
        let port = freePort()
        let connection = try Connection.open(first.settings, deadline: .now + .seconds(30))
        for sql in [
            "ALTER SYSTEM SET listen_addresses = '127.0.0.1'",
            "ALTER SYSTEM SET port = \(port)",
            "CREATE ROLE writer LOGIN PASSWORD '\(password)'",
            "CREATE DATABASE telemetry OWNER writer",
        ] { try connection.execute(sql) }
        connection.close()
        let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        guard let file = fopen(first.home + "/data/pg_hba.conf", "w") else {
            fatalError("pg_hba.conf: \(String(cString: strerror(errno)))")
        }
        fputs(access, file)
        fclose(file)
        try first.stop()
        return (try startServer(dataDirectory: dataDirectory), port)
    }

    /// A port that is unused at the moment.
    public static func freePort() -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        precondition(isKnown, "no port: \(String(cString: strerror(errno)))")
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
