import Auth
import NIOCore

/// A request with readings that is admitted and whose body is arriving.
struct IngestRequest {
    let account: KeyLimits
    let format: InputFormat
    /// What the format needs of the head.
    let head: InputRequest
    let scanner: PooledScanner
    /// The body so far, decompressed, of a format that translates it; nil: it is scanned.
    var collected: ByteBuffer?
    /// nil if the body is not compressed.
    let decoder: BodyDecoder?
    /// Bytes taken from the budget; grows with a body of unknown or compressed size.
    var reservedBytes: Int
    /// This request's part of ``ConnectionLoop/expectedBytes``.
    var expectedBytes: Int
    /// The lanes are to be asked again once the device is known.
    var awaitsDevice: Bool
    /// Bytes of the body so far, decompressed.
    var bodyBytes = 0
    let startedAt: NIODeadline
}
