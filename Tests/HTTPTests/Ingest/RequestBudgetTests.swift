import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct RequestBudgetTests {
    private let start = NIODeadline.uptimeNanoseconds(0)

    @Test func `no more is reserved than the budget has`() {
        let budget = RequestBudget(bytesMax: 100, now: start)
        #expect(budget.reserve(60))
        #expect(!budget.reserve(41))
        #expect(budget.reserve(40))
        budget.release(60)
        #expect(budget.inFlightBytes == 40)
    }

    @Test func `the wait is what is in flight at the measured rate`() {
        let budget = RequestBudget(bytesMax: 100_000, now: start)
        #expect(budget.drainTime == .seconds(5))
        #expect(budget.reserve(30_000))
        budget.release(20_000)
        budget.measure(now: start + .seconds(2))
        // 10 000 bytes a second, 10 000 bytes in flight.
        #expect(budget.drainTime == .seconds(1))
        #expect(budget.reserve(90_000))
        #expect(budget.drainTime == .seconds(10))
        for second in Int64(3)...40 { budget.measure(now: start + .seconds(second)) }
        #expect(budget.drainTime == .seconds(30))
    }

    @Test func `an idle time does not reset the rate`() {
        let budget = RequestBudget(bytesMax: 100_000, now: start)
        #expect(budget.reserve(20_000))
        budget.release(20_000)
        for second in Int64(2)...60 { budget.measure(now: start + .seconds(second)) }
        #expect(budget.reserve(50_000))
        #expect(budget.drainTime == .seconds(5))
        budget.release(50_000)
    }

    @Test func `all threads together get no more than the budget`() async {
        let budget = RequestBudget(bytesMax: 1000, now: start)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<1000).count { _ in budget.reserve(1) } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 1000)
    }
}
