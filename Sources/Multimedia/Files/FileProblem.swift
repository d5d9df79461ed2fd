/// A file that was not stored.
public struct FileProblem: Error, Equatable, Sendable {
    /// The part's name.
    public let part: String
    /// What the client calls the file, cleaned for display.
    public let name: String
    /// Why not.
    public let fault: FileFault
}
