/// Which rows of the quarantine a command is about; what is not set doesn't narrow it.
public struct QuarantineFilter: Sendable, Equatable {
    /// First hexadecimal digits of digests; a row matches one of them.
    public var ids: [String] = []
    /// The device that sent it, in any case.
    public var deviceID: String?
    /// As ``Readings/QuarantineReason`` spells it.
    public var reason: String?

    /// Every row.
    public init() {}

    /// Whether it leaves nothing out.
    public var isEverything: Bool {
        ids.isEmpty && deviceID == nil && reason == nil
    }
}
