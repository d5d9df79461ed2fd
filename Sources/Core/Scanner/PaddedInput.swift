import Glibc

/// The buffered bytes: the unread rest of earlier chunks, the newest chunk, then 64 zero bytes. So
/// a parser may load whole words and needs no end check per byte: a zero byte is not part of any
/// JSON token.
///
/// See `Scanning` for where unsafe code is.
struct PaddedInput: ~Copyable {
    static let padding = 64

    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// Index after the last byte of input.
    private(set) var end = 0

    init() {
        capacity = 4096
        storage = .allocate(capacity: capacity + Self.padding)
        storage.initialize(repeating: 0, count: capacity + Self.padding)
    }

    deinit {
        storage.deallocate()
    }

    /// A view for one pass; invalid after the next mutation.
    var window: Window {
        Window(base: UnsafePointer(storage), end: end)
    }

    /// Drops the first `count` bytes, moves the rest to the front and appends `chunk`.
    mutating func replace(first count: Int, with chunk: RawSpan) {
        precondition(count >= 0 && count <= end, "BUG: count=\(count) end=\(end)")
        let rest = end - count
        let needed = rest + chunk.byteCount
        if needed > capacity {
            capacity = max(needed, capacity * 2)
            let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
            grown.update(from: storage + count, count: rest)
            storage.deallocate()
            storage = grown
        } else if count > 0 && rest > 0 {
            // Overlapping regions are fine for `update`.
            storage.update(from: storage + count, count: rest)
        }
        chunk.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress {
                UnsafeMutableRawPointer(storage + rest)
                    .copyMemory(from: source, byteCount: bytes.count)
            }
        }
        end = needed
        (storage + end).update(repeating: 0, count: Self.padding)
    }

    mutating func removeAll() {
        end = 0
        storage.update(repeating: 0, count: Self.padding)
    }

    /// Frees memory that one large reading needed.
    mutating func shrink(to bytes: Int) {
        guard capacity > bytes else { return }
        precondition(end <= bytes, "BUG: end=\(end)")
        capacity = bytes
        let smaller = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
        smaller.update(from: storage, count: end + Self.padding)
        storage.deallocate()
        storage = smaller
    }
}
