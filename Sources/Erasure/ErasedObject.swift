/// The content of an uploaded file that no row of the user names any more.
public struct ErasedObject: Hashable, Sendable {
    /// What the store calls it.
    public let name: String
    /// Its size.
    public let bytes: Int
}
