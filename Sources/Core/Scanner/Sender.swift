import Readings

/// A device of a user, as an envelope or a reading names it. Immutable, and shared by the batches
/// with the same envelope.
final class Sender: Sendable {
    /// Lower-cased.
    let deviceID: String
    let idKey: DeviceIDKey
    /// The envelope's user; where it names none, the envelope's device id.
    let userID: String
    /// Whether the user is named. One who is called like the device may be.
    let namesUser: Bool
    let key: DeviceKey
    /// nil when a reading names the device.
    let attributes: DeviceAttributes?
    /// What the envelope says and nothing reads.
    let ignored: IgnoredFields
    /// The envelope's bytes if ``SenderCache`` keeps the sender, else empty.
    let envelope: [UInt8]

    /// - Parameters:
    ///   - idKey: that of `deviceID`.
    ///   - namesUser: false: `userID` stands for a user who is not named.
    ///   - key: nil: that of `deviceID` and `userID`.
    init(
        deviceID: String, idKey: DeviceIDKey, userID: String, namesUser: Bool,
        key: DeviceKey? = nil,
        attributes: DeviceAttributes? = nil, ignored: IgnoredFields = IgnoredFields(),
        envelope: [UInt8] = []
    ) {
        self.deviceID = deviceID
        self.idKey = idKey
        self.userID = userID
        self.namesUser = namesUser
        self.key = key ?? DeviceKey(of: deviceID, idKey, user: userID)
        self.attributes = attributes
        self.ignored = ignored
        self.envelope = envelope
    }

    var withoutAttributes: Sender {
        Sender(
            deviceID: deviceID, idKey: idKey, userID: userID, namesUser: namesUser, key: key)
    }
}
