import Readings

/// A phone, and the watch that sends through it.
public struct SimulatedDevice: Sendable {
    /// The id as the phone sends it: upper case, like `UUID().uuidString`.
    public let sentID: String
    /// The id as it is stored.
    public let id: String
    /// The `device_id` of the watch that sends through it.
    public let watchID: String
    /// Whose readings they are.
    public let userID: String
    /// The values from which its readings are computed.
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
        // Mixed bodies name a user; others belong to the phone, and so do its watch's readings.
        userID = profile.spelling == .mixed ? "user-of-" + sent : id
        var purse = BitPurse(mixed(salt ^ 3))
        let skewMax = UInt64(profile.skewSecondsMax)
        traits = DeviceTraits(
            key: DeviceKey(of: id, user: userID),
            watchKey: DeviceKey(of: watchID, user: userID), salt: salt,
            skewSeconds: Int64(purse.take(below: 2 * skewMax + 1)) - Int64(skewMax),
            homeLatitude: Int64(purse.take(below: 14_000_000)) - 7_000_000,
            homeLongitude: Int64(purse.take(below: 35_000_000)) - 17_500_000)
    }
}

/// Sixteen upper-case digits.
private func hexadecimal(_ value: UInt64) -> String {
    let short = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - short.count) + short
}
