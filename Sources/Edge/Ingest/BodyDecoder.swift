import CLZ4
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

/// How a request's body is compressed: the values of `Content-Encoding` that are understood.
enum BodyEncoding: String, CaseIterable, Sendable {
    case identity
    case gzip
    /// The zlib format, as RFC 9110 says, or raw deflate, as some clients send.
    case deflate
    /// LZ4 frames.
    case lz4

    /// What an `Accept-Encoding` of a 415 says.
    static let accepted = "gzip, deflate, lz4, identity"

    /// - Parameter token: one element of the header, without spaces around it, in any case.
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

/// LZ4 frames by way of liblz4; frames may follow each other, skippable ones among them.
///
/// Memory: two blocks of the size that the frame's header names, 4 MiB at most, of which only
/// what is used is ever touched.
final class LZ4FrameStream: DecompressionStream {
    private let context: OpaquePointer
    /// Bytes of the present frame so far.
    private var frameBytes = 0
    private var hasFrame = false
    /// What liblz4 wants next: the rest of a head or of a block. Given no more than that, it stops at
    /// the beginning of what is damaged, and has nothing to keep for later.
    private var wantedBytes = LZ4FrameStream.headerBytesMin
    /// What has been given of it.
    private var givenBytes = 0

    /// The shortest header of a frame; with fewer bytes nothing can be said of it.
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
            // Without input there may still be output that did not fit before.
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
