/// How far an export is, and what it has done in the end.
public struct ExportProgress: Sendable, Equatable {
    /// Rows, or positions of tracks.
    public internal(set) var rows = 0
    /// Bytes of output.
    public internal(set) var bytes = 0
    /// Days or devices that are done; devices are counted as they come, so that there is no ``parts``.
    public internal(set) var partsDone = 0
    /// How many days there are; nil: not known, or one go.
    public internal(set) var parts: Int?
    /// The day or device it is at.
    public internal(set) var part = ""
}
