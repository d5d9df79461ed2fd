import Readings

/// A device, as an envelope or a reading names it. Immutable, and shared by the batches that begin
/// with the same envelope.
final class Sender: Sendable {
    /// Lower-cased.
    let deviceID: String
    let key: DeviceKey
    /// nil when a reading names the device.
    let attributes: DeviceAttributes?
    /// The envelope's bytes where ``SenderCache`` knows the device by them, else empty.
    let envelope: [UInt8]

    init(
        deviceID: String, key: DeviceKey, attributes: DeviceAttributes? = nil,
        envelope: [UInt8] = []
    ) {
        self.deviceID = deviceID
        self.key = key
        self.attributes = attributes
        self.envelope = envelope
    }
}
