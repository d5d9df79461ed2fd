import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct AnsweringTests {
    @Test func `a server whose loops run answers at once`() async throws {
        try await RunningServer.with { server in
            // It returns before the limit, or not within this test's time limit.
            #expect(await server.server.isAnswering(within: .seconds(86_400)))
        }
    }

    @Test func `one loop that hangs is noticed in time, and so is its recovery`() async throws {
        try await RunningServer.with { server in
            let hold = DispatchSemaphore(value: 0)
            server.server.loops.group.next().execute { hold.wait() }
            #expect(await !server.server.isAnswering(within: .milliseconds(200)))
            hold.signal()
            #expect(await server.server.isAnswering(within: .seconds(86_400)))
        }
    }
}
