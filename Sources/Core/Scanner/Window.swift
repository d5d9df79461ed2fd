import Glibc

/// A view of bytes with ``PaddedInput/padding`` zero bytes after `end`.
///
/// Reads are unchecked in release builds: positions only advance over non-zero bytes, so they never
/// pass `end`, and no look-ahead exceeds the padding.
struct Window {
    let base: UnsafePointer<UInt8>
    let end: Int

    @inline(always)
    subscript(index: Int) -> UInt8 {
        assert(index >= 0 && index < end + PaddedInput.padding)
        return base[index]
    }

    @inline(always)
    func load16(_ index: Int) -> UInt16 {
        assert(index >= 0 && index + 2 <= end + PaddedInput.padding)
        return UnsafeRawPointer(base + index).loadUnaligned(as: UInt16.self)
    }

    @inline(always)
    func load32(_ index: Int) -> UInt32 {
        assert(index >= 0 && index + 4 <= end + PaddedInput.padding)
        return UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self)
    }

    @inline(always)
    func load64(_ index: Int) -> UInt64 {
        assert(index >= 0 && index + 8 <= end + PaddedInput.padding)
        return UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
    }

    /// Whether the bytes in `range` are `others`.
    func holds(_ others: [UInt8], at range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "BUG: range=\(range)")
        guard others.count == range.count else { return false }
        return others.withUnsafeBufferPointer { others in
            guard let start = others.baseAddress else { return true }
            return memcmp(start, base + range.lowerBound, range.count) == 0
        }
    }

    /// A copy of the bytes in `range`.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "BUG: range=\(range)")
        return [UInt8](UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "BUG: range=\(range)")
        output.append(
            contentsOf: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}
