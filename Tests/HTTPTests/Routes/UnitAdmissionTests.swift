import Ingest
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct UnitAdmissionTests {
    private static func unit(_ payload: String) -> WorkUnit {
        WorkUnit(kind: TestSockets.kind, owner: "anna", payload: payload)
    }

    private static func eventually(_ condition: () -> Bool) async throws {
        #expect(try await TestSupport.eventually { condition() })
    }

    @Test func `each unit gets its own outcome, in whatever order outcomes arrive`() async throws {
        let sink = FakeSink(.hold)
        let desk = UnitAdmission(sink, within: .seconds(30))
        try await withThrowingTaskGroup(of: (String, UnitAdmission.Answer).self) { tasks in
            for number in 0..<50 {
                tasks.addTask { ("\(number)", await desk.commit(Self.unit("\(number)"))) }
            }
            try await Self.eventually { sink.heldUnits.count == 50 }
            for unit in sink.heldUnits {
                sink.finishHeldUnits(.committed(unit.payload), count: 1)
            }
            for try await (payload, answer) in tasks {
                #expect(answer == .settled(.committed(payload)))
            }
        }
        #expect(desk.count == 0)
    }

    @Test func `an answer that arrives before the offer returns is not lost`() async {
        let desk = UnitAdmission(HastySink(), within: .seconds(30))
        #expect(await desk.commit(Self.unit("a")) == .settled(.spooled))
        #expect(desk.count == 0)
    }

    @Test(arguments: [
        (Offer.full(retryAfter: .seconds(1)), RequestFailure.overloaded(retryAfter: .seconds(1))),
        (.shareUsedUp(retryAfter: .seconds(2)), .laneShareUsedUp(retryAfter: .seconds(2))),
        (.unavailable(retryAfter: .seconds(3)), .databaseUnavailable(retryAfter: .seconds(3))),
    ]) func `a unit that is not accepted is answered at once`(
        _ offer: Offer, _ failure: RequestFailure
    ) async {
        let desk = UnitAdmission(FakeSink(.answer(offer)), within: .seconds(30))
        #expect(await desk.commit(Self.unit("a")) == .turnedAway(failure))
        #expect(desk.count == 0)
    }

    @Test func `an answer is given up after the time limit, and ignored if it arrives later`()
        async throws
    {
        let sink = FakeSink(.hold)
        let desk = UnitAdmission(sink, within: .milliseconds(50))
        let clock = ContinuousClock.now
        #expect(await desk.commit(Self.unit("a")) == .late)
        #expect(ContinuousClock.now - clock >= .milliseconds(50))
        #expect(desk.count == 0)
        sink.finishHeldUnits(.committed("late"))
        // Late again if the machine stalls.
        let isInTime = try await TestSupport.eventually {
            async let next = desk.commit(Self.unit("b"))
            try await Self.eventually { sink.heldUnits.count == 1 }
            sink.finishHeldUnits(.committed("in time"))
            return await next == .settled(.committed("in time"))
        }
        #expect(isInTime)
    }
}
