import CLZ4
import CZstd

/// Decompresses one LZ4 or Zstandard frame piece by piece.
final class FrameDecoder {
    /// The progress of one call.
    struct Step {
        /// The whole frame was read, and its checksum is right.
        let isAtEnd: Bool
        let consumed: Int
        let produced: Int
    }

    private enum Context {
        case lz4(OpaquePointer)
        case zstd(OpaquePointer)
    }

    private let context: Context

    init(_ form: ArchiveForm) {
        if form == .copyLZ4 {
            var made: OpaquePointer?
            guard LZ4F_isError(LZ4F_createDecompressionContext(&made, UInt32(LZ4F_VERSION))) == 0,
                let made
            else { preconditionFailure("BUG: LZ4F_createDecompressionContext") }
            context = .lz4(made)
        } else {
            guard let made = ZSTD_createDCtx() else { preconditionFailure("BUG: ZSTD_createDCtx") }
            context = .zstd(made)
        }
    }

    deinit {
        switch context {
        case .lz4(let context): LZ4F_freeDecompressionContext(context)
        case .zstd(let context): ZSTD_freeDCtx(context)
        }
    }

    /// - Parameters:
    ///   - input: what follows the bytes that were consumed; may be empty.
    ///   - output: is filled from its start.
    /// - Returns: nil if the bytes are not of such a frame.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Step? {
        switch context {
        case .lz4(let context):
            var consumed = input.count
            var produced = output.count
            let hint = LZ4F_decompress(
                context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
            guard LZ4F_isError(hint) == 0 else { return nil }
            return Step(isAtEnd: hint == 0, consumed: consumed, produced: produced)
        case .zstd(let context):
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            let hint = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(hint) == 0 else { return nil }
            return Step(isAtEnd: hint == 0, consumed: source.pos, produced: target.pos)
        }
    }
}
