public import Inspections

/// Why one file of a request was not stored; the others may be.
public enum FileFault: Error, Equatable, Sendable {
    /// More than this many bytes.
    case tooLarge(bytesMax: Int)
    /// The content is not an accepted type; `found` is nil when the type is unknown.
    case typeUnsupported(found: MediaType?, accepted: [MediaType])
    /// The file has a name but no bytes.
    case empty
    /// The file may name a place in a form that can't be removed, or it can't be read within the
    /// limits, so that nobody knows.
    case locationNotRemovable
}
