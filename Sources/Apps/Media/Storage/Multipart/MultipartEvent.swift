/// The next event that ``MultipartReader/next(in:)`` found.
public enum MultipartEvent: Sendable, Equatable {
    /// A part's headers are complete; its body follows.
    case partBegins(PartHeader)
    /// A piece of the part's body: these bytes of the chunk.
    case body(Range<Int>)
    /// A piece of the part's body from the end of an earlier chunk, where it looked like the start
    /// of a boundary. The bytes are copied from ``MultipartReader/delimiter``.
    case withheld(ArraySlice<UInt8>)
    /// The part's body is complete.
    case partEnds
    /// The closing boundary has been read. Everything after it is an epilogue and is skipped.
    case finished
}
