import Foundation
import Testing

@testable import Edge

/// A whole file has two ways: from the event loop, and through the router. With a query, which means
/// nothing to it, a request goes through the router; without one it is sent from the loop if it can
/// be: to a new connection by the bytes of its head, to one that has seen the router by its fields.
enum FileWays {
    static let key = "X-API-Key: \(RoutesServer.key)"

    struct Received: Equatable {
        /// Names in lower case, sorted, without the date.
        var head: [String]
        var content: [UInt8]
        /// The router's side writes its names otherwise.
        var isFromLoop = false

        static func == (one: Received, other: Received) -> Bool {
            one.head == other.head && one.content == other.content
        }
    }

    static func receive(from client: TCPClient) throws -> Received {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try client.receive(count: 1) }
        let lines = String(decoding: head.dropLast(4), as: UTF8.self).components(
            separatedBy: "\r\n")
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts[0].lowercased() + ":" + parts[1]
        }
        let length = fields.first { $0.hasPrefix("content-length: ") }
        let count = length.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        #expect(fields.contains { $0.hasPrefix("date: ") })
        return Received(
            head: [lines[0]] + fields.filter { !$0.hasPrefix("date: ") }.sorted(),
            content: try client.receive(count: count),
            isFromLoop: lines.contains { $0.hasPrefix("date: ") })
    }

    static func get(
        _ path: String, _ fields: [String], on client: TCPClient
    ) throws -> Received {
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1"] + fields
        try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        return try receive(from: client)
    }

    /// Asks all ways.
    ///
    /// - Returns: the answer, and whether those that could came from the loop.
    @discardableResult
    static func both(
        _ server: RoutesServer, _ path: String, _ fields: [String]
    ) async throws -> Received {
        try await onThread {
            let client = try server.client()
            let router = try get(path + "?x=1", fields, on: client)
            #expect(!router.isFromLoop)
            let isLast = router.head.contains("connection: close")
            let decoded = try get(path, fields, on: isLast ? server.client() : client)
            let quick = try get(path, fields, on: server.client())
            #expect(decoded == router, "\(path) \(fields)")
            #expect(quick == router, "\(path) \(fields)")
            #expect(quick.isFromLoop == decoded.isFromLoop)
            return quick
        }
    }
}
