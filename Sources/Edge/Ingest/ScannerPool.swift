import Readings
import Scanning

/// A scanner on loan to one request at a time.
final class PooledScanner {
    // One request has it at a time, on one thread.
    @exclusivity(unchecked) var scanner: BatchScanner
    fileprivate let senders: SenderCache

    fileprivate init(limits: ReadingLimits, senders: SenderCache) {
        scanner = BatchScanner(limits: limits, senders: senders)
        self.senders = senders
    }
}

/// The idle scanners of one event loop, so that idle connections hold none.
///
/// A request whose body comes in one piece holds one for microseconds: a loop mostly needs a
/// single one. What a burst of slow bodies needs beyond ``keptMax`` is freed when they are done.
struct ScannerPool {
    static let keptMax = 64

    private let limits: ReadingLimits
    /// The devices of late, for all scanners of the loop.
    private let senders: SenderCache
    private var idle: [PooledScanner] = []

    init(limits: ReadingLimits) {
        self.limits = limits
        senders = SenderCache(limits: limits)
    }

    mutating func take() -> PooledScanner {
        idle.popLast() ?? PooledScanner(limits: limits, senders: senders)
    }

    /// One of an earlier pool, with other limits, is not kept.
    mutating func give(_ scanner: PooledScanner) {
        guard scanner.senders === senders, idle.count < Self.keptMax else { return }
        idle.append(scanner)
    }
}
