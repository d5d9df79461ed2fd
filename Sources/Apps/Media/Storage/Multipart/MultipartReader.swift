public import NIOCore

/// Splits a `multipart/form-data` body into parts while it arrives. It is a value and does no I/O:
/// chunks go in, events come out, and bytes of bodies are never copied.
///
/// ```swift
/// while let event = try reader.next(in: chunk) { … }    // for every chunk, as it comes
/// try reader.finish()                                   // when the body has ended
/// ```
/// Pass the same chunk until `next` returns nil, which means that the chunk has been read. Between
/// two calls the reader keeps the headers of one part (``MultipartLimits/headerBytesMax``) and its
/// position, for any size of body.
///
/// A boundary is recognised wherever a line begins with it, as in RFC 2046. Only spaces and tabs
/// may follow it on the line. A line that begins with the boundary and continues with other text is
/// an error, not data; no client that chooses its boundary with care sends one. Text before the
/// first boundary and after the last is skipped. A part may end directly after the empty line of
/// its headers.
///
/// - Source: RFC 7578; RFC 2046, section 5.1.
public struct MultipartReader: Sendable {
    enum State: Sendable, Equatable {
        /// In the preamble or a part's body, searching for the next delimiter.
        case text(isPart: Bool)
        /// After a delimiter, with `padding` spaces and tabs of its line read.
        case boundaryLine(padding: Int)
        /// After the first hyphen of a closing boundary.
        case closing
        /// After the CR that ends a boundary's line.
        case lineEnd
        /// In a part's headers.
        case headers
        case finished
        case failed(MultipartError)
    }

    /// CR, LF, two hyphens and the boundary: what ends a part's body.
    public let delimiter: [UInt8]
    /// Bytes of the body read so far.
    public internal(set) var offset = 0

    let limits: MultipartLimits
    /// See ``MultipartBoundary``.
    let steps: [UInt8]
    let strangers: [UInt8]
    var state = State.text(isPart: false)
    /// How many bytes of the delimiter match the end of the text so far.
    var matched = 2
    /// How many of the `matched` bytes are not part of the text: at the start of the body and after
    /// a part's headers, a delimiter needs no CR LF of its own.
    var borrowed = 2
    /// Bytes of the delimiter that matched, turned out to be text, and are still to be returned.
    var withheld: Range<Int>?
    var position = 0
    var header: [UInt8] = []
    var headerOffset = 0
    var parts = 0

    /// Starts at the beginning of a body.
    public init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        delimiter = boundary.delimiter
        steps = boundary.steps
        strangers = boundary.strangers
        self.limits = limits
    }

    /// The next event in `chunk`; nil when `chunk` has been read.
    ///
    /// - Complexity: linear in the bytes read; text is mostly skipped in steps of the delimiter's
    ///   length.
    /// - Throws: the first fault, and the same one again on every later call.
    public mutating func next(in chunk: RawSpan) throws(MultipartError) -> MultipartEvent? {
        do throws(MultipartError) {
            while position < chunk.byteCount {
                if let event = try step(chunk) { return event }
            }
        } catch {
            state = .failed(error)
            throw error
        }
        position = 0
        return nil
    }

    /// Call it when the body has ended.
    ///
    /// - Throws: ``MultipartError/truncated(offset:)`` unless ``MultipartEvent/finished`` was
    ///   returned.
    public func finish() throws(MultipartError) {
        switch state {
        case .finished: return
        case .failed(let error): throw error
        default: throw .truncated(offset: offset)
        }
    }

    /// Continues in the current state.
    private mutating func step(_ chunk: RawSpan) throws(MultipartError) -> MultipartEvent? {
        switch state {
        case .text(let isPart):
            return text(chunk, isPart: isPart)
        case .boundaryLine(let padding):
            try boundaryLine(take(chunk), padding: padding)
            return nil
        case .closing:
            guard take(chunk) == UInt8(ascii: "-") else {
                throw .boundaryLineInvalid(offset: offset - 1)
            }
            state = .finished
            return .finished
        case .lineEnd:
            guard take(chunk) == UInt8(ascii: "\n") else {
                throw .boundaryLineInvalid(offset: offset - 1)
            }
            try beginHeaders()
            return nil
        case .headers:
            guard try readHeader(chunk) else { return nil }
            let part = try PartHeader(block: header, offset: headerOffset, limits: limits)
            header.removeAll(keepingCapacity: true)
            // The empty line's CR LF may also be the start of the delimiter.
            (matched, borrowed) = (2, 2)
            state = .text(isPart: true)
            return .partBegins(part)
        case .finished:
            advance(chunk.byteCount - position)
            return nil
        case .failed(let error):
            throw error
        }
    }

    private mutating func boundaryLine(_ byte: UInt8, padding: Int) throws(MultipartError) {
        switch byte {
        case UInt8(ascii: "-") where padding == 0:
            state = .closing
        case UInt8(ascii: "\r"):
            state = .lineEnd
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            guard padding < limits.paddingBytesMax else { fallthrough }
            state = .boundaryLine(padding: padding + 1)
        default:
            throw .boundaryLineInvalid(offset: offset - 1)
        }
    }

    private mutating func beginHeaders() throws(MultipartError) {
        guard parts < limits.partsMax else {
            throw .partsTooMany(offset: offset, limit: limits.partsMax)
        }
        parts += 1
        headerOffset = offset
        state = .headers
    }

    /// Collects a part's headers, including the empty line that ends them.
    ///
    /// - Returns: whether they are complete.
    private mutating func readHeader(_ chunk: RawSpan) throws(MultipartError) -> Bool {
        while position < chunk.byteCount {
            guard header.count < limits.headerBytesMax else {
                throw .headerTooLarge(offset: headerOffset, limit: limits.headerBytesMax)
            }
            header.append(take(chunk))
            if header.last == UInt8(ascii: "\n"), isHeaderComplete { return true }
        }
        return false
    }

    /// The block is an empty line or ends with one.
    private var isHeaderComplete: Bool {
        header.count == 2 ? header == [13, 10] : header.suffix(4) == [13, 10, 13, 10]
    }

    private mutating func take(_ chunk: RawSpan) -> UInt8 {
        let byte = chunk.unsafeLoad(fromByteOffset: position, as: UInt8.self)
        advance(1)
        return byte
    }

    mutating func advance(_ count: Int) {
        position += count
        offset += count
    }
}

extension ByteBuffer {
    /// A slice of the readable bytes, as ``MultipartEvent/body(_:)`` names it. Nothing is copied.
    ///
    /// - Parameter range: counted from the first readable byte, and within the readable bytes.
    public func readablePart(_ range: Range<Int>) -> ByteBuffer {
        guard let part = getSlice(at: readerIndex + range.lowerBound, length: range.count) else {
            preconditionFailure("BUG: \(range) of \(readableBytes) bytes")
        }
        return part
    }
}
