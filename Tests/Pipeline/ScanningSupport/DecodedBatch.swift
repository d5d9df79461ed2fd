public import Readings
public import Scanning

/// What a body that is taken means: the form in which two decoders are compared.
public struct DecodedBatch: Equatable, Sendable, CustomStringConvertible {
    /// Elements of `data`.
    public var received = 0
    /// How many of them were set aside.
    public var quarantined = 0
    /// The first hundred quarantined readings.
    public var problems: [Problem] = []
    /// The envelope's device first, then the others as they first appeared.
    public var devices: [DecodedDevice] = []

    /// Nothing received, and nobody's yet.
    public init() {}

    /// As ``Difference`` shows it.
    public var description: String {
        Difference.summary(of: .taken(self))
    }

    /// Rows of one kind over all devices.
    public func rowCount(of kind: ReadingKind) -> Int {
        devices.reduce(0) { $0 + $1[kind].count }
    }
}
