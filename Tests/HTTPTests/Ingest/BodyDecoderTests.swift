import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct BodyDecoderTests {
    private static let text = Array(Samples.body(readings: 200).utf8)

    private static let limits = BodyDecoder.Limits(
        bytesMax: 64 * 1024 * 1024, expansionMax: 100, expansionFreeBytes: 1024 * 1024)

    /// All that the decoder yields for `bytes`, fed in pieces.
    private func decode(
        _ bytes: [UInt8], _ encoding: BodyEncoding, pieces: Int = .max, scratch: Int = 64 * 1024,
        limits: BodyDecoder.Limits = Self.limits
    ) throws(RequestFailure) -> [UInt8] {
        let decoder = BodyDecoder(
            encoding, limits: limits, scratch: DecompressionScratch(byteCount: scratch))
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            try decoder.decode(piece.span.bytes) { (bytes) throws(RequestFailure) in
                bytes.withUnsafeBytes { output += $0 }
            }
        }
        try decoder.finish()
        return output
    }

    private func encoding(_ compression: Samples.Compression) -> BodyEncoding {
        BodyEncoding(token: compression.contentEncoding[...])!
    }

    @Test(arguments: Samples.Compression.allCases, [1, 2, 3, 100, Int.max])
    func `compressed bytes are restored`(
        compression: Samples.Compression, pieces: Int
    ) throws {
        let bytes = Samples.compress(Self.text, compression)
        #expect(try decode(bytes, encoding(compression), pieces: pieces) == Self.text)
    }

    @Test(arguments: Samples.Compression.allCases)
    func `at every split point`(compression: Samples.Compression) throws {
        let text = Array(Samples.body.utf8)
        let bytes = Samples.compress(text, compression)
        for cut in 1..<bytes.count {
            #expect(try decode(bytes, encoding(compression), pieces: cut) == text)
        }
    }

    @Test(arguments: Samples.Compression.allCases, [1, 7, 4096])
    func `through a scratch buffer of any size`(
        compression: Samples.Compression, scratch: Int
    ) throws {
        let bytes = Samples.compress(Self.text, compression)
        #expect(try decode(bytes, encoding(compression), scratch: scratch) == Self.text)
    }

    @Test(arguments: Samples.Compression.allCases)
    func `cut anywhere it is truncated`(compression: Samples.Compression) throws {
        let bytes = Samples.compress(Array(Samples.body.utf8), compression)
        for cut in 0..<bytes.count {
            #expect(
                throws: RequestFailure.encodingBroken(
                    encoding(compression), .truncated, offset: cut)
            ) {
                try decode(Array(bytes[..<cut]), encoding(compression))
            }
        }
    }

    @Test(arguments: Samples.Compression.allCases)
    func `with any byte changed it is an error or the same length`(
        compression: Samples.Compression
    ) throws {
        let text = Array(Samples.body.utf8)
        let bytes = Samples.compress(text, compression)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x55
            // Raw deflate has no checksum, and a gzip header has bytes that don't matter here.
            guard let output = try? decode(changed, encoding(compression)) else { continue }
            #expect(compression == .rawDeflate || output == text)
        }
    }

    @Test(arguments: Samples.Compression.allCases)
    func `bytes after the end are an error`(compression: Samples.Compression) throws {
        let bytes = Samples.compress(Self.text, compression)
        let expected = RequestFailure.encodingBroken(
            encoding(compression), .trailingBytes, offset: bytes.count)
        for pieces in [1, bytes.count, Int.max] {
            #expect(throws: expected) {
                try decode(bytes + [7, 7, 7, 7, 7, 7, 7, 7], encoding(compression), pieces: pieces)
            }
        }
    }

    @Test(arguments: [Samples.Compression.gzip, .lz4, .zstd], [1, 5, Int.max])
    func `members and frames may follow each other`(
        compression: Samples.Compression, pieces: Int
    ) throws {
        let halves = [Self.text[..<1000], Self.text[1000...]]
        let bytes = halves.flatMap { Samples.compress(Array($0), compression) }
        #expect(try decode(bytes, encoding(compression), pieces: pieces) == Self.text)
    }

    @Test func `a truncated second member is truncated`() throws {
        let member = Samples.compress(Self.text, .gzip)
        let expected = RequestFailure.encodingBroken(
            .gzip, .truncated, offset: 2 * member.count - 3)
        #expect(throws: expected) {
            try decode(member + member.dropLast(3), .gzip)
        }
    }

    @Test func `zeros may follow a gzip member`() throws {
        let bytes = Samples.compress(Self.text, .gzip) + [0, 0, 0, 0]
        #expect(try decode(bytes, .gzip, pieces: 3) == Self.text)
        #expect(throws: RequestFailure.encodingBroken(.gzip, .trailingBytes, offset: bytes.count)) {
            try decode(bytes + [1], .gzip)
        }
    }

    @Test func `an empty body is truncated`() throws {
        for encoding in [BodyEncoding.gzip, .deflate, .lz4, .zstd] {
            #expect(throws: RequestFailure.encodingBroken(encoding, .truncated, offset: 0)) {
                try decode([], encoding)
            }
        }
    }

    @Test func `empty content can be compressed too`() throws {
        for compression in Samples.Compression.allCases {
            #expect(try decode(Samples.compress([], compression), encoding(compression)) == [])
        }
    }

    @Test(arguments: [BodyEncoding.gzip, .deflate, .lz4, .zstd])
    func `plain JSON is not compressed`(encoding: BodyEncoding) throws {
        let fault = try #require(broken(Self.text, encoding))
        // Raw deflate can begin with any byte.
        #expect(fault.failure == .encodingBroken(encoding, .corrupt, offset: fault.offset))
        #expect(fault.offset <= 2 || encoding == .deflate)
    }

    /// The fault and its offset; nil: none.
    private func broken(
        _ bytes: [UInt8], _ encoding: BodyEncoding, pieces: Int = .max
    ) -> (failure: RequestFailure, offset: Int)? {
        do throws(RequestFailure) {
            _ = try decode(bytes, encoding, pieces: pieces)
            return nil
        } catch {
            guard case .offset(let offset) = error.place else { return nil }
            return (error, offset)
        }
    }

    @Test(arguments: [Samples.Compression.gzip, .lz4], [1, 100, Int.max])
    func `the offset is where the damage is, as far as the format tells`(
        compression: Samples.Compression, pieces: Int
    ) throws {
        let parts = [200, 300, 400].map {
            Samples.compress(Array(Samples.body(readings: $0).utf8), compression)
        }
        let bytes = parts.flatMap(\.self)
        var start = 0
        for part in parts {
            var found = 0
            for place in stride(from: start, to: start + part.count, by: 3) {
                var changed = bytes
                changed[place] ^= 0x55
                guard let fault = broken(changed, encoding(compression), pieces: pieces) else {
                    continue
                }
                found += 1
                #expect(fault.offset >= start && fault.offset <= bytes.count, "\(place) \(fault)")
            }
            #expect(found > part.count / 6)
            start += part.count
        }
    }

    /// RFC 9659: a window of at most 8 MiB.
    @Test(arguments: [(23, true), (24, false), (27, false)])
    func `a window of Zstandard has a limit`(windowLog: Int32, isTaken: Bool) throws {
        let bytes = Samples.zstd(Self.text, windowLog: windowLog)
        guard !isTaken else { return #expect(try decode(bytes, .zstd) == Self.text) }
        #expect(
            throws: RequestFailure.encodingBroken(
                .zstd, .windowTooLarge(bytesMax: 8 << 20), offset: 0)
        ) {
            try decode(bytes, .zstd)
        }
    }

    @Test(arguments: Samples.Compression.allCases)
    func `a bomb is stopped by its ratio`(compression: Samples.Compression) throws {
        // Zeros compress a thousandfold, or 255-fold with LZ4.
        let bytes = Samples.compress([UInt8](repeating: 0, count: 8 << 20), compression)
        var produced = 0
        let decoder = BodyDecoder(
            encoding(compression), limits: Self.limits, scratch: DecompressionScratch())
        #expect(throws: RequestFailure.expandsTooMuch(timesMax: 100)) {
            try decoder.decode(bytes.span.bytes) { (bytes) throws(RequestFailure) in
                produced += bytes.byteCount
            }
        }
        #expect(produced <= Self.limits.expansionFreeBytes)
    }

    @Test(arguments: Samples.Compression.allCases)
    func `a body is stopped by its size`(compression: Samples.Compression) throws {
        var limits = Self.limits
        limits.bytesMax = Self.text.count - 1
        let bytes = Samples.compress(Self.text, compression)
        #expect(throws: RequestFailure.bodyTooLarge(bytesMax: Self.text.count - 1)) {
            try decode(bytes, encoding(compression), scratch: 100, limits: limits)
        }
        limits.bytesMax = Self.text.count
        #expect(try decode(bytes, encoding(compression), limits: limits) == Self.text)
    }
}
