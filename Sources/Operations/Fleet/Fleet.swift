/// What a fleet of devices says, as a pure function of a seed. No I/O and no state that grows.
///
/// Reading number `n` of device `d` is computed, never stored: its kind, time, values, spelling and
/// faults all follow from a hash of (seed, d, n). So a load generator renders it as JSON when it
/// sends it, and the oracle computes the very same row again when it meets it in the database,
/// with one byte of memory a reading for what was sent and answered.
///
/// A device counts *ticks*: tick `k` covers the interval `[k, k + 1)` of its own clock, which
/// is off by a skew. A reading's time stands anywhere in its tick (jitter), so a time found in the
/// database leads back to the few readings that can have it.

public import Readings

/// The numbers that make one fleet different from another.
public struct FleetProfile: Sendable {
    /// Everything follows from it; two runs with one seed send the same bytes.
    public var seed: UInt64 = 1
    /// How many; each sends batches of its own.
    public var devices = 1000
    /// Shares of the kinds, in percent; events get what is left.
    public var gpsPercent = 50
    /// See ``gpsPercent``.
    public var vitalPercent = 40
    /// The time of every device's first reading, before its skew. A whole second.
    public var start: Timestamp
    /// Seconds of a device's clock between two ticks.
    public var tickSeconds: Int64 = 5
    /// Readings that share a tick; with more than one, some have equal times.
    public var readingsPerTick = 1
    /// A device's clock is off by up to this many seconds, either way.
    public var skewSecondsMax: Int64 = 120
    /// Of a million readings, how many are malformed, each in one of ``Malformation``'s ways.
    public var malformedPerMillion = 0
    /// Of a million readings, how many name the device's watch as their own `device_id`.
    public var watchPerMillion = 0
    /// Of a million events, how many carry `metadata`.
    public var eventMetadataPerMillion = 100_000
    /// How readings are written down.
    public var spelling = Spelling.plain

    /// A thousand devices of plain spelling without faults.
    public init(start: Timestamp) {
        self.start = start
    }

    /// How readings are written down.
    public enum Spelling: Sendable, Equatable {
        /// One form, as compact as Foundation's encoder writes it, keys in the order of the seed's
        /// sample: the cheapest to make, for throughput.
        case plain
        /// Everything that the contract accepts: key orders, spaces, escapes, time forms, numbers
        /// in strings, 17 digits, nulls, unknown keys.
        case mixed
    }
}
