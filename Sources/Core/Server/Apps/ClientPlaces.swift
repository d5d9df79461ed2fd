/// A number of places for an app's clients, each of which needs files and memory. It is lowered if
/// the process may open too few files (``FileBudget``).
public struct ClientPlaces: Sendable {
    /// Its setting; nil if there is none.
    let key: String?
    /// The number.
    let field: Setting.Field<Int>
    /// With fewer, the app is of no use.
    let countMin: Int
    /// Open files of each.
    let files: Int
    /// Bytes of memory of each.
    let bytes: Int

    /// - Parameters:
    ///   - key: of its setting; nil if there is none.
    ///   - countMin: with fewer, the app is of no use.
    ///   - files: that each has open.
    ///   - bytes: memory that each takes.
    public init(
        _ key: String?, _ field: Setting.Field<Int>, countMin: Int, files: Int,
        bytes: Int = 0
    ) {
        self.key = key
        self.field = field
        self.countMin = countMin
        self.files = files
        self.bytes = bytes
    }
}
