public import Readings
public import Scanner

/// Runs the scanner beside the reference, body after body, with the same limits and clock.
///
/// One scanner serves all bodies, as on an event loop. So leftovers of one batch, or a wrong cached
/// sender, would show in the next batch.
public struct Comparison: ~Copyable {
    /// The reference, also for tests that need only its verdict.
    public let reference: ReferenceDecoder
    private var scanner: BatchScanner

    /// - Parameter now: the server's clock for all bodies.
    public init(limits: ReadingLimits = ReadingLimits(), now: Timestamp = BatchGenerator.now) {
        reference = ReferenceDecoder(limits: limits, now: now)
        scanner = BatchScanner(limits: limits, senders: SenderCache(limits: limits))
    }

    /// The scanner's verdict on a body that arrives cut in this way.
    public mutating func scannerVerdict(
        on body: [UInt8], _ chunking: Chunking, _ shape: BodyShape = .document
    ) -> Verdict {
        Verdict(
            of: &scanner, on: body, chunks: chunking.lengths(of: body.count), now: reference.now,
            shape)
    }

    /// Nil when the two agree, otherwise both verdicts.
    public mutating func difference(
        on body: [UInt8], _ chunking: Chunking, _ shape: BodyShape = .document
    ) -> Difference? {
        let expected = reference.verdict(on: body, shape)
        let got = scannerVerdict(on: body, chunking, shape)
        if expected == got { return nil }
        return Difference(body: body, chunking: chunking, expected: expected, got: got)
    }
}
