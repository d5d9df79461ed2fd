import NIOCore
import NIOHTTP2
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct StreamedConnectionStateTests {
    private func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .seconds(1000 + seconds)
    }

    private func connection() -> StreamedConnectionState {
        StreamedConnectionState(
            limits: StreamedConnectionState.Limits(HTTPConfiguration()), now: at(0))
    }

    @Test func `a silent client has as long as for the head of a request`() {
        var state = connection()
        #expect(state.tick(now: at(9)) == .nothing)
        #expect(state.tick(now: at(10)) == .finish(.rootStream))
        #expect(state.tick(now: at(1000)) == .nothing)
    }

    @Test func `a connection without streams ends after a while, whatever else arrives`() {
        var state = connection()
        state.spoke(now: at(5))
        state.streamOpened(1)
        #expect(state.tick(now: at(500)) == .nothing)
        #expect(state.streamClosed(1, now: at(500)) == .nothing)
        state.spoke(now: at(570))
        #expect(state.tick(now: at(574)) == .nothing)
        #expect(state.tick(now: at(575)) == .finish(1))
    }

    @Test(arguments: [true, false]) func `a stop is announced, and waits for no acknowledgement`(
        _ isAcknowledged: Bool
    ) {
        var state = connection()
        state.streamOpened(5)
        #expect(state.drain(now: at(1)) == .announce)
        #expect(state.drain(now: at(1)) == .nothing)
        state.streamOpened(7)
        if isAcknowledged {
            #expect(state.acknowledged(now: at(1)) == .refuseAfter(7))
        } else {
            #expect(state.tick(now: at(2)) == .refuseAfter(7))
        }
        #expect(state.acknowledged(now: at(3)) == .nothing)
        #expect(state.streamClosed(5, now: at(3)) == .nothing)
        #expect(state.streamClosed(7, now: at(4)) == .close)
    }

    @Test func `a stream that does not end is cut off when the server stops`() {
        var state = connection()
        state.streamOpened(1)
        #expect(state.drain(now: at(0)) == .announce)
        #expect(state.tick(now: at(1)) == .refuseAfter(1))
        #expect(state.tick(now: at(45)) == .nothing)
        #expect(state.tick(now: at(46)) == .close)
    }

    @Test func `a client that has closed its sending side is not waited for`() {
        var state = connection()
        #expect(state.inputClosed(now: at(1)) == .close)

        state = connection()
        state.streamOpened(1)
        #expect(state.inputClosed(now: at(1)) == .nothing)
        #expect(state.streamClosed(1, now: at(2)) == .close)

        state = connection()
        state.streamOpened(1)
        #expect(state.inputClosed(now: at(1)) == .nothing)
        #expect(state.tick(now: at(30)) == .nothing)
        #expect(state.tick(now: at(31)) == .close)
        #expect(state.inputClosed(now: at(32)) == .nothing)

        state = connection()
        #expect(state.drain(now: at(0)) == .announce)
        #expect(state.inputClosed(now: at(0)) == .close)
    }

    @Test func `an error ends it once`() {
        var state = connection()
        state.streamOpened(1)
        #expect(state.failed() == .close)
        #expect(state.failed() == .nothing)
        #expect(state.streamClosed(1, now: at(1)) == .nothing)
        #expect(state.drain(now: at(1)) == .nothing)
    }
}
