/// Limits of the journal, all inclusive. The defaults are the contract's.
public struct JournalConfiguration: Sendable {
    /// The most bytes of an image or a video. Default 50 MiB.
    public var fileBytesMax = 50 << 20
    /// The most bytes of a voice note. Default 25 MiB.
    public var voiceNoteBytesMax = 25 << 20
    /// The most bytes of a profile picture. Default 10 MiB.
    public var profilePictureBytesMax = 10 << 20
    /// The most files of one request, including the voice note. Default 10.
    public var filesMax = 10
    /// The most parts of one request, known and unknown. Default 64.
    public var partsMax = 64
    /// The most bytes of rejected files and unknown parts that a request may send and that are
    /// discarded, so that the files after them still arrive. More ends the request. Default 64 MiB.
    public var discardedBytesMax = 64 << 20
    /// The most pixels of an image that a thumbnail is made of. Each pixel takes four to ten bytes
    /// of memory. Default 50 million.
    public var thumbnailPixelsMax = 50_000_000

    /// The defaults.
    public init() {}

    /// The most bytes of a request's body: files, discarded bytes, and 4 MiB for fields and the
    /// text between parts.
    var bodyBytesMax: Int {
        filesMax * max(fileBytesMax, voiceNoteBytesMax) + discardedBytesMax + (4 << 20)
    }
}
