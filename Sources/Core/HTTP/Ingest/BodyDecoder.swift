import NIOCore

/// Decompresses the body of one request, chunk by chunk, into a scratch buffer that is handed on
/// and reused. Decompressed bytes are never stored.
///
/// A body that is corrupt or truncated, continues after its end, or exceeds a limit causes an
/// error. Decompressed bytes are counted before they are handed on, so nothing beyond a limit is
/// scanned.
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
        case .zstd: stream = ZstandardStream()
        }
    }

    /// Calls `take` with the decompressed bytes of `chunk`, at most one scratch buffer at a time.
    func decode(
        _ chunk: RawSpan, _ take: (RawSpan) throws(RequestFailure) -> Void
    ) throws(RequestFailure) {
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
            // After a full buffer the stream may hold back more output.
            let isDrained = progress.produced < scratch.bytes.count
            if rest.byteCount == 0 && isDrained { return }
            precondition(
                progress.consumed > 0 || progress.produced > 0,
                "BUG: \(encoding) is stuck before \(rest.byteCount) bytes")
        }
    }

    private func count(_ progress: DecompressionProgress) throws(RequestFailure) {
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
    func finish() throws(RequestFailure) {
        guard stream.isComplete else {
            throw .encodingBroken(encoding, .truncated, offset: consumed)
        }
    }
}

extension BodyDecoder.Limits {
    init(_ configuration: HTTPConfiguration) {
        self.init(
            bytesMax: configuration.bodyBytesMax, expansionMax: configuration.expansionMax,
            expansionFreeBytes: configuration.expansionFreeBytes)
    }
}
