public import Readings

/// The values from which a device's readings are computed. They are separate from its strings, so
/// that making a reading needs no reference counting.
public struct DeviceTraits: Sendable {
    /// The key in the device's rows.
    public let key: DeviceKey
    /// The key in the watch's rows.
    public let watchKey: DeviceKey
    /// Start of the hashes of its readings.
    let salt: UInt64
    /// Error of its clock.
    let skewSeconds: Int64
    /// Where it is based, in 10⁻⁵ degrees.
    let homeLatitude: Int64
    let homeLongitude: Int64
}
