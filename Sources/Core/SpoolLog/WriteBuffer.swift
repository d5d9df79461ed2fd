internal import Glibc

/// The unwritten end of the active segment, and the last page before it.
///
/// Pages are written whole, so that the kernel need not read a page of a recycled file to change a
/// part of it. They are filled with zeros after the last record, at least as many as a header has.
/// The earlier bytes of a page are written again unchanged.
struct WriteBuffer: ~Copyable {
    static let pageBytes = 4096

    private var storage: UnsafeMutableRawBufferPointer
    /// The buffer's start in the file; a multiple of the page size.
    private var base = 0
    /// The buffer's end in the file.
    private(set) var end = 0
    /// The start of the unwritten bytes in the file.
    private var unwritten = 0

    init() {
        storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
    }

    deinit { storage.deallocate() }

    var unwrittenBytes: Int { end - unwritten }

    /// `bytes` rounded up to whole pages.
    static func pages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) / pageBytes * pageBytes }

    /// Starts a new file, and frees memory beyond `bytes`.
    mutating func restart(keepingBytes bytes: Int) {
        base = 0
        end = 0
        unwritten = 0
        if storage.count > 2 * bytes + 16 * Self.pageBytes {
            storage.deallocate()
            storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
        }
    }

    /// Room for `count` bytes after the end; invalid after the next mutation.
    mutating func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let used = end - base
        // Padding must fit too.
        let needed = used + count + 2 * Self.pageBytes
        if needed > storage.count {
            let capacity = max(needed, storage.count * 2)
            let grown = UnsafeMutableRawBufferPointer.allocate(
                byteCount: capacity, alignment: Self.pageBytes)
            grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<used]))
            storage.deallocate()
            storage = grown
        }
        return UnsafeMutableRawBufferPointer(rebasing: storage[used..<(used + count)])
    }

    /// Adds the first `count` bytes of the last ``room(_:)``.
    mutating func extend(_ count: Int) {
        end += count
        precondition(end - base <= storage.count, "BUG: count=\(count)")
    }

    /// Writes all, and zeros up to the end of a page. After an error it is unchanged.
    ///
    /// The page with the first header is written last: until then no record of this write counts,
    /// whenever the process ends.
    mutating func write(to file: some DiskFile) throws(DiskError) {
        guard unwritten < end else { return }
        let used = end - base
        let padded = Self.pages(used + RecordHeader.byteCount)
        memset(storage.baseAddress! + used, 0, padded - used)
        let first = Self.pages(unwritten - base + RecordHeader.byteCount)
        if padded > first {
            try file.write(
                UnsafeRawBufferPointer(rebasing: storage[first..<padded]), at: base + first)
        }
        try file.write(UnsafeRawBufferPointer(rebasing: storage[..<first]), at: base)
        unwritten = end
        // The last, partial page stays: the next write writes it again.
        let kept = used % Self.pageBytes
        if kept > 0, used > kept {
            storage.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: storage[(used - kept)..<used]))
        }
        base = end - kept
    }
}
