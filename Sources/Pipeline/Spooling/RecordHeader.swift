internal import CZlib

/// The header in front of each record: one LZ4 skippable frame of ``byteCount`` bytes. Without a
/// frame behind it, and with a signature of its own, it is the mark behind the last record.
///
/// Little-endian, at these offsets: 0 magic, 4 bytes that follow, 8 signature, 12 version, 14 kind,
/// 16 segment, 24 previous segment, 32 time, 40 ordinal, 44 offset, 48 durable end, 52 previous
/// end, 56 frame bytes, 60 payload bytes, 64 units, 68 CRC-32 of the frame, 72 CRC-32 of bytes
/// 0..<72. In all versions the first 24 bytes and "the last four are the CRC-32 of those in front
/// of them" are the same, so that a later version is known for what it is.
struct RecordHeader: Equatable, Sendable {
    /// The number of the segment, which tells its records from those of the file's former life.
    var segment: UInt64
    /// Records of the segment in front of this one.
    var ordinal: UInt32
    /// Where in the segment the header stands.
    var offset: UInt32
    /// Where the durable records of this segment ended when this one was appended. Whatever is
    /// amiss in front of that is damage and no torn write.
    var durableEnd: UInt32
    /// The segment that was written before this one, 0 if none is known.
    var previousSegment: UInt64
    /// Where the durable records of that one ended when this one was appended.
    var previousEnd: UInt32
    /// Bytes of the LZ4 frame behind the header.
    var frameBytes: UInt32
    /// Bytes of what was appended.
    var payloadBytes: UInt32
    var units: UInt32
    /// What the units are. Versions of the program that knew of one kind only wrote 0 here, and
    /// don't look.
    var kind: RecordKind = .usual
    var time: Int64
    /// CRC-32 of the LZ4 frame.
    var frameChecksum: UInt32

    static let byteCount = 76
    /// The greatest payload that any configuration allows; a reader believes no more.
    static let payloadBytesMax = 256 << 20

    static let magic: UInt32 = 0x184D_2A5E
    static let signature: UInt32 = 0x4C50_5353  // "SSPL"
    /// Far from that of a record, so that no changed bit makes one the other. Versions that know no
    /// marks take one for the rest of a write.
    static let markSignature: UInt32 = 0x5344_4E45  // "ENDS"
    static let version: UInt16 = 1

    /// What to look for when a header may stand anywhere.
    static let firstByte = Int32(magic & 0xFF)

    var end: Int { Int(offset) + Self.byteCount + Int(frameBytes) }

    var id: RecordID {
        RecordID(segment: segment, offset: offset, end: UInt32(end), units: units, kind: kind)
    }

    /// What bytes are, read as a header.
    enum Reading {
        /// None, or a spoilt one.
        case none
        /// Whole, and of a version that is not ours.
        case unknownVersion(Int, segment: UInt64)
        case header(RecordHeader)
        case mark(RecordHeader)
    }

    /// Whether a mark was written here, whatever became of its end.
    static func beginsMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= byteCount && bytes.word(0) == magic && bytes.word(4) == byteCount - 8
            && bytes.word(8) == markSignature
    }

    /// - Parameter bytes: from where a header may start to the end of what there is.
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
        // LZ4 can't make more of a byte than 255.
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

/// CRC-32 as in zlib, gzip and PNG.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func word(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    fileprivate func longWord(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }
}

/// Where a record stands. Later ones compare greater; only a ``Spool`` makes them.
public struct RecordID: Hashable, Comparable, Sendable {
    /// The segment's number; numbers rise from segment to segment.
    public let segment: UInt64
    /// Bytes of the segment in front of the record.
    public let offset: UInt32
    /// Bytes of the segment in front of what follows the record.
    let end: UInt32
    let units: UInt32
    let kind: RecordKind

    /// The same place is the same record.
    public static func == (left: RecordID, right: RecordID) -> Bool {
        left.segment == right.segment && left.offset == right.offset
    }

    /// Older records first.
    public static func < (left: RecordID, right: RecordID) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }

    /// Of the place.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segment)
        hasher.combine(offset)
    }
}

/// What the units of a record are: a number of the appender's own, which means nothing here.
public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// As it stands in the record's header.
    public let rawValue: UInt16

    /// 0 is what a record is of when nothing is said.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// When nothing is said.
    public static let usual = RecordKind(rawValue: 0)
}

/// A record as it was appended.
public struct SpooledRecord: Sendable, Equatable {
    /// What to release once it is stored elsewhere.
    public let id: RecordID
    /// How many readings or other units the payload holds, as the one who appended it said.
    public let units: Int
    /// What those are.
    public let kind: RecordKind
    /// When it was received, in microseconds since 2000-01-01 UTC.
    public let time: Int64
    /// The bytes, equal to those appended: two checksums say so.
    public let payload: [UInt8]

    /// For tests of those who replay.
    public init(
        id: RecordID, units: Int, kind: RecordKind = .usual, time: Int64, payload: [UInt8]
    ) {
        self.id = id
        self.units = units
        self.kind = kind
        self.time = time
        self.payload = payload
    }
}
