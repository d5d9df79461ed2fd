public import NIOCore

/// Takes a `multipart/form-data` body apart while it arrives. A value without input or output:
/// chunks go in, events come out, and bytes of bodies are never copied.
///
/// ```swift
/// while let event = try reader.next(in: chunk) { … }    // for every chunk, as it comes
/// try reader.finish()                                   // when the body has ended
/// ```
/// The same chunk is given until `next` says nil: then it is read to its end. Between two calls
/// the reader keeps one part's headers (``MultipartLimits/headerBytesMax``) and a number, however
/// large the body is.
///
/// A boundary is found wherever a line begins with it, as RFC 2046 has it; what follows it on the
/// line must be spaces. So a line that begins with the boundary and goes on is an error, not data:
/// no client that chose its boundary with care sends one. Text before the first boundary and after
/// the last is passed over. A part may end directly after its headers' empty line.
///
/// - Source: RFC 7578; RFC 2046, section 5.1.
public struct MultipartReader: Sendable {
    enum State: Sendable, Equatable {
        /// In the preamble or in a part's body: the next delimiter is looked for.
        case text(isPart: Bool)
        /// Behind a delimiter, `padding` bytes into the rest of its line.
        case boundaryLine(padding: Int)
        /// Behind the first hyphen of a closing boundary.
        case closing
        /// Behind the CR that ends a boundary's line.
        case lineEnd
        /// In a part's headers.
        case headers
        case finished
        case failed(MultipartError)
    }

    /// CR, LF, two hyphens and the boundary: what ends a part's body.
    public let delimiter: [UInt8]
    /// Bytes of the body that were read.
    public internal(set) var offset = 0

    let limits: MultipartLimits
    /// See ``MultipartBoundary``.
    let steps: [UInt8]
    let strangers: [UInt8]
    var state = State.text(isPart: false)
    /// Bytes of the delimiter that the text ended with so far.
    var matched = 2
    /// Of `matched`, those that were no text: a delimiter at the very beginning needs no CR and LF.
    var borrowed = 2
    /// `matched` bytes turned out to be text and must be handed out.
    var withheld: Range<Int>?
    var position = 0
    var header: [UInt8] = []
    var headerOffset = 0
    var parts = 0

    /// Nothing was read yet.
    public init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        delimiter = boundary.delimiter
        steps = boundary.steps
        strangers = boundary.strangers
        self.limits = limits
    }

    /// The next event in `chunk`, or nil when `chunk` is read to its end.
    ///
    /// - Complexity: what it reads; text by steps of the delimiter's length, mostly.
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

    /// The body has ended.
    ///
    /// - Throws: ``MultipartError/truncated(offset:)`` unless ``MultipartEvent/finished`` came.
    public func finish() throws(MultipartError) {
        switch state {
        case .finished: return
        case .failed(let error): throw error
        default: throw .truncated(offset: offset)
        }
    }

    /// Reads on within one state.
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
            // The empty line's CR and LF may be the delimiter's too.
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

    /// Keeps a part's headers up to and with their empty line.
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

    /// An empty line is the whole block or ends it.
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

/// Why a body is no readable `multipart/form-data`. Offsets count bytes from the body's start.
public enum MultipartError: Error, Equatable, Sendable {
    /// The content type is another one.
    case notFormData
    /// `multipart/form-data` without a `boundary` parameter.
    case boundaryMissing
    /// Not 1 to 70 of the characters that RFC 2046 allows, or a space at its end.
    case boundaryInvalid
    /// The body ended before the closing boundary; `offset` is its length.
    case truncated(offset: Int)
    /// A boundary followed by something other than `--`, or spaces and the line's end.
    case boundaryLineInvalid(offset: Int)
    /// A header line that is none, or one with a control character.
    case headerInvalid(offset: Int)
    /// The part that begins at `offset` has more header bytes than this.
    case headerTooLarge(offset: Int, limit: Int)
    /// The part that begins at `offset` has more header fields than this.
    case headerFieldsTooMany(offset: Int, limit: Int)
    /// The part that begins at `offset` has no `Content-Disposition: form-data` with a name.
    case nameMissing(offset: Int)
    /// The part that begins at `offset` is encoded, which RFC 7578 gave up.
    case transferEncodingUnsupported(offset: Int)
    /// One part more than this; it begins at `offset`.
    case partsTooMany(offset: Int, limit: Int)
}

/// What ``MultipartReader/next(in:)`` found next.
public enum MultipartEvent: Sendable, Equatable {
    /// A part's headers are complete; its body follows.
    case partBegins(PartHeader)
    /// A piece of the part's body: these bytes of the chunk that was given.
    case body(Range<Int>)
    /// A piece of the part's body that stood at the end of an earlier chunk and looked like the
    /// beginning of a boundary. The bytes are ``MultipartReader/delimiter``'s own.
    case withheld(ArraySlice<UInt8>)
    /// The part's body is complete.
    case partEnds
    /// The closing boundary was read. Whatever follows is an epilogue and is passed over.
    case finished
}

/// Bounds on what a body may make the reader keep or do. Bytes of bodies are the caller's to count.
public struct MultipartLimits: Sendable, Equatable {
    /// Bytes of one part's header block, its empty line included. Default 8 KiB.
    public var headerBytesMax = 8 << 10
    /// Header fields of one part. Default 32.
    public var headerFieldsMax = 32
    /// Parts of one body, files and fields alike. Default 1000.
    public var partsMax = 1000
    /// Spaces and tabs between a boundary and the end of its line. Default 256.
    public var paddingBytesMax = 256

    /// The defaults.
    public init() {}
}

extension ByteBuffer {
    /// A part of what is readable, as a ``MultipartEvent/body(_:)`` names it; nothing is copied.
    ///
    /// - Parameter range: counted from the first readable byte; within what is readable.
    public func readablePart(_ range: Range<Int>) -> ByteBuffer {
        guard let part = getSlice(at: readerIndex + range.lowerBound, length: range.count) else {
            preconditionFailure("BUG: \(range) of \(readableBytes) bytes")
        }
        return part
    }
}
