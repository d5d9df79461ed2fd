/// A growing byte buffer that is written front to back and reused.
///
/// It owns raw memory, so that a load generator spends its time in the kernel and not here. All
/// unsafe stores are in this file; each checks the capacity first.
public struct ByteWriter: ~Copyable {
    /// Number of bytes written.
    public private(set) var count = 0
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// The day whose `YYYY-MM-DD` is in `dayText`.
    var cachedDay: Int32 = .min
    var dayText: (UInt64, UInt16) = (0, 0)

    /// An empty buffer with room for `capacity` bytes.
    public init(capacity: Int = 4096) {
        precondition(capacity > 0, "BUG: capacity=\(capacity)")
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        base.deallocate()
    }

    /// Makes room for `bytes` more bytes.
    @inline(__always)
    public mutating func reserve(_ bytes: Int) {
        if count + bytes > capacity { grow(by: bytes) }
    }

    @inline(never)
    private mutating func grow(by bytes: Int) {
        let larger = max(capacity * 2, count + bytes)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    /// Empties the buffer and keeps its memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Drops everything after the first `newCount` bytes.
    public mutating func truncate(to newCount: Int) {
        precondition(newCount <= count, "BUG: count=\(count) newCount=\(newCount)")
        count = newCount
    }

    /// Appends one byte.
    @inline(__always)
    public mutating func put(byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends a compile-time constant text.
    @inline(__always)
    public mutating func put(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        (base + count).copyMemory(from: text.utf8Start, byteCount: length)
        count += length
    }

    /// Appends a text as UTF-8.
    public mutating func put(text: String) {
        var text = text
        text.withUTF8 { put(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a copy of bytes.
    @inline(__always)
    public mutating func put(bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends a copy of bytes.
    public mutating func put(bytes: [UInt8]) {
        bytes.withUnsafeBytes { put(bytes: $0) }
    }

    /// Appends an integer in big-endian order, as PostgreSQL's binary formats require.
    @inline(__always)
    public mutating func put<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        let size = MemoryLayout<Integer>.size
        reserve(size)
        base.storeBytes(of: value.bigEndian, toByteOffset: count, as: Integer.self)
        count += size
    }

    /// Overwrites four bytes.
    public mutating func replace(at offset: Int, bigEndian value: Int32) {
        precondition(offset + 4 <= count, "BUG: offset=\(offset) count=\(count)")
        base.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
    }

    /// Overwrites one byte.
    public mutating func replace(at offset: Int, byte: UInt8) {
        precondition(offset < count, "BUG: offset=\(offset) count=\(count)")
        base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Lends the bytes for the duration of `body`.
    @inline(__always)
    public borrowing func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy of the bytes from `offset` on.
    public borrowing func array(from offset: Int = 0) -> [UInt8] {
        withBytes { [UInt8]($0[offset...]) }
    }
}
