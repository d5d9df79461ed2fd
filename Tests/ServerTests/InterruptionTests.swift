import Logging
import Synchronization
import Testing

@testable import Server

@Suite struct InterruptionTests {
    private final class Moments: Sendable {
        private let current = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { current.withLock { $0 } }

        func pass(_ duration: Duration) {
            current.withLock { $0 += duration }
        }
    }

    private let moments = Moments()

    private func interruption() -> Interruption {
        let moments = moments
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        return Interruption(logger: logger) { moments.now }
    }

    @Test func `two signals at once count as one`() {
        let interruption = interruption()
        interruption.request()
        moments.pass(.milliseconds(1))
        interruption.request()
        #expect(interruption.isRequested)
        #expect(!interruption.isHurried)
    }

    @Test func `a second signal after a moment forces the stop`() {
        let interruption = interruption()
        interruption.request()
        moments.pass(Interruption.apartMin)
        interruption.request()
        #expect(interruption.isHurried)
    }

    @Test func `a burst of signals counts as one`() {
        let interruption = interruption()
        for _ in 0..<100 {
            interruption.request()
            moments.pass(.milliseconds(50))
        }
        #expect(!interruption.isHurried)
    }
}
