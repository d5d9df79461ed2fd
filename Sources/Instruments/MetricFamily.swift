/// Instruments of one name that differ in the value of one label, for a set of keys that is fixed
/// when it is made.
///
/// A key outside that set finds the series with the value `other`, so that nothing a client sends
/// can add a series.
///
/// - Complexity: a lookup is one hash; keep the instrument where the key is known beforehand.
public struct MetricFamily<Key: Hashable & Sendable, Instrument: Sendable>: Sendable {
    private let instruments: [Key: Instrument]
    private let other: Instrument

    init(instruments: [Key: Instrument], other: Instrument) {
        self.instruments = instruments
        self.other = other
    }

    /// The key's own instrument, or the one for all others.
    public subscript(key: Key) -> Instrument {
        instruments[key] ?? other
    }
}
