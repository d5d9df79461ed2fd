/// A growing buffer of COPY BINARY tuples of one table, without file header and trailer.
///
/// A tuple is a 16-bit field count and per field a 32-bit length (−1 for NULL) and the bytes, all
/// big-endian. The first two fields are always `device_key` and `t`, so their values are at bytes 6
/// and 18 of every tuple.
///
/// - Source: PostgreSQL manual, "COPY", section "Binary Format".
///
/// See `Scanning` for where unsafe code is.
public struct TupleBuffer: ~Copyable {
    private var storage: UnsafeMutableRawPointer?
    private var capacity: Int
    /// The storage is part of a ``TupleSlab``, which frees it.
    private var isLent: Bool
    /// Bytes in use.
    public internal(set) var count: Int

    static let deviceKeyOffset = 6
    static let timeOffset = 18
    /// Bytes before the first field of the kind.
    static let startBytes = 26

    /// Bytes of the first allocation.
    var firstCapacity: Int

    init(firstCapacity: Int = 0) {
        self.firstCapacity = firstCapacity
        storage = nil
        capacity = 0
        isLent = false
        count = 0
    }

    /// A copy in the slab's memory.
    init(copying other: borrowing TupleBuffer, to slab: inout TupleSlab) {
        firstCapacity = 0
        storage = slab.takeCopy(of: other.bytes)
        capacity = other.count
        isLent = true
        count = other.count
    }

    deinit {
        if !isLent { storage?.deallocate() }
    }

    /// Removes all tuples; keeps the memory unless it exceeds `keepingBytes`.
    mutating func removeAll(keepingBytes: Int) {
        precondition(!isLent, "BUG: a buffer on loan is not used again")
        count = 0
        guard capacity > keepingBytes else { return }
        storage?.deallocate()
        storage = nil
        capacity = 0
    }

    /// Allocated bytes, used or not.
    public var byteCapacity: Int { capacity }

    /// The tuples; valid while the buffer lives and is not appended to.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage, count: count)
    }

    @inline(never)
    private mutating func grow(toFit extra: Int) {
        let larger = max(count + extra, capacity * 2, firstCapacity, 512)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        if let storage {
            grown.copyMemory(from: storage, byteCount: count)
            if !isLent { storage.deallocate() }
        }
        storage = grown
        capacity = larger
        isLent = false
    }

    /// Makes room for `extra` bytes and returns the address to write them to.
    @inline(always)
    mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
        if count &+ extra > capacity { grow(toFit: extra) }
        return storage.unsafelyUnwrapped + count
    }

    @inline(always)
    static func put16(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt16) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    @inline(always)
    static func put32(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt32) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    @inline(always)
    private static func put64(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt64) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Field count, device key and time: the first 26 bytes of any tuple.
    @inline(always)
    static func putStart(
        _ place: UnsafeMutableRawPointer, fields: UInt16, key: Int64, time: Int64
    ) {
        put16(place, 0, fields)
        put32(place, 2, 8)
        put64(place, deviceKeyOffset, UInt64(bitPattern: key))
        put32(place, 14, 8)
        put64(place, timeOffset, UInt64(bitPattern: time))
    }

    /// `(device_key int8, t timestamptz, lat float8, lon float8, acc float8 NULL)`
    ///
    /// - Parameter accuracy: metres; a negative one means unknown and is written as NULL.
    @inline(always)
    mutating func appendGPS(
        key: Int64, time: Int64, latitude: Double, longitude: Double, accuracy: Double
    ) {
        let place = reserve(62)
        Self.putStart(place, fields: 5, key: key, time: time)
        Self.put32(place, 26, 8)
        Self.put64(place, 30, latitude.bitPattern)
        Self.put32(place, 38, 8)
        Self.put64(place, 42, longitude.bitPattern)
        if accuracy < 0 {
            Self.put32(place, 50, UInt32.max)
            count &+= 54
        } else {
            Self.put32(place, 50, 8)
            Self.put64(place, 54, accuracy.bitPattern)
            count &+= 62
        }
    }

    /// `(device_key int8, t timestamptz, code int2, val float8)`
    @inline(always)
    mutating func appendVital(key: Int64, time: Int64, code: Int16, value: Double) {
        let place = reserve(44)
        Self.putStart(place, fields: 4, key: key, time: time)
        Self.put32(place, 26, 2)
        Self.put16(place, 30, UInt16(bitPattern: code))
        Self.put32(place, 32, 8)
        Self.put64(place, 36, value.bitPattern)
        count &+= 44
    }

    /// Appends a tuple of any kind.
    ///
    /// - Parameter fields: the fields after key and time, each after its length.
    mutating func append(key: Int64, time: Int64, fieldCount: Int, _ fields: [UInt8]) {
        Self.putStart(
            reserve(Self.startBytes + fields.count), fields: UInt16(fieldCount), key: key,
            time: time)
        count += Self.startBytes
        fields.withUnsafeBytes { append($0) }
    }

    /// Appends whole tuples.
    mutating func append(_ tuples: UnsafeRawBufferPointer) {
        guard let source = tuples.baseAddress, tuples.count > 0 else { return }
        reserve(tuples.count).copyMemory(from: source, byteCount: tuples.count)
        count += tuples.count
    }

    /// Writes the device key into every tuple. When `data` comes before `metadata`, the key is
    /// known at the end of the batch only.
    mutating func stamp(key: Int64) {
        var start = 0
        while start < count {
            Self.put64(
                storage.unsafelyUnwrapped + start, Self.deviceKeyOffset, UInt64(bitPattern: key))
            start = Self.tupleEnd(in: bytes, at: start)
        }
    }

    /// The index after the tuple that starts at `start`.
    ///
    /// - Complexity: O(fields).
    public static func tupleEnd(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        let fields = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self))
        var offset = start + 2
        for _ in 0..<fields {
            let length = Int32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            offset += 4 + max(0, Int(length))
        }
        precondition(offset <= bytes.count, "BUG: offset=\(offset) count=\(bytes.count)")
        return offset
    }

    /// The time of the tuple that starts at `start`, microseconds since 2000.
    public static func time(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int64 {
        Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + timeOffset, as: Int64.self))
    }
}

/// One allocation for the tuples of all kinds of a small batch: three allocations would cost more
/// than three readings.
///
/// The buffers made from it don't own their memory: it must live as long as they do.
struct TupleSlab: ~Copyable {
    /// A batch with more bytes of tuples takes the scanner's buffers instead of copies.
    static let bytesMax = 16 * 1024

    private let storage: UnsafeMutableRawPointer?
    private let byteCount: Int
    private var used = 0

    /// Allocates that many bytes; nothing for 0.
    init(byteCount: Int = 0) {
        precondition(byteCount >= 0, "BUG: byteCount=\(byteCount)")
        storage = byteCount > 0 ? .allocate(byteCount: byteCount, alignment: 8) : nil
        self.byteCount = byteCount
    }

    deinit {
        storage?.deallocate()
    }

    /// Copies bytes behind the last copy; returns nil when there are none.
    mutating func takeCopy(of bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let source = bytes.baseAddress, bytes.count > 0, let storage else { return nil }
        precondition(bytes.count <= byteCount - used, "BUG: bytes=\(bytes.count) used=\(used)")
        let place = storage + used
        place.copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
        return place
    }
}
