public import Readings

/// One phone and the watch that sends through it.
public struct SimulatedDevice: Sendable {
    /// As the phone writes it: upper case, as `UUID().uuidString` is.
    public let sentID: String
    /// As it is stored.
    public let id: String
    /// The `device_id` of the watch that sends through it.
    public let watchID: String
    /// What its readings follow from.
    public let traits: DeviceTraits

    init(number: Int, profile: FleetProfile) {
        let salt = mixed(profile.seed ^ mixed(UInt64(number) &+ 0xD1CE))
        let digits = hexadecimal(mixed(salt ^ 1)) + hexadecimal(mixed(salt ^ 2))
        var sent = ""
        for (place, digit) in digits.enumerated() {
            if place == 8 || place == 12 || place == 16 || place == 20 { sent.append("-") }
            sent.append(digit)
        }
        sentID = sent
        id = sent.lowercased()
        watchID = "watch-of-" + id
        var purse = BitPurse(mixed(salt ^ 3))
        let skewMax = UInt64(profile.skewSecondsMax)
        traits = DeviceTraits(
            key: DeviceKey(of: id), watchKey: DeviceKey(of: watchID), salt: salt,
            skewSeconds: Int64(purse.take(below: 2 * skewMax + 1)) - Int64(skewMax),
            homeLatitude: Int64(purse.take(below: 14_000_000)) - 7_000_000,
            homeLongitude: Int64(purse.take(below: 35_000_000)) - 17_500_000)
    }
}

/// What the readings of a device follow from; apart from its texts, so that making a reading
/// counts no references.
public struct DeviceTraits: Sendable {
    /// The key of its rows.
    public let key: DeviceKey
    /// The key of its watch's rows.
    public let watchKey: DeviceKey
    /// What its readings' hashes start from.
    let salt: UInt64
    /// What its clock is off by.
    let skewSeconds: Int64
    /// Where it lives, in 10⁻⁵ degrees.
    let homeLatitude: Int64
    let homeLongitude: Int64
}

/// Sixteen upper-case digits.
private func hexadecimal(_ value: UInt64) -> String {
    let short = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - short.count) + short
}
