/// A file that was not stored.
public struct FileProblem: Error, Equatable, Sendable {
    /// The part's name.
    public let part: String
    /// The client's name for the file, cleaned for display.
    public let name: String
    /// Why not.
    public let fault: FileFault
}
