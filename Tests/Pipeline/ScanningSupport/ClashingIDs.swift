/// Two device ids with one 64-bit key, as somebody makes them who wants to: the first eight bytes of
/// their SHA-256 are `f7681fe292395b15`.
///
/// Source: Pollard's rho with distinguished points over the hexadecimal form of 64-bit numbers; 3·10⁹
/// hashes, two minutes of one core.
package enum ClashingIDs {
    /// Of the two, the one whose `DeviceKey.check` is lower.
    package static let first = "cf7b980871efa1a6"
    /// The other.
    package static let second = "a3b92e0893260f33"
    /// Both.
    package static let all = [first, second]
}
