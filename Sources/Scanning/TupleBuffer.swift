/// A growing run of COPY BINARY tuples of one table; no file header and no trailer.
///
/// A tuple is a 16-bit field count and per field a 32-bit length (−1 for NULL) and the bytes, all
/// big-endian. The first two fields are always `device_key` and `t`, so these stand at bytes 6 and
/// 18 of every tuple.
///
/// - Source: PostgreSQL manual, "COPY", section "Binary Format".
///
/// The second of the two files with unsafe memory access; see `PaddedInput`.
public struct TupleBuffer: ~Copyable {
    private var storage: UnsafeMutableRawPointer?
    private var capacity: Int
    /// Bytes in use.
    public private(set) var count: Int

    static let deviceKeyOffset = 6
    static let timeOffset = 18

    /// Bytes to set aside at the first tuple.
    let firstCapacity: Int

    init(firstCapacity: Int = 0) {
        self.firstCapacity = firstCapacity
        storage = nil
        capacity = 0
        count = 0
    }

    deinit {
        storage?.deallocate()
    }

    /// Memory it holds, used or not.
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
            storage.deallocate()
        }
        storage = grown
        capacity = larger
    }

    /// Room for one tuple, and the place to write it to.
    @inline(always)
    private mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
        if count &+ extra > capacity { grow(toFit: extra) }
        return storage.unsafelyUnwrapped + count
    }

    @inline(always)
    private static func put16(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt16) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    @inline(always)
    private static func put32(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt32) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    @inline(always)
    private static func put64(_ place: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt64) {
        place.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Field count, device key and time: the first 26 bytes of any tuple.
    @inline(always)
    private static func putStart(
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

    /// `(device_key int8, t timestamptz, label text, val_text text NULL, metadata jsonb NULL)`,
    /// with text that needs no unescaping, straight from the input.
    @inline(always)
    mutating func appendEvent(
        key: Int64, time: Int64, window: Window, label: Range<Int>, valueText: Range<Int>?
    ) {
        let place = reserve(26 + 12 + label.count + (valueText?.count ?? 0))
        Self.putStart(place, fields: 5, key: key, time: time)
        var offset = 26
        Self.put32(place, offset, UInt32(truncatingIfNeeded: label.count))
        (place + offset + 4).copyMemory(
            from: window.base + label.lowerBound, byteCount: label.count)
        offset &+= 4 &+ label.count
        if let valueText {
            Self.put32(place, offset, UInt32(truncatingIfNeeded: valueText.count))
            (place + offset + 4).copyMemory(
                from: window.base + valueText.lowerBound, byteCount: valueText.count)
            offset &+= 4 &+ valueText.count
        } else {
            Self.put32(place, offset, UInt32.max)
            offset &+= 4
        }
        Self.put32(place, offset, UInt32.max)
        count &+= offset &+ 4
    }

    /// The same from unescaped text and metadata in the text form of `jsonb`.
    mutating func appendEvent(
        key: Int64, time: Int64, label: [UInt8], valueText: [UInt8]?, metadata: [UInt8]?
    ) {
        let size = 26 + 12 + label.count + (valueText?.count ?? 0) + (metadata?.count ?? 0) + 1
        let place = reserve(size)
        Self.putStart(place, fields: 5, key: key, time: time)
        var offset = 26
        func put(_ field: [UInt8]?, version: UInt8? = nil) {
            guard let field else {
                Self.put32(place, offset, UInt32.max)
                offset += 4
                return
            }
            let extra = version == nil ? 0 : 1
            Self.put32(place, offset, UInt32(field.count + extra))
            offset += 4
            if let version {
                place.storeBytes(of: version, toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
            field.withUnsafeBytes { bytes in
                if let source = bytes.baseAddress {
                    (place + offset).copyMemory(from: source, byteCount: bytes.count)
                }
            }
            offset += field.count
        }
        put(label)
        put(valueText)
        // The binary form of jsonb is a version byte, 1, and its text.
        put(metadata, version: 1)
        count += offset
    }

    /// Appends whole tuples.
    mutating func append(_ tuples: UnsafeRawBufferPointer) {
        guard let source = tuples.baseAddress, tuples.count > 0 else { return }
        reserve(tuples.count).copyMemory(from: source, byteCount: tuples.count)
        count += tuples.count
    }

    /// Writes the device key into every tuple: the key is not known before the end of the batch
    /// when `data` comes before `metadata`.
    mutating func stamp(key: Int64) {
        var start = 0
        while start < count {
            Self.put64(
                storage.unsafelyUnwrapped + start, Self.deviceKeyOffset, UInt64(bitPattern: key))
            start = Self.tupleEnd(in: bytes, at: start)
        }
    }

    /// The index behind the tuple that starts at `start`.
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
