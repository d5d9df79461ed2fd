import Auth
import Foundation

@testable import HTTP
@testable import HTTPSupport

extension RoutesServer {
    static let form = "Content-Type: application/x-www-form-urlencoded"

    /// Sends the sign-in form, with every character percent-encoded.
    func signIn(_ key: String, _ fields: [String] = []) async throws -> ParsedAnswer {
        let text = key.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return try await ask(
            "POST", "/status/session", [Self.form] + fields, body: Array("key=\(text)".utf8))
    }

    /// The `Cookie` field of a browser that has signed in.
    func session(_ key: String = RoutesServer.key) async throws -> String {
        let answer = try await signIn(key)
        guard answer.status == 303,
            let cookie = answer.headers["set-cookie"]?.split(separator: ";").first
        else { throw NoSession(answer: answer) }
        return "Cookie: other=1; \(cookie)"
    }

    struct NoSession: Error { let answer: ParsedAnswer }

    /// Requests the stream and reads it up to the end of its first lines.
    func watch(
        _ fields: [String] = ["X-API-Key: \(RoutesServer.key)"], receiveBytes: Int? = nil
    ) async throws -> TCPClient {
        let client = try client(receiveBytes: receiveBytes)
        let lines = ["GET /status/events HTTP/1.1", "Host: test.example:81"] + fields
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        let head = try await onThread { try client.receive(through: "retry: 1000\n\n") }
        guard head.hasPrefix("HTTP/1.1 200 OK\r\n") else { throw NoStream(head: head) }
        return client
    }

    struct NoStream: Error { let head: String }
}

extension TCPClient {
    /// Receives everything up to and including this text; fails with ``Ended`` when it does not
    /// arrive.
    func receive(through end: String) throws -> String {
        var bytes: [UInt8] = []
        let end = Array(end.utf8)
        while !bytes.suffix(end.count).elementsEqual(end) {
            do {
                bytes += try receive(count: 1)
            } catch let error as Ended {
                throw Ended(received: String(decoding: bytes, as: UTF8.self) + error.received)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
