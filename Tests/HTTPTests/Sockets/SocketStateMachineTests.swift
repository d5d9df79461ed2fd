import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct SocketStateMachineTests {
    private typealias Machine = SocketStateMachine

    private func machine(_ configure: (inout SocketConfiguration) -> Void = { _ in }) -> Machine {
        var configuration = SocketConfiguration()
        configure(&configuration)
        return Machine(limits: .init(configuration), now: at(0))
    }

    private func at(_ seconds: Double) -> NIODeadline {
        .uptimeNanoseconds(UInt64(1e12 + seconds * 1e9))
    }

    private func frame(
        _ kind: SocketFrame.Kind, _ payload: [UInt8] = [], isFinal: Bool = true
    ) -> SocketFrame {
        SocketFrame(kind, isFinal: isFinal, payload: ByteBuffer(bytes: payload))
    }

    private func text(_ text: String, isFinal: Bool = true) -> SocketFrame {
        frame(.text, Array(text.utf8), isFinal: isFinal)
    }

    private func rest(_ text: String, isFinal: Bool = true) -> SocketFrame {
        frame(.continuation, Array(text.utf8), isFinal: isFinal)
    }

    /// The code of a close that ends the connection without the client's answer.
    private func failure(_ action: Machine.Action) -> UInt16? {
        if case .close(let goodbye, .linger) = action { goodbye.code } else { nil }
    }

    @Test func `a message in one frame is delivered`() {
        var machine = machine()
        #expect(
            machine.frameArrived(text("héllo"), now: at(1))
                == .deliver(ByteBuffer(string: "héllo")))
    }

    @Test func `fragments become one message, with control frames between`() {
        var machine = machine()
        #expect(machine.frameArrived(text("ab", isFinal: false), now: at(1)) == .nothing)
        #expect(
            machine.frameArrived(frame(.ping, [7]), now: at(1)) == .pong(ByteBuffer(bytes: [7])))
        #expect(machine.frameArrived(rest("", isFinal: false), now: at(1)) == .nothing)
        #expect(machine.frameArrived(frame(.pong), now: at(1)) == .nothing)
        #expect(
            machine.frameArrived(rest("cd"), now: at(1)) == .deliver(ByteBuffer(string: "abcd")))
        #expect(machine.frameArrived(text("e"), now: at(1)) == .deliver(ByteBuffer(string: "e")))
    }

    @Test func `a character may be cut by a fragment's border`() {
        var machine = machine()
        let bytes = Array("é".utf8)
        _ = machine.frameArrived(frame(.text, [bytes[0]], isFinal: false), now: at(1))
        #expect(
            machine.frameArrived(frame(.continuation, [bytes[1]]), now: at(1))
                == .deliver(ByteBuffer(string: "é")))
    }

    @Test func `a violation of the protocol is answered with its code`() {
        var unmasked = text("a")
        unmasked.isMasked = false
        var reserved = text("a")
        reserved.hasReservedBits = true
        let cases: [([SocketFrame], UInt16)] = [
            ([unmasked], 1002), ([reserved], 1002), ([frame(.unknown)], 1002),
            ([frame(.binary, [1])], 1003), ([rest("a")], 1002),
            ([text("a", isFinal: false), text("b")], 1002),
            ([text("a", isFinal: false), frame(.binary)], 1002),
            ([frame(.ping, isFinal: false)], 1002),
            ([frame(.ping, [UInt8](repeating: 0, count: 126))], 1002),
            ([frame(.text, [0xFF])], 1007), ([frame(.text, [0xC3])], 1007),
            ([text("a", isFinal: false), frame(.continuation, [0xFF], isFinal: false)], 1007),
            ([frame(.text, [0xC3], isFinal: false), rest("")], 1007),
            ([text(String(repeating: "a", count: 129))], 1009),
            ([text(String(repeating: "a", count: 128), isFinal: false), rest("b")], 1009),
            (
                [text("a", isFinal: false), rest("", isFinal: false), rest("", isFinal: false)],
                1008
            ),
            ([frame(.close, [3])], 1002), ([frame(.close, [0x03, 0xED])], 1002),
            ([frame(.close, [0x03, 0xE8, 0xFF])], 1007),
        ]
        for (frames, code) in cases {
            var machine = machine {
                $0.messageBytesMax = 128
                $0.fragmentsMax = 2
            }
            for frame in frames.dropLast() {
                #expect(machine.frameArrived(frame, now: at(1)) == .nothing, "\(frames)")
            }
            #expect(
                failure(machine.frameArrived(frames.last!, now: at(1))) == code, "\(frames)")
            #expect(machine.phase == .closing)
            // Later input is ignored.
            #expect(machine.frameArrived(text("a"), now: at(1)) == .nothing)
        }
    }

    @Test func `a message of the largest size is accepted`() {
        var machine = machine { $0.messageBytesMax = 128 }
        let whole = String(repeating: "a", count: 128)
        #expect(
            machine.frameArrived(text(whole), now: at(1)) == .deliver(ByteBuffer(string: whole)))
    }

    @Test(
        arguments: [
            (nil, nil), (1000, 1000), (1001, 1001), (1011, 1011), (3000, 3000), (4999, 4999),
            (999, 1002), (1004, 1002), (1005, 1002), (1006, 1002), (1015, 1002), (1016, 1002),
            (2999, 1002), (5000, 1002),
        ] as [(UInt16?, UInt16?)])
    func `a close frame is answered with its code, if that is valid`(
        _ sent: UInt16?, _ told: UInt16?
    ) {
        var machine = machine()
        let payload = sent.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? []
        let action = machine.frameArrived(frame(.close, payload), now: at(1))
        guard case .close(let goodbye, let then) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(goodbye.code == told)
        #expect(then == (sent == told ? .end : .linger))
    }

    @Test func `our close frame waits for the client's, but not for ever`() {
        var polite = machine()
        #expect(
            polite.leave(SocketClose(.normal, "bye"), now: at(0))
                == .close(SocketClose(.normal, "bye"), then: .awaitAnswer))
        #expect(polite.frameArrived(text("a"), now: at(1)) == .nothing)
        #expect(polite.frameArrived(frame(.close), now: at(1)) == .end)
        #expect(polite.leave(SocketClose(.normal), now: at(1)) == .nothing)

        var silent = machine { $0.closeTimeout = .seconds(5) }
        _ = silent.leave(SocketClose(.normal), now: at(0))
        #expect(silent.tick(isReading: true, now: at(4.9)) == .nothing)
        #expect(silent.tick(isReading: true, now: at(5)) == .end)
    }

    @Test func `a silent client gets a ping, and is cut off if it stays silent`() {
        var machine = machine {
            $0.pingInterval = .seconds(45)
            $0.pongTimeout = .seconds(30)
        }
        #expect(machine.tick(isReading: true, now: at(44)) == .nothing)
        #expect(machine.tick(isReading: true, now: at(45)) == .ping(1))
        #expect(machine.tick(isReading: true, now: at(46)) == .nothing)
        #expect(machine.frameArrived(frame(.pong), now: at(74)) == .nothing)
        #expect(machine.tick(isReading: true, now: at(76)) == .nothing)
        #expect(machine.tick(isReading: true, now: at(119)) == .ping(2))
        #expect(machine.tick(isReading: true, now: at(148)) == .nothing)
        #expect(machine.tick(isReading: true, now: at(149)) == .end)
    }

    @Test func `no client is cut off for pongs that were not read`() {
        var machine = machine()
        #expect(machine.tick(isReading: true, now: at(45)) == .ping(1))
        #expect(machine.tick(isReading: false, now: at(80)) == .nothing)
        #expect(machine.tick(isReading: true, now: at(81)) == .nothing)
    }

    @Test func `without messages the socket ends after ten minutes, whatever pings arrive`() {
        var machine = machine()
        _ = machine.frameArrived(text("a"), now: at(10))
        for seconds in stride(from: 20.0, to: 610, by: 10) {
            _ = machine.frameArrived(frame(.ping), now: at(seconds))
            #expect(machine.tick(isReading: true, now: at(seconds)) == .nothing)
        }
        #expect(
            machine.tick(isReading: true, now: at(610))
                == .close(SocketClose(.normal, "idle"), then: .awaitAnswer))
    }

    @Test func `sent messages count as traffic`() {
        var machine = machine()
        #expect(machine.send(bytes: 1, waitingBytes: 0, now: at(599)) == .send)
        _ = machine.frameArrived(frame(.pong), now: at(600))
        #expect(machine.tick(isReading: true, now: at(601)) == .nothing)
    }

    @Test func `a message that never ends times out`() {
        var machine = machine { $0.messageTimeout = .seconds(60) }
        _ = machine.frameArrived(text("a", isFinal: false), now: at(0))
        _ = machine.frameArrived(rest("b", isFinal: false), now: at(59))
        #expect(machine.tick(isReading: true, now: at(59)) == .nothing)
        #expect(failure(machine.tick(isReading: true, now: at(60))) == 1008)
    }

    @Test func `control frames are limited by the second`() {
        var machine = machine { $0.controlFramesPerSecondMax = 3 }
        for _ in 0..<3 { #expect(failure(machine.frameArrived(frame(.pong), now: at(1))) == nil) }
        for _ in 0..<3 { #expect(failure(machine.frameArrived(frame(.ping), now: at(2.1))) == nil) }
        #expect(failure(machine.frameArrived(frame(.pong), now: at(2.2))) == 1008)
    }

    @Test func `a client that does not read is closed as too slow`() {
        var machine = machine { $0.outboundBytesMax = 1024 }
        // A single message is always allowed.
        #expect(machine.send(bytes: 5000, waitingBytes: 0, now: at(0)) == .send)
        #expect(machine.send(bytes: 24, waitingBytes: 1000, now: at(0)) == .send)
        #expect(
            machine.send(bytes: 25, waitingBytes: 1000, now: at(0))
                == .close(.close(SocketClose(.tryAgainLater, "too slow"), then: .linger)))
        #expect(machine.send(bytes: 1, waitingBytes: 0, now: at(0)) == .drop)
    }

    @Test func `a stop waits for unanswered messages and accepts no new ones`() {
        var machine = machine()
        #expect(machine.drain(isBusy: true, now: at(0)) == .nothing)
        #expect(!machine.isListening)
        #expect(machine.frameArrived(text("late"), now: at(1)) == .nothing)
        #expect(machine.send(bytes: 3, waitingBytes: 0, now: at(1)) == .send)
        #expect(machine.settled(isBusy: true, now: at(1)) == .nothing)
        #expect(
            machine.settled(isBusy: false, now: at(2))
                == .close(SocketClose(.goingAway, "the server stops"), then: .awaitAnswer))
    }

    @Test func `a reason is cut at the end of a character`() {
        var bytes = ByteBuffer()
        SocketClose(.normal, String(repeating: "é", count: 100)).write(to: &bytes)
        #expect(bytes.readableBytes == 2 + 122)
        #expect(bytes.readInteger(as: UInt16.self) == 1000)
        #expect(String(buffer: bytes) == String(repeating: "é", count: 61))
    }
}
