/// Limits on the memory and work that a body may cost the reader. The caller limits the bytes of
/// bodies.
public struct MultipartLimits: Sendable, Equatable {
    /// Bytes of one part's header block, including its empty line. Default 8 KiB.
    public var headerBytesMax = 8 << 10
    /// Header fields of one part. Default 32.
    public var headerFieldsMax = 32
    /// Parts of one body, both files and fields. Default 1000.
    public var partsMax = 1000
    /// Spaces and tabs between a boundary and the end of its line. Default 256.
    public var paddingBytesMax = 256

    /// The defaults.
    public init() {}
}
