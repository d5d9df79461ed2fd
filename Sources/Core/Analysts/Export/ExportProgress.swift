import Glibc

/// Progress of an export, and its result at the end.
public struct ExportProgress: Sendable, Equatable {
    /// Rows, or positions of tracks.
    public internal(set) var rows = 0
    /// Bytes of output.
    public internal(set) var bytes = 0
    /// Days or devices that are done. Devices are not counted beforehand, so for tracks ``parts``
    /// is nil.
    public internal(set) var partsDone = 0
    /// Total number of days; nil: unknown, or the table is read with one statement.
    public internal(set) var parts: Int?
    /// The current day or device.
    public internal(set) var part = ""
}
