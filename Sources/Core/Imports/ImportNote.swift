/// What the reader of a report should know about a file that was read to its end.
public enum ImportNote: Hashable, Sendable {
    /// A CSV whose last row has no line break, and where that row begins. The row is imported. If
    /// the file was cut in its last cell, nothing else tells so.
    case noLineBreak(path: String, line: Int)
    /// Files in a zip that were not read, because their names are not those of a known form.
    case otherFiles(path: String, count: Int)
}

extension ImportNote: CustomStringConvertible {
    /// A sentence without its end.
    public var description: String {
        switch self {
        case .noLineBreak(let path, let line):
            "\(path):\(line): the last line has no line break; if the file was cut there, its last "
                + "value is wrong"
        case .otherFiles(let path, let count):
            "\(path): \(count) other \(count == 1 ? "file" : "files") in the zip not read"
        }
    }
}
