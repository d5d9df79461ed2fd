internal import Glibc

/// The end of the segment in use, not yet written, and the last page before it.
///
/// Pages are written whole, with zeros behind the last record, at least as many as a header has: the
/// kernel need not read a page of a recycled file to change a part of it. What a page held before is
/// written again as it was.
struct WriteBuffer: ~Copyable {
    static let pageBytes = 4096

    private var storage: UnsafeMutableRawBufferPointer
    /// Where in the file the buffer starts; a multiple of a page.
    private var base = 0
    /// Where in the file what it holds ends.
    private(set) var end = 0
    /// Where in the file what was not written starts.
    private var unwritten = 0

    init() {
        storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
    }

    deinit { storage.deallocate() }

    var unwrittenBytes: Int { end - unwritten }

    /// The bytes of as many pages as it takes to hold `bytes`.
    static func pages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) / pageBytes * pageBytes }

    /// Starts anew at the start of a file, and gives back memory beyond `bytes`.
    mutating func restart(keepingBytes bytes: Int) {
        base = 0
        end = 0
        unwritten = 0
        if storage.count > 2 * bytes + 16 * Self.pageBytes {
            storage.deallocate()
            storage = .allocate(byteCount: 16 * Self.pageBytes, alignment: Self.pageBytes)
        }
    }

    /// Room for `count` bytes behind the end; void after the next mutation.
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

    /// Takes up the first `count` bytes of the last ``room(_:)``.
    mutating func extend(_ count: Int) {
        end += count
        precondition(end - base <= storage.count, "BUG: count=\(count)")
    }

    /// Writes all, and zeros up to the end of a page. On an error it stays as it was.
    ///
    /// The first header goes last: until it is there nothing of it is, whenever the process ends.
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
        // The page that is not full stays, for it is to be written once more.
        let kept = used % Self.pageBytes
        if kept > 0, used > kept {
            storage.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: storage[(used - kept)..<used]))
        }
        base = end - kept
    }
}
