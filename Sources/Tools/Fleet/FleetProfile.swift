/// A simulated fleet of devices, as a pure function of a seed. No I/O and no state that grows.
///
/// Reading number `n` of device `d` is computed, never stored: its kind, time, values, spelling and
/// faults all follow from a hash of (seed, d, n). A load generator renders it as JSON when it sends
/// it. The oracle computes the same row again when it reads it from the database, and needs only
/// one byte of memory a reading for what was sent and answered.
///
/// A device counts *ticks*: tick `k` covers the interval `[k, k + 1)` of its own clock, which is
/// off by a skew. A reading's time is anywhere in its tick (jitter). So a time found in the
/// database leads back to the few readings that can have it.

public import Readings

/// The parameters of a fleet.
public struct FleetProfile: Sendable {
    /// Determines everything: two runs with one seed send the same bytes.
    public var seed: UInt64 = 1
    /// Number of devices; each sends batches of its own.
    public var devices = 1000
    /// Share of GPS readings in percent. Events are what GPS and vital readings leave of 100.
    public var gpsPercent = 50
    /// Share of vital readings in percent.
    public var vitalPercent = 40
    /// The time of every device's first reading, before its skew. A whole second.
    public var start: Timestamp
    /// Length of a tick in seconds of the device's clock.
    public var tickSeconds: Int64 = 5
    /// Readings that share a tick; with more than one, some have equal times.
    public var readingsPerTick = 1
    /// Whether half of the positions of mixed bodies have altitude, speed and course.
    public var hasDetails = true
    /// Maximum error of a device's clock in seconds, in either direction.
    public var skewSecondsMax: Int64 = 120
    /// Malformed readings per million, each with one of the faults of ``Malformation``.
    public var malformedPerMillion = 0
    /// Readings per million that name the device's watch in a `device_id` of their own.
    public var watchPerMillion = 0
    /// Events per million that carry `metadata`.
    public var eventMetadataPerMillion = 100_000
    /// How readings are written as JSON.
    public var spelling = Spelling.plain

    /// A thousand devices with plain spelling and without faults.
    public init(start: Timestamp) {
        self.start = start
    }

    /// The same with every spelling and fault, and readings of equal times.
    public static func rough(start: Timestamp) -> FleetProfile {
        var profile = FleetProfile(start: start)
        profile.spelling = .mixed
        profile.readingsPerTick = 3
        profile.malformedPerMillion = 10_000
        profile.watchPerMillion = 20_000
        return profile
    }

    /// How readings are written as JSON.
    public enum Spelling: Sendable, Equatable {
        /// One form, as compact as Foundation's encoder writes it, with the keys in the order of
        /// the API's sample request. It is the cheapest to make and serves to measure throughput.
        case plain
        /// Everything that the API accepts: key orders, spaces, escapes, time forms, numbers in
        /// strings, 17 digits, nulls, unknown keys.
        case mixed
    }
}
