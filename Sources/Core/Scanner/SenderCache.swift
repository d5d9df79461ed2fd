public import Readings

/// Recent envelopes. A device that posts again sends the same bytes, so there is nothing to parse,
/// to lower-case or to hash.
///
/// Shared by the scanners of one thread, all with the same limits. All bytes of an envelope are
/// compared. An envelope has four possible places; when all are taken, a new one replaces one of
/// them. Envelopes of more than ``envelopeBytesMax`` and those with a `}` before their last byte
/// are not kept.
///
/// - Memory: 64 KiB, and at most 1 KiB for each used place, so 4 MiB; mostly a third of that.
public final class SenderCache {
    static let placeCount = 4096
    static let envelopeBytesMax = 256
    /// Places for envelopes of the same hash.
    private static let ways = 4

    let limits: ReadingLimits
    /// A pointer, without exclusivity checks: they would cost as much as the rest, and nothing here
    /// is used while it changes.
    private let places: UnsafeMutablePointer<Place>

    private struct Place {
        var hash: UInt64 = 0
        var sender: Sender?
    }

    /// - Parameter limits: the same as those of every scanner that uses the cache.
    public init(limits: ReadingLimits) {
        self.limits = limits
        places = .allocate(capacity: Self.placeCount)
        places.initialize(repeating: Place(), count: Self.placeCount)
    }

    deinit {
        places.deinitialize(count: Self.placeCount)
        places.deallocate()
    }

    /// The range of an envelope that can be kept, and the hash that selects its places.
    struct Candidate {
        let range: Range<Int>
        let hash: UInt64
        /// The first of its places.
        var firstPlace: Int { Int(hash >> 54) * SenderCache.ways }
    }

    /// - Parameter start: index of the envelope's `{`.
    /// - Returns: nil when it is too long or incomplete.
    func candidate(in window: Window, at start: Int) -> Candidate? {
        var index = start
        var hash = 0 as UInt64
        let limit = min(window.end, start + Self.envelopeBytesMax)
        while index < limit {
            var word = window.load64(index).littleEndian
            // The lowest high bit that is set belongs to the first `}`.
            let others = word ^ 0x7D7D_7D7D_7D7D_7D7D
            let found =
                (others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080
            guard found != 0 else {
                hash = Self.mixed(hash ^ word)
                index &+= 8
                continue
            }
            let bits = found.trailingZeroBitCount + 1
            if bits < 64 { word &= 1 << UInt64(bits) &- 1 }
            hash = Self.mixed(hash ^ word)
            let end = index + bits / 8
            guard end <= limit else { return nil }
            return Candidate(range: start..<end, hash: hash)
        }
        return nil
    }

    /// The upper 10 bits select the places.
    @inline(always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 29
    }

    /// The sender whose envelope has exactly these bytes, if known.
    func sender(of candidate: Candidate, in window: Window) -> Sender? {
        let first = candidate.firstPlace
        for index in first..<first + Self.ways where places[index].hash == candidate.hash {
            if let sender = places[index].sender,
                window.holds(sender.envelope, at: candidate.range)
            {
                return sender
            }
        }
        return nil
    }

    /// Remembers the sender of a valid envelope.
    func keep(_ sender: Sender, for candidate: Candidate) {
        precondition(
            sender.envelope.count == candidate.range.count, "BUG: kept without its envelope")
        let first = candidate.firstPlace
        let free = (first..<first + Self.ways).first { places[$0].sender == nil }
        // Any of them, by bits of the hash that are not used yet.
        let index = free ?? first + Int(candidate.hash & UInt64(Self.ways - 1))
        places[index] = Place(hash: candidate.hash, sender: sender)
    }
}
