import Synchronization

/// A number of places, such as those of clients that upload or download a file, of which each
/// holder has a share (``SharedPlaces``).
public final class PlaceCounter<Holder: Hashable & Sendable>: Sendable {
    private let places: Mutex<SharedPlaces<Holder>>

    /// - Parameter max: how many places there are; greater than zero.
    public init(max: Int) { places = Mutex(SharedPlaces(max: max)) }

    /// Returned when the last reference to it is released.
    public final class Place: Sendable {
        private let counter: PlaceCounter
        private let holder: Holder?

        fileprivate init(_ counter: PlaceCounter, _ holder: Holder?) {
            self.counter = counter
            self.holder = holder
        }

        deinit {
            counter.places.withLock { $0.giveBack(holder) }
        }
    }

    /// Takes a place.
    ///
    /// - Parameter holder: nil if it is unknown; such holders have no share.
    public func take(_ holder: Holder?) throws(SharedPlaces<Holder>.Refusal) -> Place {
        if let refusal = places.withLock({ $0.take(holder) }) { throw refusal }
        return Place(self, holder)
    }

    /// Places that are taken.
    public var count: Int { places.withLock { $0.taken } }
}
