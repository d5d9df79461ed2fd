/// Two device ids with the same 64-bit key, as an attacker might make them: the first eight bytes
/// of both SHA-256 hashes are `f7681fe292395b15`.
///
/// Source: Pollard's rho with distinguished points over the hexadecimal form of 64-bit numbers;
/// 3·10⁹ hashes, two minutes on one core.
package enum ClashingIDs {
    /// The id with the lower `DeviceKey.check`.
    package static let first = "cf7b980871efa1a6"
    /// The id with the higher `DeviceKey.check`.
    package static let second = "a3b92e0893260f33"
    /// Both ids, the lower `DeviceKey.check` first.
    package static let all = [first, second]
}
