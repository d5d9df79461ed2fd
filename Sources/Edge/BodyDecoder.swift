import NIOCore

/// Decompresses one request's body, chunk by chunk, into a scratch buffer that is handed on and
/// filled again: what it produces is never held.
///
/// It ends with an error when the body is corrupt, ends too soon, goes on behind its end, or grows
/// beyond the limits. How much has been produced is counted before it is handed on, so nothing
/// beyond a limit is scanned.
final class BodyDecoder {
    struct Limits: Sendable {
        var bytesMax: Int
        var expansionMax: Int
        var expansionFreeBytes: Int
    }

    let encoding: BodyEncoding
    private let limits: Limits
    private let stream: any DecompressionStream
    private let scratch: DecompressionScratch
    private var consumed = 0
    private var produced = 0

    /// - Parameters:
    ///   - encoding: anything but `identity`.
    ///   - scratch: may serve many decoders, one call at a time.
    init(_ encoding: BodyEncoding, limits: Limits, scratch: DecompressionScratch) {
        self.encoding = encoding
        self.scratch = scratch
        self.limits = limits
        switch encoding {
        case .identity: preconditionFailure("BUG: nothing to decode")
        case .gzip: stream = InflateStream(.gzip)
        case .deflate: stream = InflateStream(.deflate)
        case .lz4: stream = LZ4FrameStream()
        }
    }

    /// Calls `take` with what `chunk` yields, at most one scratch buffer at a time.
    func decode(
        _ chunk: RawSpan, _ take: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        var rest = chunk
        while true {
            let progress = rest.withUnsafeBytes { stream.step(from: $0, into: scratch.bytes) }
            if let fault = progress.fault {
                throw .encodingBroken(encoding, fault, offset: consumed + progress.consumed)
            }
            rest = rest.extracting(droppingFirst: progress.consumed)
            try count(progress)
            if progress.produced > 0 {
                try take(
                    UnsafeRawBufferPointer(scratch.bytes).bytes.extracting(
                        first: progress.produced))
            }
            // A full buffer may mean that the stream holds back more of it.
            let isDrained = progress.produced < scratch.bytes.count
            if rest.byteCount == 0 && isDrained { return }
            precondition(
                progress.consumed > 0 || progress.produced > 0,
                "BUG: \(encoding) is stuck before \(rest.byteCount) bytes")
        }
    }

    private func count(_ progress: DecompressionProgress) throws(Failure) {
        consumed += progress.consumed
        produced += progress.produced
        if produced > limits.bytesMax { throw .bodyTooLarge(bytesMax: limits.bytesMax) }
        if produced > limits.expansionFreeBytes,
            produced / limits.expansionMax > consumed
        {
            throw .expandsTooMuch(timesMax: limits.expansionMax)
        }
    }

    /// The body has ended.
    func finish() throws(Failure) {
        guard stream.isComplete else {
            throw .encodingBroken(encoding, .truncated, offset: consumed)
        }
    }
}

/// Memory that decompressed bytes pass through; one for each event loop.
final class DecompressionScratch {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int = 64 * 1024) {
        precondition(byteCount > 0, "BUG: byteCount=\(byteCount)")
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }
}

/// What one step of a stream did.
struct DecompressionProgress {
    var consumed = 0
    var produced = 0
    /// Why it goes no further; nil: it may. `consumed` then leads to where that is, which may have been
    /// in an earlier piece.
    var fault: BodyEncodingFault?

    /// Ends with a fault.
    func failed(_ fault: BodyEncodingFault) -> DecompressionProgress {
        DecompressionProgress(consumed: consumed, produced: produced, fault: fault)
    }
}

/// One compressed format behind one call.
protocol DecompressionStream: AnyObject {
    /// Goes on until the input is used up or the output is full.
    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress

    /// What has been given so far ends where a body may end.
    var isComplete: Bool { get }
}

extension BodyDecoder.Limits {
    init(_ configuration: EdgeConfiguration) {
        self.init(
            bytesMax: configuration.bodyBytesMax, expansionMax: configuration.expansionMax,
            expansionFreeBytes: configuration.expansionFreeBytes)
    }
}
