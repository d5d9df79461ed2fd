import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct RequestStateMachineTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static let limits = RequestStateMachine.Limits(
        headTimeout: .seconds(10), idleTimeout: .seconds(60), bodyTimeout: .seconds(20),
        bodyBytesPerSecondMin: 100, acknowledgeWithin: .seconds(30), lingerTimeout: .seconds(5),
        keptRestBytesMax: 1000)

    /// Owns the machine, so that expectations can mutate it.
    private final class Driver {
        private var machine = RequestStateMachine(limits: limits, now: start)

        @discardableResult
        func callAsFunction<Result>(_ event: (inout RequestStateMachine) -> Result) -> Result {
            event(&machine)
        }
    }

    private let machine = Driver()

    private func framing(
        _ bytes: Int?, keepAlive: Bool = true, expects: Bool = false
    ) -> RequestFraming {
        RequestFraming(keepAlive: keepAlive, expectsContinue: expects, declaredBytes: bytes)
    }

    private func after(_ seconds: Int64) -> NIODeadline { Self.start + .seconds(seconds) }

    @Test func `a batch from its head to the next head`() {
        #expect(!machine { $0.admit(framing(10), now: Self.start) })
        #expect(machine { $0.bodyArrived(bytes: 10) } == .scan)
        #expect(machine { $0.endArrived(now: Self.start) } == .finish)
        machine { $0.offered(now: Self.start) }
        #expect(machine { $0.isAwaited })
        #expect(machine { $0.settle() } == .keep)
        #expect(machine { $0.answerWritten(now: Self.start) } == .goOn)
        #expect(machine { $0.phase } == .idle)
        #expect(!machine { $0.isAwaited })
    }

    @Test func `the idle time begins when the client has received its answer`() {
        machine { $0.forward(framing(0), now: Self.start) }
        #expect(machine { $0.endArrived(now: Self.start) } == .forward)
        #expect(machine { $0.routerAnswers() } == .keep)
        #expect(machine { $0.routerAnswerWritten(now: Self.start) } == .goOn)
        #expect(machine { $0.tick(now: after(60), wireBytes: 0) } == .close)
        machine { $0.sendingGoesOn(now: after(60)) }
        #expect(machine { $0.tick(now: after(119), wireBytes: 0) } == .nothing)
        #expect(machine { $0.tick(now: after(120), wireBytes: 0) } == .close)
    }

    @Test func `a 100 is sent only for a body`() {
        #expect(machine { $0.admit(framing(10, expects: true), now: Self.start) })
        let empty = Driver()
        let isContinueSent = empty { $0.admit(framing(0, expects: true), now: Self.start) }
        #expect(!isContinueSent)
    }

    @Test func `the router's client gets a 100 once the router reads its body`() {
        machine { $0.forward(framing(10, expects: true), now: Self.start) }
        // Until then the client is not too slow.
        #expect(machine { $0.tick(now: after(25), wireBytes: 0) } == .nothing)
        #expect(machine { $0.bodyWanted(now: after(25)) })
        #expect(!machine { $0.bodyWanted(now: after(25)) })
        #expect(machine { $0.tick(now: after(44), wireBytes: 0) } == .nothing)
        #expect(machine { $0.tick(now: after(45), wireBytes: 0) } == .answer(.body, .close))
        #expect(!machine { $0.bodyWanted(now: after(45)) })
    }

    @Test func `a router that answers without the body it was offered ends the connection`() {
        machine { $0.forward(framing(10, expects: true), now: Self.start) }
        #expect(machine { $0.routerAnswers() } == .close)
        #expect(!machine { $0.bodyWanted(now: Self.start) })
        #expect(machine { $0.routerAnswerWritten(now: Self.start) } == .linger)
    }

    @Test(arguments: [0, 10]) func `a client that sends already gets no 100`(
        bytes: Int
    ) {
        machine { $0.forward(framing(10, expects: true), now: Self.start) }
        machine { _ = $0.bodyArrived(bytes: bytes) }
        machine { _ = $0.endArrived(now: Self.start) }
        #expect(!machine { $0.bodyWanted(now: Self.start) })
        #expect(machine { $0.routerAnswers() } == .keep)
        let quiet = Driver()
        quiet { $0.forward(framing(10), now: Self.start) }
        let isContinueSent = quiet { $0.bodyWanted(now: Self.start) }
        #expect(!isContinueSent)
    }

    @Test(arguments: [
        (Int?.some(0), true, false, RequestStateMachine.Persistence.keep),
        (1000, true, false, .keep),
        (1001, true, false, .close), (nil, true, false, .close), (0, false, false, .close),
        (10, true, true, .close), (0, true, true, .keep),
    ])
    func `a refusal keeps the connection if the remainder is short and of known length`(
        bytes: Int?, keepAlive: Bool, expects: Bool, persistence: RequestStateMachine.Persistence
    ) {
        let framing = framing(bytes, keepAlive: keepAlive, expects: expects)
        #expect(machine { $0.refuse(framing, now: Self.start) } == persistence)
        let next = machine { $0.answerWritten(now: Self.start) }
        #expect(next == (persistence == .keep ? .goOn : .linger))
        #expect(machine { $0.bodyArrived(bytes: 1) } == .discard)
        #expect(machine { $0.isOpen } == (persistence == .keep))
    }

    @Test func `the rest of a refused body is discarded before the next request`() {
        machine { $0.refuse(framing(100), now: Self.start) }
        machine { $0.answerWritten(now: Self.start) }
        #expect(machine { $0.phase } == .settling)
        #expect(machine { $0.bodyArrived(bytes: 100) } == .discard)
        #expect(machine { $0.endArrived(now: Self.start) } == .nothing)
        #expect(machine { $0.phase } == .idle)
    }

    @Test func `a fault counts only the bytes still to come`() {
        machine { $0.admit(framing(5000), now: Self.start) }
        #expect(machine { $0.bodyArrived(bytes: 4000) } == .scan)
        #expect(machine { $0.settle() } == .keep)
        let other = Driver()
        other { $0.admit(framing(5000), now: Self.start) }
        other { $0.bodyArrived(bytes: 3999) }
        let persistence = other { $0.settle() }
        #expect(persistence == .close)
    }

    @Test func `an answer may be written after the end has arrived`() {
        machine { $0.admit(framing(5000), now: Self.start) }
        machine { $0.bodyArrived(bytes: 4500) }
        machine { $0.settle() }
        #expect(machine { $0.endArrived(now: Self.start) } == .nothing)
        #expect(machine { $0.phase } == .settling)
        #expect(machine { $0.answerWritten(now: Self.start) } == .goOn)
        #expect(machine { $0.phase } == .idle)
    }

    @Test func `the router's request ends when both sides have ended`() {
        machine { $0.forward(framing(5), now: Self.start) }
        #expect(machine { $0.bodyArrived(bytes: 5) } == .forward)
        #expect(machine { $0.routerAnswers() } == .keep)
        #expect(machine { $0.routerAnswerWritten(now: Self.start) } == .goOn)
        #expect(machine { $0.phase } == .forwarding)
        #expect(machine { $0.endArrived(now: Self.start) } == .forward)
        #expect(machine { $0.phase } == .idle)
    }

    @Test func `a drained connection ends with its request`() {
        machine { $0.forward(framing(5), now: Self.start) }
        machine { $0.routerAnswers() }
        machine { $0.routerAnswerWritten(now: Self.start) }
        machine { $0.drain(now: Self.start) }
        #expect(machine { $0.endArrived(now: Self.start) } == .linger)
        #expect(!machine { $0.isOpen })
    }

    @Test func `a drained connection has a second for its first request`() {
        machine { $0.drain(now: Self.start) }
        let justInTime = Self.start + .milliseconds(999)
        #expect(machine { $0.tick(now: justInTime, wireBytes: 0) } == .nothing)
        #expect(machine { $0.tick(now: after(1), wireBytes: 0) } == .close)
    }

    @Test func `a drained connection has 200 ms for its next request, which is the last`() {
        machine { $0.forward(framing(0), now: Self.start) }
        machine { $0.endArrived(now: Self.start) }
        machine { $0.routerAnswerWritten(now: Self.start) }
        machine { $0.drain(now: Self.start) }
        // A second call changes nothing.
        machine { $0.drain(now: after(5)) }
        let justInTime = Self.start + .milliseconds(199)
        #expect(machine { $0.tick(now: justInTime, wireBytes: 0) } == .nothing)
        var late = machine { $0 }
        #expect(late.tick(now: Self.start + .milliseconds(200), wireBytes: 0) == .close)
        machine { $0.forward(framing(0), now: justInTime) }
        #expect(machine { $0.routerAnswers() } == .close)
    }

    @Test func `a drained connection whose head has begun may send the rest`() {
        machine { $0.drain(now: Self.start) }
        #expect(machine { $0.tick(now: Self.start, wireBytes: 0) } == .nothing)
        #expect(machine { $0.tick(now: after(1), wireBytes: 7) } == .nothing)
        #expect(machine { $0.tick(now: after(2), wireBytes: 9) } == .nothing)
        #expect(machine { $0.tick(now: after(11), wireBytes: 9) } == .answerLateHead)
    }

    @Test func `a half-close waits for the answer`() {
        machine { $0.admit(framing(0), now: Self.start) }
        machine { $0.endArrived(now: Self.start) }
        machine { $0.offered(now: Self.start) }
        #expect(machine { $0.inputClosed(now: Self.start) } == .nothing)
        #expect(machine { $0.settle() } == .close)
        #expect(machine { $0.answerWritten(now: Self.start) } == .linger)
    }

    @Test func `a parse failure is answered once, and not into the router's answer`() {
        #expect(machine { $0.parseFailed() } == .answer)
        #expect(machine { $0.parseFailed() } == .nothing)
        let begun = Driver()
        begun { $0.forward(framing(nil), now: Self.start) }
        begun { $0.routerAnswers() }
        let action = begun { $0.parseFailed() }
        #expect(action == .linger)
    }

    @Test func `each stage has its time limit`() {
        #expect(machine { $0.tick(now: after(9), wireBytes: 0) } == .nothing)
        #expect(machine { $0.tick(now: after(10), wireBytes: 0) } == .close)

        let receiving = Driver()
        receiving { $0.admit(framing(9999), now: Self.start) }
        var actions = [receiving { $0.tick(now: after(19), wireBytes: 0) }]
        actions.append(receiving { $0.tick(now: after(20), wireBytes: 0) })
        #expect(actions == [.nothing, .answer(.body, .close)])

        let offered = Driver()
        offered { $0.admit(framing(0), now: Self.start) }
        offered { $0.endArrived(now: Self.start) }
        offered { $0.offered(now: Self.start) }
        actions = [offered { $0.tick(now: after(29), wireBytes: 0) }]
        actions.append(offered { $0.tick(now: after(30), wireBytes: 0) })
        #expect(actions == [.nothing, .answer(.acknowledgement, .keep)])

        let forwarding = Driver()
        forwarding { $0.forward(framing(10), now: Self.start) }
        actions = [forwarding { $0.tick(now: after(20), wireBytes: 0) }]
        #expect(actions == [.answer(.body, .close)])

        let lingering = Driver()
        lingering { $0.refuse(framing(nil), now: Self.start) }
        lingering { $0.answerWritten(now: Self.start) }
        actions = [lingering { $0.tick(now: after(4), wireBytes: 0) }]
        actions.append(lingering { $0.tick(now: after(5), wireBytes: 0) })
        #expect(actions == [.nothing, .close])
    }

    @Test func `a router that takes its time is not interrupted`() {
        machine { $0.forward(framing(0), now: Self.start) }
        machine { $0.endArrived(now: Self.start) }
        #expect(machine { $0.tick(now: after(1000), wireBytes: 0) } == .nothing)
    }

    @Test func `a body is late when its rate is too low from the start`() {
        machine { $0.admit(framing(nil), now: Self.start) }
        var actions: [RequestStateMachine.TickAction] = []
        for second in 1...30 {
            machine { $0.bodyArrived(bytes: 50) }
            actions.append(machine { $0.tick(now: after(Int64(second)), wireBytes: 0) })
        }
        // 50 bytes a second; from the twentieth second on, 100 are required.
        #expect(actions.allSatisfy { $0 == .nothing })
        for second in 31...60 {
            machine { $0.bodyArrived(bytes: 10) }
            actions.append(machine { $0.tick(now: after(Int64(second)), wireBytes: 0) })
        }
        #expect(actions.contains(.answer(.body, .close)))
    }
}
