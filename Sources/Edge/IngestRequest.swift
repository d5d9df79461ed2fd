import Access
import NIOCore

/// A request to `/ingest` that has been admitted and whose body is coming.
struct IngestRequest {
    let account: KeyAccount
    let scanner: PooledScanner
    /// nil: the body is not compressed.
    let decoder: BodyDecoder?
    /// Taken from the budget; grows with a body of unknown or compressed size.
    var reservedBytes: Int
    /// Its part of the loop's ``EdgeLoop/expectedBytes``.
    var expectedBytes: Int
    /// Of the body, decompressed.
    var bodyBytes = 0
    let startedAt: NIODeadline
}
