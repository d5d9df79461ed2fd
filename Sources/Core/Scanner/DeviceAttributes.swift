/// A device's attributes, from the envelope.
public struct DeviceAttributes: Hashable, Sendable {
    /// nil if the batch has none: the stored value stays.
    public let modelName: String?
    /// The version of the device's software; nil as for ``modelName``.
    public let version: String?

    /// Stores the values unchecked.
    public init(modelName: String?, version: String?) {
        self.modelName = modelName
        self.version = version
    }
}
