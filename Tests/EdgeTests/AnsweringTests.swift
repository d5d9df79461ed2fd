import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import Edge

@Suite(.timeLimit(.minutes(1))) struct AnsweringTests {
    @Test func `a server whose loops run answers at once`() async throws {
        try await RunningServer.with { server in
            let start = ContinuousClock.now
            #expect(await server.server.isAnswering(within: .seconds(20)))
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test func `one loop that hangs is noticed in time, and so is that it goes on`() async throws {
        try await RunningServer.with { server in
            let hold = DispatchSemaphore(value: 0)
            server.server.loops.group.next().execute { hold.wait() }
            let start = ContinuousClock.now
            #expect(await !server.server.isAnswering(within: .milliseconds(200)))
            #expect(ContinuousClock.now - start < .seconds(10))
            hold.signal()
            #expect(await server.server.isAnswering(within: .seconds(20)))
        }
    }
}
