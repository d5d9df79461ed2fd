/// Which rejected units a command is about; what is not set doesn't narrow it.
public struct RejectedUnitFilter: Sendable, Equatable {
    /// First hexadecimal digits of digests; a row matches one of them.
    public var ids: [String] = []
    /// Such as `capture` or `meal_log.natural`.
    public var kind: String?
    /// Such as `refused_by_database`.
    public var reason: String?

    /// Every row.
    public init() {}

    /// Whether it leaves nothing out.
    public var isEverything: Bool { ids.isEmpty && kind == nil && reason == nil }
}
