import Auth
import Postgres
import TestSupport

/// A whole server on a port of its own, with a database and keys.
protocol ServerWithKeys: Sendable {
    var port: Int { get }
    var settings: ConnectionSettings { get }
    /// Keys can be issued to it.
    var ring: KeyRing { get }
}

extension ServerWithKeys {
    /// The key that it accepts unless a test says otherwise.
    static var key: String { "key of the tests" }

    func client(receiveBytes: Int? = nil) throws -> TCPClient {
        try TCPClient(port: port, receiveBytes: receiveBytes)
    }

    /// Sends one request on a connection of its own.
    ///
    /// - Parameter fields: complete lines without their line ends.
    func ask(
        _ method: String, _ path: String, _ fields: [String] = ["X-API-Key: \(key)"],
        host: String = "test.example:81", body: [UInt8]? = nil
    ) async throws -> ParsedAnswer {
        try await onThread {
            let client = try client()
            var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
            if let body { lines.append("Content-Length: \(body.count)") }
            try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
            if let body { try client.send(body) }
            return try client.receiveAnswer(isHead: method == "HEAD")
        }
    }

    /// The first value of a query.
    func value(_ sql: String) throws -> String? {
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        defer { connection.close() }
        let rows = try connection.query(sql)
        return rows.count == 0 || rows.isNull(0, 0) ? nil : rows.string(0, 0)
    }

    /// Replaces all issued keys by this one.
    func issue(_ key: String, _ scopes: Set<KeyScope>) {
        let id = KeyID(name: key, id: 1)
        ring.replaceIssued(
            with: [
                IssuedKey(id: id, digest: KeyDigest(of: key), scopes: scopes, expiresAt: nil)
            ])
    }
}
