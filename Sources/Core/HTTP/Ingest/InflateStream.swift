import CZlib

/// Decompresses gzip, zlib and raw deflate with zlib.
///
/// A gzip member may be followed by further members (RFC 1952, section 2.2), and the last one by
/// zeros, as gzip's own tools allow. Nothing may follow a deflate body.
final class InflateStream: DecompressionStream {
    enum Format { case gzip, deflate }

    private enum State {
        /// Deflate whose first two bytes will tell whether it has a zlib header.
        case undecided
        case running
        /// At the end of a gzip member; another may follow.
        case betweenMembers
        /// Only zeros may follow.
        case padding
        case ended
    }

    private let format: Format
    private var state: State
    private var firstByte: UInt8?
    /// zlib stores this address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ format: Format) {
        self.format = format
        state = format == .gzip ? .running : .undecided
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 31 means that a gzip header is required. For deflate the format is set once it is known.
        let result = inflateInit2_(
            stream, format == .gzip ? 31 : 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "BUG: inflateInit2 \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    var isComplete: Bool {
        switch state {
        case .undecided, .running: false
        case .betweenMembers, .padding, .ended: true
        }
    }

    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress {
        var progress = DecompressionProgress()
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: input[progress.consumed...])
            switch state {
            case .undecided:
                guard let header = decide(rest, &progress) else { return progress }
                guard begin(with: header, output, &progress) else {
                    return progress.failed(.corrupt)
                }
            case .betweenMembers:
                guard let next = rest.first else { return progress }
                if next == 0 {
                    state = .padding
                } else {
                    guard next == 0x1F else { return progress.failed(.trailingBytes) }
                    inflateReset(stream)
                    state = .running
                }
            case .padding:
                let zeros = rest.prefix { $0 == 0 }.count
                progress.consumed += zeros
                return zeros == rest.count ? progress : progress.failed(.trailingBytes)
            case .ended:
                return rest.isEmpty ? progress : progress.failed(.trailingBytes)
            case .running:
                let room = UnsafeMutableRawBufferPointer(rebasing: output[progress.produced...])
                let result = inflate(rest, room, &progress)
                switch result {
                case Z_STREAM_END:
                    state = format == .gzip ? .betweenMembers : .ended
                case Z_OK, Z_BUF_ERROR:
                    // Not an error: the input is used up, or the output is full.
                    return progress
                default:
                    return progress.failed(.corrupt)
                }
            }
        }
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer,
        _ progress: inout DecompressionProgress
    ) -> Int32 {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        progress.consumed += input.count - Int(stream.pointee.avail_in)
        progress.produced += output.count - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        return result
    }

    /// Returns the first two bytes once both are there; they tell a zlib header from raw deflate
    /// (RFC 1950, section 2.2).
    private func decide(
        _ rest: UnsafeRawBufferPointer, _ progress: inout DecompressionProgress
    ) -> (UInt8, UInt8)? {
        var bytes = rest.makeIterator()
        guard let first = firstByte ?? bytes.next() else { return nil }
        guard let second = bytes.next() else {
            progress.consumed += firstByte == nil ? 1 : 0
            firstByte = first
            return nil
        }
        progress.consumed += firstByte == nil ? 2 : 1
        return (first, second)
    }

    /// Feeds the two bytes that were examined; raw deflate may already produce a byte from them.
    private func begin(
        with header: (UInt8, UInt8), _ output: UnsafeMutableRawBufferPointer,
        _ progress: inout DecompressionProgress
    ) -> Bool {
        let isZlib =
            header.0 & 0x0F == 8 && header.0 >> 4 <= 7
            && (Int(header.0) << 8 | Int(header.1)) % 31 == 0
        if !isZlib { inflateReset2(stream, -15) }
        var fed = DecompressionProgress()
        let result = withUnsafeBytes(of: header) { inflate($0, output, &fed) }
        progress.produced += fed.produced
        switch result {
        case Z_STREAM_END: state = .ended
        case Z_OK: state = .running
        default: return false
        }
        return fed.consumed == 2
    }
}
