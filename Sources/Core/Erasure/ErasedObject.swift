/// The content of an uploaded file whose rows were removed.
public struct ErasedObject: Hashable, Sendable {
    /// Its name in the file store.
    public let name: String
    /// Its size in bytes.
    public let bytes: Int
}
