public import Readings
public import Scanner

/// The meaning of an accepted body, in the form in which two decoders are compared.
public struct DecodedBatch: Equatable, Sendable, CustomStringConvertible {
    /// Elements of `data`.
    public var received = 0
    /// How many of them were quarantined.
    public var quarantined = 0
    /// The first hundred quarantined readings.
    public var problems: [Problem] = []
    /// The names of metrics, in the order of their first valid readings.
    public var metricNames: [String] = []
    /// How many values are not read.
    public var ignoredCount = 0
    /// The first of their names, UTF-8.
    public var ignored: [[UInt8]] = []
    /// The envelope's device first, then the others in order of appearance.
    public var devices: [DecodedDevice] = []

    /// An empty batch, without devices.
    public init() {}

    /// The text that ``Difference`` shows.
    public var description: String {
        Difference.summary(of: .taken(self))
    }

    /// Rows of one kind over all devices.
    public func rowCount(of kind: ReadingKind) -> Int {
        devices.reduce(0) { $0 + $1[kind].count }
    }
}
