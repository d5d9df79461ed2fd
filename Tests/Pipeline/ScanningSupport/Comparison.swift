public import Readings
import Scanning

/// The scanner beside the reference, body after body, always with the same limits and clock.
///
/// One scanner serves all bodies, as on an event loop, so that leftovers of one batch, or a sender
/// taken for another, would show in the next.
public struct Comparison: ~Copyable {
    /// Also says what is expected when only the scanner's verdict is asked for.
    public let reference: ReferenceDecoder
    private var scanner: BatchScanner

    /// - Parameter now: the server's clock for all bodies.
    public init(limits: ReadingLimits = ReadingLimits(), now: Timestamp = BatchGenerator.now) {
        reference = ReferenceDecoder(limits: limits, now: now)
        scanner = BatchScanner(limits: limits, senders: SenderCache(limits: limits))
    }

    /// What the scanner says of a body that arrives cut in this way.
    public mutating func scannerVerdict(on body: [UInt8], _ chunking: Chunking) -> Verdict {
        Verdict(
            of: &scanner, on: body, chunks: chunking.lengths(of: body.count), now: reference.now)
    }

    /// Nil when the two agree, else what each says.
    public mutating func difference(on body: [UInt8], _ chunking: Chunking) -> Difference? {
        let expected = reference.verdict(on: body)
        let got = scannerVerdict(on: body, chunking)
        if expected == got { return nil }
        return Difference(body: body, chunking: chunking, expected: expected, got: got)
    }
}
