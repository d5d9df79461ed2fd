/// Which of a user's captures are listed.
public struct CapturePage: Sendable, Equatable {
    /// A day in the user's time zone, `YYYY-MM-DD`; nil: all.
    public let date: String?
    /// 1 to ``limitMax``.
    public let limit: Int
    /// How many of the newest are skipped.
    public let offset: Int

    /// Captures of one answer.
    public static let limitMax = 100
    /// Captures of one answer unless the client says otherwise.
    public static let limitUsual = 50
    /// What can be skipped.
    public static let offsetMax = 1_000_000

    /// - Parameters:
    ///   - date: checked by ``MemoryQueries/isDate(_:)``.
    ///   - limit: 1 to ``limitMax``.
    ///   - offset: 0 to ``offsetMax``.
    public init(date: String?, limit: Int, offset: Int) {
        precondition(
            (1...Self.limitMax).contains(limit) && (0...Self.offsetMax).contains(offset),
            "BUG: limit=\(limit) offset=\(offset)")
        self.date = date
        self.limit = limit
        self.offset = offset
    }
}
