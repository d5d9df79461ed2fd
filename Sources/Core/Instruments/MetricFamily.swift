import Synchronization

/// Instruments of one name that differ in the value of one label, for a fixed set of keys.
///
/// Other keys share the series with the value `other`, so no client can add a series.
///
/// - Complexity: a lookup is one hash; where the key is known beforehand, keep the instrument.
public struct MetricFamily<Key: Hashable & Sendable, Instrument: Sendable>: Sendable {
    private let instruments: [Key: Instrument]
    private let other: Instrument

    init(instruments: [Key: Instrument], other: Instrument) {
        self.instruments = instruments
        self.other = other
    }

    /// The key's own instrument, or the shared one for unknown keys.
    public subscript(key: Key) -> Instrument {
        instruments[key] ?? other
    }
}
