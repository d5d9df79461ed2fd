/// Limits of the journal; all inclusive. The defaults are the contract's.
public struct JournalConfiguration: Sendable {
    /// Of an image or a video. Default 50 MiB.
    public var fileBytesMax = 50 << 20
    /// Of a voice note. Default 25 MiB.
    public var voiceNoteBytesMax = 25 << 20
    /// Of a profile picture. Default 10 MiB.
    public var profilePictureBytesMax = 10 << 20
    /// Files of one request, the voice note included. Default 10.
    public var filesMax = 10
    /// Parts of one request, known and unknown. Default 64.
    public var partsMax = 64
    /// Bytes of refused files and of unknown parts that a request may go on sending, so that the
    /// files after them still arrive. More ends the request. Default 64 MiB.
    public var discardedBytesMax = 64 << 20
    /// Of an image that a thumbnail is made of; each takes four to ten bytes meanwhile. Default 50
    /// million.
    public var thumbnailPixelsMax = 50_000_000

    /// The defaults.
    public init() {}

    /// More than any request may send: what is around the parts counts too.
    var bodyBytesMax: Int {
        filesMax * max(fileBytesMax, voiceNoteBytesMax) + discardedBytesMax + (4 << 20)
    }
}
