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

    /// Where a tuple has its key, big-endian.
    public static let deviceKeyOffset = 6
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

    /// `(device_key int8, t timestamptz, lat float8, lon float8, acc float8 NULL, alt float8 NULL,
    /// vacc float8 NULL, motion int8 NULL)`, without the last three.
    ///
    /// - Parameter accuracy: metres; a negative one means unknown and is written as NULL.
    /// - Note: 0 is added to each number, which makes 0 of −0 and changes no other: equal readings
    ///   have equal bytes.
    @inline(always)
    mutating func appendGPS(
        key: Int64, time: Int64, latitude: Double, longitude: Double, accuracy: Double
    ) {
        let place = reserve(74)
        Self.putStart(place, fields: 8, key: key, time: time)
        Self.put32(place, 26, 8)
        Self.put64(place, 30, (latitude + 0.0).bitPattern)
        Self.put32(place, 38, 8)
        Self.put64(place, 42, (longitude + 0.0).bitPattern)
        var end = 54
        if accuracy < 0 {
            Self.put32(place, 50, UInt32.max)
        } else {
            Self.put32(place, 50, 8)
            Self.put64(place, 54, (accuracy + 0.0).bitPattern)
            end = 62
        }
        Self.put64(place, end, UInt64.max)
        Self.put32(place, end &+ 8, UInt32.max)
        count &+= end &+ 12
    }

    /// The same with the last three.
    @inline(never)
    mutating func appendGPS(
        key: Int64, time: Int64, latitude: Double, longitude: Double, accuracy: Double,
        _ details: PositionDetails
    ) {
        appendGPS(
            key: key, time: time, latitude: latitude, longitude: longitude, accuracy: accuracy)
        count &-= 12
        append(field: details.altitude.isNaN ? nil : (details.altitude + 0.0).bitPattern)
        let accuracy = details.verticalAccuracy
        append(field: accuracy >= 0 ? (accuracy + 0.0).bitPattern : nil)
        append(field: details.motion.map { UInt64(bitPattern: $0) })
    }

    private mutating func append(field: UInt64?) {
        let place = reserve(12)
        guard let field else {
            Self.put32(place, 0, UInt32.max)
            return count += 4
        }
        Self.put32(place, 0, 8)
        Self.put64(place, 4, field)
        count += 12
    }

    /// `(device_key int8, t timestamptz, code int2, val float8)`
    @inline(always)
    mutating func appendVital(key: Int64, time: Int64, code: Int16, value: Double) {
        let place = reserve(44)
        Self.putStart(place, fields: 4, key: key, time: time)
        Self.put32(place, 26, 2)
        Self.put16(place, 30, UInt16(bitPattern: code))
        Self.put32(place, 32, 8)
        Self.put64(place, 36, (value + 0.0).bitPattern)
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

    /// Appends a tuple of a former version, which had fewer columns: the others are NULL.
    mutating func append(_ tuple: UnsafeRawBufferPointer, widenedTo fields: UInt16) {
        let missing =
            Int(fields)
            - Int(UInt16(bigEndian: tuple.loadUnaligned(fromByteOffset: 0, as: UInt16.self)))
        let start = count
        append(tuple)
        Self.put16(storage.unsafelyUnwrapped + start, 0, fields)
        for _ in 0..<missing { append(field: nil) }
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
        for _ in 0..<fields { offset = fieldEnd(in: bytes, at: offset) }
        precondition(offset <= bytes.count, "BUG: offset=\(offset) count=\(bytes.count)")
        return offset
    }

    /// Appends one field of each tuple, with its length before it.
    ///
    /// - Complexity: O(fields) a tuple.
    public static func append(
        field number: Int, of tuples: UnsafeRawBufferPointer, to bytes: inout [UInt8]
    ) {
        var start = 0
        while start < tuples.count {
            let fields = Int(
                UInt16(bigEndian: tuples.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
            var offset = start + 2
            for _ in 0..<number { offset = fieldEnd(in: tuples, at: offset) }
            start = fieldEnd(in: tuples, at: offset)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: tuples[offset..<start]))
            for _ in number + 1..<fields { start = fieldEnd(in: tuples, at: start) }
        }
    }

    @inline(always)
    private static func fieldEnd(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        return offset + 4 + max(0, Int(length))
    }

    /// The time of the tuple that starts at `start`, microseconds since 2000.
    public static func time(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int64 {
        Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + timeOffset, as: Int64.self))
    }
}
