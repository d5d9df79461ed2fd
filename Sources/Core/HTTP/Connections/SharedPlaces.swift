/// A number of places of one kind, and who holds them.
///
/// Each holder may have four times as many as are free, which is four fifths of all if nobody else
/// has any. So there is always a place for another holder, until as many holders as there are
/// places share them.
public struct SharedPlaces<Holder: Hashable> {
    /// Why a place is not given.
    public enum Refusal: Error, Equatable {
        /// All places are taken.
        case full
        /// The holder has its share; others may take a place.
        case shareUsedUp
    }

    /// The rule of ``KeyLimits/reserve(_:free:)``.
    private static var shareOfFree: Int { 4 }

    let max: Int
    private(set) var taken = 0
    private var holders: [Holder: Int] = [:]

    init(max: Int) {
        precondition(max > 0, "BUG: max=\(max)")
        self.max = max
    }

    /// Takes a place. Balance with ``giveBack(_:)`` if the result is nil.
    ///
    /// - Parameter holder: nil if it is unknown; such holders have no share.
    mutating func take(_ holder: Holder?) -> Refusal? {
        if let refusal = refusal(for: holder) { return refusal }
        taken += 1
        if let holder { holders[holder, default: 0] += 1 }
        return nil
    }

    /// Why ``take(_:)`` would fail; nil if it would not.
    func refusal(for holder: Holder?) -> Refusal? {
        guard taken < max else { return .full }
        guard let own = holder.flatMap({ holders[$0] }) else { return nil }
        return own + 1 <= Self.shareOfFree * (max - taken - 1) ? nil : .shareUsedUp
    }

    mutating func giveBack(_ holder: Holder?) {
        precondition(taken > 0, "BUG: a place that nobody took")
        taken -= 1
        guard let holder else { return }
        guard let own = holders[holder] else {
            preconditionFailure("BUG: a place that the holder did not take")
        }
        holders[holder] = own > 1 ? own - 1 : nil
    }

    func count(of holder: Holder?) -> Int { holder.flatMap { holders[$0] } ?? 1 }
}
