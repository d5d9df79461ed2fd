import Readings
import Scanner

/// A scanner that is lent to one request at a time.
final class PooledScanner {
    // One request uses it at a time, on one thread.
    @exclusivity(unchecked) var scanner: BatchScanner
    let senders: SenderCache

    init(limits: ReadingLimits, senders: SenderCache) {
        scanner = BatchScanner(limits: limits, senders: senders)
        self.senders = senders
    }
}
