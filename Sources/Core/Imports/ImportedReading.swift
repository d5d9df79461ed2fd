/// A reading of a file, in the form of `/ingest`.
public struct ImportedReading: Sendable {
    /// Where it begins in its file, from 1.
    public let line: Int
    /// As the file has it, or as the caller named it.
    public let device: String
    /// nil: the device's id.
    public let user: String?
    /// A JSON object without `device_id` and `user_id`, unless the file's own bytes are not known
    /// to be an object.
    public let json: [UInt8]
}
