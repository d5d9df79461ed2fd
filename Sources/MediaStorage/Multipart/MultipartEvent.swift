/// What ``MultipartReader/next(in:)`` found next.
public enum MultipartEvent: Sendable, Equatable {
    /// A part's headers are complete; its body follows.
    case partBegins(PartHeader)
    /// A piece of the part's body: these bytes of the chunk that was given.
    case body(Range<Int>)
    /// A piece of the part's body that stood at the end of an earlier chunk and looked like the
    /// beginning of a boundary. The bytes are ``MultipartReader/delimiter``'s own.
    case withheld(ArraySlice<UInt8>)
    /// The part's body is complete.
    case partEnds
    /// The closing boundary was read. Whatever follows is an epilogue and is passed over.
    case finished
}
