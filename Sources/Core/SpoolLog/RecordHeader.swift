internal import CZlib

/// The header before each record: one LZ4 skippable frame of ``byteCount`` bytes. A mark is a
/// header with its own signature and no frame after it; it follows the last record.
///
/// Little-endian, at these offsets: 0 magic, 4 bytes that follow, 8 signature, 12 version, 14 kind,
/// 16 segment, 24 previous segment, 32 time, 40 ordinal, 44 offset, 48 durable end, 52 previous
/// end, 56 frame bytes, 60 payload bytes, 64 units, 68 CRC-32 of the frame, 72 CRC-32 of bytes
/// 0..<72. In all versions the first 24 bytes are the same, and the last four are the CRC-32 of
/// those before them, so that a later version is recognised.
struct RecordHeader: Equatable, Sendable {
    /// The segment's number, which tells its records from those of the file's earlier use.
    var segment: UInt64
    /// How many records of the segment are before this one.
    var ordinal: UInt32
    /// The header's position in the segment.
    var offset: UInt32
    /// The end of this segment's durable records when this record was appended. An invalid record
    /// before it is damage, not a torn write.
    var durableEnd: UInt32
    /// The segment that was written before this one, 0 if none is known.
    var previousSegment: UInt64
    /// The end of that segment's durable records when this record was appended.
    var previousEnd: UInt32
    /// Bytes of the LZ4 frame after the header.
    var frameBytes: UInt32
    /// Bytes of the payload before compression.
    var payloadBytes: UInt32
    var units: UInt32
    /// What the units are. Versions of the program that knew only one kind wrote 0 here and don't
    /// read it.
    var kind: RecordKind = .usual
    var time: Int64
    /// CRC-32 of the LZ4 frame.
    var frameChecksum: UInt32

    static let byteCount = 76
    /// The largest payload that any configuration allows; a header with more is invalid.
    static let payloadBytesMax = 256 << 20

    static let magic: UInt32 = 0x184D_2A5E
    static let signature: UInt32 = 0x4C50_5353  // "SSPL"
    /// Differs from a record's in many bits, so that no changed bit turns one into the other.
    /// Versions without marks take a mark for the rest of a write.
    static let markSignature: UInt32 = 0x5344_4E45  // "ENDS"
    static let version: UInt16 = 1

    /// The byte to search for when a header may be anywhere.
    static let firstByte = Int32(magic & 0xFF)

    var end: Int { Int(offset) + Self.byteCount + Int(frameBytes) }

    var id: RecordID {
        RecordID(segment: segment, offset: offset, end: UInt32(end), units: units, kind: kind)
    }

    /// The result of reading bytes as a header.
    enum Reading {
        /// No header, or a damaged one.
        case none
        /// A whole header of another version.
        case unknownVersion(Int, segment: UInt64)
        case header(RecordHeader)
        case mark(RecordHeader)
    }

    /// Whether a mark begins here, even if its end is torn.
    static func beginsMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= byteCount && bytes.word(0) == magic && bytes.word(4) == byteCount - 8
            && bytes.word(8) == markSignature
    }

    /// - Parameter bytes: from the possible start of a header to the end of the file.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard bytes.count >= byteCount, bytes.word(0) == magic,
            bytes.word(8) == signature || bytes.word(8) == markSignature
        else { return .none }
        let frame = Int(bytes.word(4)) + 8
        guard frame >= 32, frame <= 4096, frame <= bytes.count,
            bytes.word(frame - 4)
                == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<(frame - 4)]))
        else { return .none }
        let version = UInt16(truncatingIfNeeded: bytes.word(12))
        guard version == Self.version else {
            return .unknownVersion(Int(version), segment: bytes.longWord(16))
        }
        guard frame == byteCount else { return .none }
        let header = RecordHeader(
            segment: bytes.longWord(16), ordinal: bytes.word(40), offset: bytes.word(44),
            durableEnd: bytes.word(48), previousSegment: bytes.longWord(24),
            previousEnd: bytes.word(52), frameBytes: bytes.word(56), payloadBytes: bytes.word(60),
            units: bytes.word(64),
            kind: RecordKind(rawValue: UInt16(truncatingIfNeeded: bytes.word(12) >> 16)),
            time: Int64(bitPattern: bytes.longWord(32)),
            frameChecksum: bytes.word(68))
        // LZ4 expands a byte to at most 255.
        guard header.payloadBytes <= payloadBytesMax,
            header.payloadBytes / 255 <= header.frameBytes, header.end <= UInt32.max
        else { return .none }
        return bytes.word(8) == markSignature ? .mark(header) : .header(header)
    }

    /// - Parameter bytes: at least ``byteCount`` bytes.
    func write(asMark isMark: Bool = false, to bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount, "BUG: bytes=\(bytes.count)")
        bytes.put(Self.magic, at: 0)
        bytes.put(UInt32(Self.byteCount - 8), at: 4)
        bytes.put(isMark ? Self.markSignature : Self.signature, at: 8)
        bytes.put(Self.version, at: 12)
        bytes.put(kind.rawValue, at: 14)
        bytes.put(segment, at: 16)
        bytes.put(previousSegment, at: 24)
        bytes.put(UInt64(bitPattern: time), at: 32)
        bytes.put(ordinal, at: 40)
        bytes.put(offset, at: 44)
        bytes.put(durableEnd, at: 48)
        bytes.put(previousEnd, at: 52)
        bytes.put(frameBytes, at: 56)
        bytes.put(payloadBytes, at: 60)
        bytes.put(units, at: 64)
        bytes.put(frameChecksum, at: 68)
        bytes.put(Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<72])), at: 72)
    }
}

extension UnsafeRawBufferPointer {
    func word(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    func longWord(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}
