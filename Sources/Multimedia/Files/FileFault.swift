public import MediaStorage

/// Why one file of a request was not stored; the others may be.
public enum FileFault: Error, Equatable, Sendable {
    /// More bytes than this.
    case tooLarge(bytesMax: Int)
    /// Its bytes are something else than is taken here; nil: nothing that is known.
    case typeUnsupported(found: MediaType?, accepted: [MediaType])
    /// A file with a name and without bytes.
    case empty
    /// It says where it was made, in a form that can't be taken out.
    case locationNotRemovable
}
