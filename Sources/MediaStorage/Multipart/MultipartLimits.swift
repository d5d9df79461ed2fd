/// Bounds on what a body may make the reader keep or do. Bytes of bodies are the caller's to count.
public struct MultipartLimits: Sendable, Equatable {
    /// Bytes of one part's header block, its empty line included. Default 8 KiB.
    public var headerBytesMax = 8 << 10
    /// Header fields of one part. Default 32.
    public var headerFieldsMax = 32
    /// Parts of one body, files and fields alike. Default 1000.
    public var partsMax = 1000
    /// Spaces and tabs between a boundary and the end of its line. Default 256.
    public var paddingBytesMax = 256

    /// The defaults.
    public init() {}
}
