import CLZ4
import NIOCore

/// Decompresses the body of one request, chunk by chunk, into a scratch buffer that is handed on
/// and reused. Decompressed bytes are never stored.
///
/// A body that is corrupt or truncated, continues after its end, or exceeds a limit causes an error.
/// Decompressed bytes are counted before they are handed on, so nothing beyond a limit is scanned.
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

    /// Calls `take` with the decompressed bytes of `chunk`, at most one scratch buffer at a time.
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
            // After a full buffer the stream may hold back more output.
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

/// The buffer for decompressed bytes; one per event loop.
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

/// The result of one step of a stream.
struct DecompressionProgress {
    var consumed = 0
    var produced = 0
    /// Why the stream can't continue; nil if it can. `consumed` then leads to the position of the
    /// fault, which may be in an earlier piece.
    var fault: BodyEncodingFault?

    /// This progress, ended by a fault.
    func failed(_ fault: BodyEncodingFault) -> DecompressionProgress {
        DecompressionProgress(consumed: consumed, produced: produced, fault: fault)
    }
}

/// A compressed format.
protocol DecompressionStream: AnyObject {
    /// Decompresses until the input is used up or the output is full.
    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress

    /// Whether a body may end after the input so far.
    var isComplete: Bool { get }
}

extension BodyDecoder.Limits {
    init(_ configuration: EdgeConfiguration) {
        self.init(
            bytesMax: configuration.bodyBytesMax, expansionMax: configuration.expansionMax,
            expansionFreeBytes: configuration.expansionFreeBytes)
    }
}

/// The compression of a request's body: the supported values of `Content-Encoding`.
enum BodyEncoding: String, CaseIterable, Sendable {
    case identity
    case gzip
    /// The zlib format, as RFC 9110 requires, or raw deflate, which some clients send.
    case deflate
    /// LZ4 frames.
    case lz4

    /// The value of `Accept-Encoding` in a 415.
    static let accepted = "gzip, deflate, lz4, identity"

    /// - Parameter token: one element of the header, in any case, without spaces around it.
    init?(token: Substring) {
        switch token.lowercased() {
        case "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "lz4": self = .lz4
        default: return nil
        }
    }
}

/// Decompresses LZ4 frames with liblz4. Several frames may follow each other, also skippable ones.
///
/// Memory: two blocks of the size that the frame's header declares, 4 MiB at most. Only the used
/// part is ever touched.
final class LZ4FrameStream: DecompressionStream {
    private let context: OpaquePointer
    /// Bytes of the present frame so far.
    private var frameBytes = 0
    private var hasFrame = false
    /// Bytes that liblz4 asks for next: the rest of a head or of a block. Given no more than that,
    /// it stops at the start of damaged data and buffers nothing.
    private var wantedBytes = LZ4FrameStream.headerBytesMin
    /// Bytes of these that have been given.
    private var givenBytes = 0

    /// The shortest header of a frame.
    private static let headerBytesMin = 7

    init() {
        var context: OpaquePointer?
        let result = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        guard LZ4F_isError(result) == 0, let context else {
            preconditionFailure("BUG: LZ4F_createDecompressionContext \(result)")
        }
        self.context = context
    }

    deinit {
        LZ4F_freeDecompressionContext(context)
    }

    var isComplete: Bool { hasFrame && frameBytes == 0 }

    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress {
        var progress = DecompressionProgress()
        while progress.produced < output.count {
            var consumed = min(wantedBytes, input.count - progress.consumed)
            // Even without input there may be output that did not fit before.
            if consumed == 0 && frameBytes == 0 { break }
            var produced = output.count - progress.produced
            let hint = LZ4F_decompress(
                context, output.baseAddress! + progress.produced, &produced,
                input.baseAddress.map { $0 + progress.consumed }, &consumed, nil)
            guard LZ4F_isError(hint) == 0 else {
                let isNoFrame = hasFrame && frameBytes < Self.headerBytesMin
                progress.consumed -= givenBytes
                return progress.failed(isNoFrame ? .trailingBytes : .corrupt)
            }
            progress.consumed += consumed
            progress.produced += produced
            frameBytes += consumed
            givenBytes = consumed == wantedBytes ? 0 : givenBytes + consumed
            wantedBytes = max(hint, 1)
            if hint == 0 {
                hasFrame = true
                (frameBytes, givenBytes) = (0, 0)
                wantedBytes = Self.headerBytesMin
            }
            if consumed == 0 && produced == 0 { break }
        }
        return progress
    }
}
