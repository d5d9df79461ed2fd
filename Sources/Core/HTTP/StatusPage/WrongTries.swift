import Auth
import Encodings
import Synchronization

/// Counts wrong keys by address, so that whoever tries many is told to stop.
///
/// A right key always opens, also from an address with too many wrong ones: behind a proxy all
/// clients have one address, and nobody may lock the operator out. So this does not make a key hard
/// to guess; its length does. Keys in a header, which every route takes, are not counted either.
final class WrongTries: Sendable {
    /// Tries of one address within ``window``.
    static let triesMax = 10
    static let window = Duration.seconds(60)
    /// Addresses remembered; one more replaces the one whose window ends first.
    static let addressesMax = 4096

    private struct Count {
        var tries = 0
        let until: ContinuousClock.Instant
    }

    private let counts = Mutex<[ClientAddress?: Count]>([:])

    /// Counts a wrong key.
    ///
    /// - Returns: the time until one more may be tried, if this was one too many.
    func count(_ address: ClientAddress?, now: ContinuousClock.Instant = .now) -> Duration? {
        counts.withLock { counts in
            if let count = counts[address], count.until > now {
                guard count.tries < Self.triesMax else { return count.until - now }
                counts[address]?.tries += 1
                return nil
            }
            if counts.count >= Self.addressesMax { counts = counts.filter { $0.value.until > now } }
            if counts.count >= Self.addressesMax,
                let first = counts.min(by: { $0.value.until < $1.value.until })
            {
                counts[first.key] = nil
            }
            counts[address] = Count(tries: 1, until: now + Self.window)
            return nil
        }
    }
}
