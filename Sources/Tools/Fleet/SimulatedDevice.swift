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
        // Whoever names users has phones with an owner before, whose readings come a month late,
        // under the same id. Equal ones would be one: all users of an id are one device.
        let isFormer = profile.spelling == .mixed && number % 8 == 7
        let salt = Self.salt(number, profile)
        sentID = Self.identifier(isFormer ? Self.salt(number - 1, profile) : salt)
        id = sentID.lowercased()
        watchID = "watch-of-" + id
        // Mixed bodies name a user; others belong to the phone, and so do its watch's readings.
        userID = profile.spelling == .mixed ? "user-of-" + Self.identifier(salt) : id
        var purse = BitPurse(mixed(salt ^ 3))
        let skewMax = UInt64(profile.skewSecondsMax)
        traits = DeviceTraits(
            key: DeviceKey(of: id, user: userID),
            watchKey: DeviceKey(of: watchID, user: userID), salt: salt,
            skewSeconds: Int64(purse.take(below: 2 * skewMax + 1)) - Int64(skewMax)
                - (isFormer ? 30 * 86_400 : 0),
            homeLatitude: Int64(purse.take(below: 14_000_000)) - 7_000_000,
            homeLongitude: Int64(purse.take(below: 35_000_000)) - 17_500_000)
    }

    private static func salt(_ number: Int, _ profile: FleetProfile) -> UInt64 {
        mixed(profile.seed ^ mixed(UInt64(number) &+ 0xD1CE))
    }

    /// As `UUID().uuidString`.
    private static func identifier(_ salt: UInt64) -> String {
        let digits = hexadecimal(mixed(salt ^ 1)) + hexadecimal(mixed(salt ^ 2))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place == 8 || place == 12 || place == 16 || place == 20 { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

/// Sixteen upper-case digits.
private func hexadecimal(_ value: UInt64) -> String {
    let short = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - short.count) + short
}
