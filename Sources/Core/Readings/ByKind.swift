/// A value for each kind of readings, in place.
@frozen
public struct ByKind<Element: ~Copyable>: ~Copyable {
    // If the kind is known, these cost least.
    /// The value for positions.
    public var gps: Element
    /// The value for measurements.
    public var vital: Element
    /// The value for events.
    public var event: Element

    /// - Parameter make: called once for each kind.
    @inlinable
    public init(_ make: (ReadingKind) -> Element) {
        gps = make(.gps)
        vital = make(.vital)
        event = make(.event)
    }

    /// The value of that kind.
    @inlinable @inline(__always)
    public subscript(kind: ReadingKind) -> Element {
        _read {
            switch kind {
            case .gps: yield gps
            case .vital: yield vital
            case .event: yield event
            }
        }
        _modify {
            switch kind {
            case .gps: yield &gps
            case .vital: yield &vital
            case .event: yield &event
            }
        }
    }
}

extension ByKind: Copyable where Element: Copyable {
    /// The same for all kinds.
    @inlinable
    public init(repeating element: Element) { self.init { _ in element } }
}

extension ByKind: Sendable where Element: Sendable & ~Copyable {}
