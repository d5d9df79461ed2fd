import Glibc

extension MultipartReader {
    /// Reads text up to a delimiter or the chunk's end, whichever comes first.
    ///
    /// A delimiter contains CR only at its start. So when a partial match fails, the matched bytes
    /// are text, and only the byte that failed needs to be examined again.
    mutating func text(_ chunk: RawSpan, isPart: Bool) -> MultipartEvent? {
        if let withheld {
            self.withheld = nil
            if isPart, !withheld.isEmpty { return .withheld(delimiter[withheld]) }
        }
        if matched > 0 {
            let count = min(delimiter.count - matched, chunk.byteCount - position)
            let equal = commonPrefix(chunk, count)
            matched += equal
            advance(equal)
            if matched == delimiter.count { return delimited(isPart) }
            if equal < count { release() }
            return nil
        }
        let start = position
        let (end, equal) = search(chunk)
        advance(end + equal - start)
        matched = equal
        if equal == delimiter.count && end == start { return delimited(isPart) }
        if equal == delimiter.count {
            // The text first; the delimiter is known and costs one more call.
            position -= 1
            offset -= 1
            matched -= 1
        }
        return isPart && end > start ? .body(start..<end) : nil
    }

    private mutating func delimited(_ isPart: Bool) -> MultipartEvent? {
        (matched, borrowed) = (0, 0)
        state = .boundaryLine(padding: 0)
        return isPart ? .partEnds : nil
    }

    /// Turns a partial match into text.
    private mutating func release() {
        withheld = borrowed..<max(borrowed, matched)
        (matched, borrowed) = (0, 0)
    }

    /// How many of the next `count` bytes from `position` continue the delimiter.
    private func commonPrefix(_ chunk: RawSpan, _ count: Int) -> Int {
        var equal = 0
        while equal < count,
            chunk.unsafeLoad(fromByteOffset: position + equal, as: UInt8.self)
                == delimiter[matched + equal]
        {
            equal += 1
        }
        return equal
    }

    /// The first place in the chunk where the delimiter begins, and how many of its bytes are
    /// there: all, or as many as the chunk has. The chunk's end and 0 when there is none.
    ///
    /// The last byte of each possible place of the delimiter is examined first. It decides how far
    /// the search may skip: in most texts by the delimiter's whole length. A search for CR would
    /// stop every 256 bytes in a photo. Four places are examined at a time, because otherwise the
    /// processor would wait for one byte to know where the next one is.
    ///
    /// - Source: Horspool, "Practical fast searching in strings", 1980.
    private func search(_ chunk: RawSpan) -> (place: Int, matched: Int) {
        chunk.withUnsafeBytes { bytes in
            delimiter.withUnsafeBytes { delimiter in
                steps.withUnsafeBufferPointer { steps in
                    strangers.withUnsafeBufferPointer { strangers in
                        Self.search(
                            for: delimiter, at: position, in: bytes, steps: steps,
                            strangers: strangers)
                    }
                }
            }
        }
    }

    private static func search(
        for delimiter: UnsafeRawBufferPointer, at start: Int, in bytes: UnsafeRawBufferPointer,
        steps: UnsafeBufferPointer<UInt8>, strangers: UnsafeBufferPointer<UInt8>
    ) -> (place: Int, matched: Int) {
        let (count, last) = (delimiter.count, delimiter.count - 1)
        func isStrange(_ place: Int) -> UInt8 { strangers[Int(bytes[place])] }
        var place = start
        while place + last < bytes.count {
            // No delimiter contains a byte that is a stranger to it.
            var end = place + last
            while end + 3 * count < bytes.count,
                isStrange(end) & isStrange(end + count) & isStrange(end + 2 * count)
                    & isStrange(end + 3 * count) == 1
            {
                end += 4 * count
            }
            place = end - last
            guard end < bytes.count else { break }
            let byte = bytes[end]
            if byte == delimiter[last],
                memcmp(bytes.baseAddress! + place, delimiter.baseAddress!, last) == 0
            {
                return (place, count)
            }
            place += Int(steps[Int(byte)])
        }
        return beginning(of: delimiter, at: place, in: bytes)
    }

    /// The same for a delimiter that is cut off by the chunk's end.
    private static func beginning(
        of delimiter: UnsafeRawBufferPointer, at start: Int, in bytes: UnsafeRawBufferPointer
    ) -> (place: Int, matched: Int) {
        var place = start
        while place < bytes.count {
            let count = bytes.count - place
            if memcmp(bytes.baseAddress! + place, delimiter.baseAddress!, count) == 0 {
                return (place, count)
            }
            place += 1
        }
        return (bytes.count, 0)
    }
}
