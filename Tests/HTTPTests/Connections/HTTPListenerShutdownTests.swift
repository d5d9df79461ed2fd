import Ingest
import Instruments
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct HTTPListenerShutdownTests {
    @Test func `idle connections are closed and batches answered`() async throws {
        try await RunningServer.with(.hold) { server in
            let idle = try server.client()
            let used = try server.client()
            try used.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await onThread { try used.receiveAnswer().status } == 200)
            let waiting = try server.client()
            try waiting.send(Samples.post())
            try await server.eventually { server.sink.heldCount == 1 }
            await server.stop()
            try await onThread {
                try idle.expectEnd()
                try used.expectEnd()
            }
            server.sink.commitHeld()
            let answers = try await onThread { try waiting.receiveAll() }
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.headers["connection"] == "close")
            try await server.expectNothingHeld()
        }
    }

    @Test func `a body that has begun may arrive`() async throws {
        try await RunningServer.with { server in
            let client = try server.client()
            let request = Samples.post()
            try client.send(request.prefix(300).description)
            try await server.eventually { server.metric("sluice_http_connections") == 1 }
            await server.stop()
            try await Task.sleep(for: .milliseconds(100))
            try client.send(request.dropFirst(300).description)
            let answers = try await onThread { try client.receiveAll() }
            #expect(answers.map(\.status) == [200])
        }
    }

    @Test func `a connection that waits to be accepted is accepted and answered`() async throws {
        let clock = StoppableClock()
        try await RunningServer.with(clock: clock) { server in
            let used = try server.client()
            try used.send(Samples.post())
            #expect(try await onThread { try used.receiveAnswer().status } == 200)
            // No loop accepts or reads; all of this waits in the kernel.
            clock.stop()
            try await server.eventually { clock.standingCount == 2 }
            try used.send(Samples.post())
            let waiting = try (0..<20).map { _ in
                let client = try server.client()
                try client.send(Samples.post())
                return client
            }
            await server.stop()
            try await Task.sleep(for: .seconds(1))
            clock.start()
            for client in waiting + [used] {
                let answers = try await onThread { try client.receiveAll() }
                #expect(answers.map(\.status) == [200])
                #expect(answers.first?.headers["connection"] == "close")
            }
            try await server.expectNothingHeld()
        }
    }

    @Test func `a connection may still send its first request`() async throws {
        // Within a second; repeated if the machine was too busy for that.
        let isAnswered = try await eventually {
            let isAnswered = Atomic(false)
            let isLate = Atomic(false)
            try await RunningServer.with { server in
                let client = try server.client()
                try await server.eventually { server.metric("sluice_http_connections") == 1 }
                let start = ContinuousClock.now
                await server.stop()
                try await Task.sleep(for: .milliseconds(300))
                let answers = try? await onThread {
                    try client.send(Samples.post())
                    return try client.receiveAll()
                }
                isAnswered.store(answers?.map(\.status) == [200], ordering: .relaxed)
                isLate.store(.now - start >= .seconds(1), ordering: .relaxed)
            }
            #expect(isAnswered.load(ordering: .relaxed) || isLate.load(ordering: .relaxed))
            return isAnswered.load(ordering: .relaxed)
        }
        #expect(isAnswered)
    }

    @Test func `no new connection is accepted`() async throws {
        try await RunningServer.with(.hold) { server in
            let client = try server.client()
            try client.send(Samples.post())
            try await server.eventually { server.sink.heldCount == 1 }
            await server.stop()
            try await server.eventually { (try? server.client()) == nil }
            server.sink.commitHeld()
            #expect(try await onThread { try client.receiveAll().count } == 1)
        }
    }

    @Test func `a request that does not end is cut off, and its outcome still counts`() async throws
    {
        try await RunningServer.with(.hold) { configuration in
            configuration.shutdownWithin = .milliseconds(300)
        } _: { server in
            let client = try server.client()
            try client.send(Samples.post())
            try await server.eventually { server.sink.heldCount == 1 }
            await server.stop()
            await #expect(throws: (any Error).self) {
                try await onThread { try client.receiveAnswer() }
            }
            server.sink.commitHeld()
            try await server.eventually { server.ledger.snapshot.stored == 3 }
            try await server.expectNothingHeld()
        }
    }
}
