import Readings
import Scanner

/// The idle scanners of one event loop, so that idle connections hold none.
///
/// A request whose body comes in one piece holds a scanner for microseconds, so a loop mostly needs
/// a single one. Scanners beyond ``keptMax``, which a burst of slow bodies needs, are freed
/// afterwards.
struct ScannerPool {
    static let keptMax = 64

    let limits: ReadingLimits
    /// The devices seen recently, shared by all scanners of the loop.
    private let senders: SenderCache
    private var idle: [PooledScanner] = []

    init(limits: ReadingLimits) {
        self.limits = limits
        senders = SenderCache(limits: limits)
    }

    mutating func take() -> PooledScanner {
        idle.popLast() ?? PooledScanner(limits: limits, senders: senders)
    }

    /// A scanner of an earlier pool, which has other limits, is not kept.
    mutating func give(_ scanner: PooledScanner) {
        guard scanner.senders === senders, idle.count < Self.keptMax else { return }
        idle.append(scanner)
    }
}
