import Synchronization

/// Counts wrong keys by address, so that nobody finds one by trying.
///
/// Behind a proxy all come from one address and share its tries. Keys that are shown in a header are
/// not counted: what can be tried there can be tried on every route.
final class WrongTries: Sendable {
    /// Of an address within ``window``.
    static let triesMax = 10
    static let window = Duration.seconds(60)
    /// Addresses that are remembered. With one more the one whose window ends first is forgotten.
    static let addressesMax = 4096

    private struct Count {
        var tries = 0
        let until: ContinuousClock.Instant
    }

    private let counts = Mutex<[ClientAddress?: Count]>([:])

    /// Counts a try as a wrong one before anything is known of it: of tries that are made at once no
    /// more get through than one after the other.
    ///
    /// - Returns: nil when it may be made, else how long until one may.
    func begin(
        _ address: ClientAddress?, now: ContinuousClock.Instant = .now
    ) -> Duration? {
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

    /// The try was not a wrong key after all.
    func takeBack(_ address: ClientAddress?) {
        counts.withLock { counts in
            guard let count = counts[address], count.tries > 0 else { return }
            counts[address]?.tries -= 1
        }
    }
}
