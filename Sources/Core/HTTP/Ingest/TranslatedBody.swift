import Ingest
import NIOCore
import Readings
import Scanner

/// What a body of a format has become: translated and scanned.
///
/// Large bodies become it on a worker's thread: one of 16 MiB takes several hundred milliseconds, in
/// which the event loop serves its other connections.
struct TranslatedBody: Sendable {
    /// Bodies up to this size are translated on the event loop, in a few milliseconds.
    static let inlineBytes = 256 * 1024

    /// nil: there is nothing to store.
    let batch: Result<ScannedBatch?, RequestFailure>
    /// Readings seen, also of a body that is refused.
    let received: Int

    /// Translates and scans with a scanner of its own; any thread may do it.
    init(
        _ body: ByteBuffer, _ translation: InputFormat.Translation, _ head: InputRequest,
        limits: ReadingLimits, now: Timestamp
    ) {
        var scanner = BatchScanner(limits: limits)
        scanner.begin(now: now)
        do throws(RequestFailure) {
            batch = .success(try scanner.batch(of: body, translation, head))
        } catch {
            batch = .failure(error)
        }
        received = scanner.received
    }
}

extension BatchScanner {
    /// Translates a body and scans what that has written, whose places mean nothing to the client.
    mutating func batch(
        of body: ByteBuffer, _ translation: InputFormat.Translation, _ head: InputRequest
    ) throws(RequestFailure) -> ScannedBatch? {
        guard let text = try translation(body.readableBytesSpan, head) else { return nil }
        let bytes = text.finished()
        do throws(ScanError) {
            try scan(bytes.span.bytes)
            return try finish()
        } catch {
            throw .translated(error)
        }
    }
}
