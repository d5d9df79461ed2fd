import Foundation
import Testing

@testable import Gemini

/// When the next request may be sent.
struct BudgetTests {
    @Test func `a budget is restored after a minute and after a day`() {
        let start = ContinuousClock.now
        let budget = GeminiBudget(perMinuteMax: 2, perDayMax: 3, now: start)
        #expect(budget.take(now: start) == nil)
        #expect(budget.take(now: start + .seconds(20)) == nil)
        #expect(budget.take(now: start + .seconds(30)) == .seconds(30))
        #expect(budget.take(now: start + .seconds(60)) == nil)
        #expect(budget.take(now: start + .seconds(200)) == .seconds(86_200))
        #expect(budget.take(now: start + .seconds(86_400)) == nil)
    }

    @Test(arguments: [
        ("7", 7.0), (" 7 ", 7), ("999999999999999999999", 86_400),
        ("Sat, 24 Jan 2026 15:30:30 GMT", 30), ("Sat, 24 Jan 2026 15:29:00 GMT", 0),
    ])
    func `Retry-After is seconds or a date`(_ header: String, _ seconds: Double) throws {
        let now = try #require(
            Calendar(identifier: .gregorian).date(
                from: DateComponents(
                    timeZone: .gmt, year: 2026, month: 1, day: 24, hour: 15, minute: 30)))
        #expect(RetryAfter.wait(header, now: now) == .seconds(seconds))
        #expect(RetryAfter.wait("soon") == nil)
        #expect(RetryAfter.wait("Sat, 24 Jan 2026 15:30:30 CET", now: now) == nil)
        #expect(RetryAfter.wait("-1") == nil)
        #expect(RetryAfter.wait(nil) == nil)
    }
}
