/// Two device ids that have, for these users, the same 64-bit key, as an attacker might make them.
///
/// The first eight bytes of the SHA-256 hashes of both ids are `f7681fe292395b15`, so the keys of
/// the ids alone are the same too.
///
/// Source: the ids come from Pollard's rho with distinguished points over the hexadecimal form of
/// 64-bit numbers (3·10⁹ hashes, two minutes on one core), the users from trying 200,000 for one id
/// and then some for the other.
package enum ClashingIDs {
    /// The id with the lower `DeviceKey.check`.
    package static let first = "cf7b980871efa1a6"
    /// The id with the higher `DeviceKey.check`.
    package static let second = "a3b92e0893260f33"
    /// Both ids, the lower `DeviceKey.check` first.
    package static let all = [first, second]
    /// The user of each.
    package static let users = ["user-16408", "owner-86309"]
}
