import Readings
import Scanning

/// A scanner on loan to one request at a time.
final class PooledScanner {
    var scanner: BatchScanner

    init(limits: ReadingLimits) {
        scanner = BatchScanner(limits: limits)
    }
}

/// The idle scanners of one event loop, so that idle connections hold none.
///
/// A request whose body comes in one piece holds one for microseconds: a loop mostly needs a
/// single one. What a burst of slow bodies needs beyond ``keptMax`` is freed when they are done.
struct ScannerPool {
    static let keptMax = 64

    private let limits: ReadingLimits
    private var idle: [PooledScanner] = []

    init(limits: ReadingLimits) {
        self.limits = limits
    }

    mutating func take() -> PooledScanner {
        idle.popLast() ?? PooledScanner(limits: limits)
    }

    mutating func give(_ scanner: PooledScanner) {
        if idle.count < Self.keptMax { idle.append(scanner) }
    }
}
