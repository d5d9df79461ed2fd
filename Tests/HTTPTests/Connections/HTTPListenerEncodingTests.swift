import Ingest
import Instruments
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Compressed bodies, and a lane's answers, through a real socket.
@Suite(.timeLimit(.minutes(10))) struct HTTPListenerEncodingTests {
    @Test(arguments: Samples.Compression.allCases)
    func `a compressed body is stored`(compression: Samples.Compression) async throws {
        try await RunningServer.with { server in
            let readings = 10_000
            let body = Samples.compress(Array(Samples.body(readings: readings).utf8), compression)
            let answers = try await onThread {
                let client = try server.client()
                return try (0..<2).map { _ in
                    try client.send(Samples.post(compressed: body, compression.contentEncoding))
                    return try client.receiveAnswer()
                }
            }
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.map { $0.number("stored") } == [readings, readings])
            #expect(server.sink.readings == 2 * readings)
            try await server.expectNothingHeld()
        }
    }

    @Test(arguments: Samples.Compression.allCases)
    func `a body that is cut or altered is answered with an error and the connection kept`(
        compression: Samples.Compression
    ) async throws {
        try await RunningServer.with { server in
            let whole = Samples.compress(Array(Samples.body(readings: 500).utf8), compression)
            var altered = whole
            for place in 2..<min(12, altered.count) { altered[place] ^= 0xFF }
            let bodies = [Array(whole.dropLast(3)), altered, whole]
            let statuses = try await onThread {
                let client = try server.client()
                return try bodies.map { body in
                    try client.send(Samples.post(compressed: body, compression.contentEncoding))
                    return try client.receiveAnswer().status
                }
            }
            #expect(statuses == [400, 400, 200])
            #expect(server.sink.offers == 1)
            try await server.expectNothingHeld()
        }
    }

    @Test(arguments: [
        Offer.full(retryAfter: .seconds(4)), .unavailable(retryAfter: .seconds(4)),
    ])
    func `a full lane makes a 503 with a time to retry`(
        offer: Offer
    ) async throws {
        try await RunningServer.with(.answer(offer)) { server in
            let answers = try await onThread {
                let client = try server.client()
                return try (0..<50).map { _ in
                    try client.send(Samples.post())
                    return try client.receiveAnswer()
                }
            }
            #expect(answers.allSatisfy { $0.status == 503 && $0.detail != nil })
            // Whole seconds, increased at random by up to half, so that clients don't all return at
            // once.
            let waits = answers.compactMap { Int($0.headers["retry-after"] ?? "") }
            #expect(waits.count == 50)
            #expect(waits.allSatisfy { (4...6).contains($0) })
            #expect(Set(waits).count > 1)
            try await server.expectNothingHeld()
            #expect(server.ledger.snapshot.refused == 150)
        }
    }

    @Test func `a refusing database makes a 500 and the connection goes on`() async throws {
        try await RunningServer.with(.hold) { server in
            let client = try server.client()
            try client.send(Samples.post())
            try await server.eventually { server.sink.heldCount == 1 }
            server.sink.finishHeld(.refused(sqlState: "42501"))
            let refused = try await onThread { try client.receiveAnswer() }
            #expect(refused.status == 500)
            #expect(refused.detail == "The database refused the batch")
            #expect(refused.headers["retry-after"] == nil)
            server.sink.set(.commit)
            let answer = try await onThread {
                try client.send(Samples.post())
                return try client.receiveAnswer()
            }
            #expect(answer.status == 200)
            try await server.expectNothingHeld()
        }
    }
}
