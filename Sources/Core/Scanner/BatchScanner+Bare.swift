import Glibc
import Readings

/// Bodies without envelope: an array of readings, and lines with one reading each.
extension BatchScanner {
    /// The elements of an array.
    mutating func advanceInArray(_ window: Window) throws(JSONCursor.Stop) {
        while true {
            position = window.skip(position, true)
            let byte = window[position]
            if position >= window.end { return }
            switch (state, byte) {
            case (.afterElement, 0x2C):
                position += 1
                state = .element
                continue
            case (.afterElement, 0x5D), (.firstElement, 0x5D):
                position += 1
                state = .end
                return
            case (.afterElement, _):
                throw .unexpectedByte(at: position)
            default:
                break
            }
            guard byte == 0x7B else { throw notAReading(byte) }
            if readWide(window) {
                state = .afterElement
                continue
            }
            try readPlainly(window)
            if state == .skippingReading { return }
        }
    }

    // MARK: Lines

    /// Reads all complete lines. A line is a reading; blank lines are none. A line that is not a
    /// JSON object, or is too long, is quarantined and costs no other line.
    mutating func advanceInLines(_ window: Window) throws(JSONCursor.Stop) {
        if state == .firstLine { try readStart(window, isWhole: false) }
        // Of one line, so that a text that is not closed ends with it.
        var line = PaddedInput()
        while true {
            if state == .skippingLine {
                guard let end = window.lineEnd(from: position, before: window.end) else {
                    position = window.end
                    return
                }
                position = end + 1
                try endSkippedLine()
            }
            position = window.skip(position, true)
            guard position < window.end else { return }
            let farthest = min(window.end, position + limits.readingBytesMax + 1)
            if let end = window.lineEnd(from: position, before: farthest) {
                if window[position] == 0x7B, readWide(window, lineEnd: end) { continue }
                try readLine(window, position..<end, &line)
                position = end + 1
            } else if window.end - position > limits.readingBytesMax {
                oversized = window.bytes(position..<position + limits.readingBytesMax)
                position += limits.readingBytesMax
                state = .skippingLine
            } else {
                throw .needMore
            }
        }
    }

    /// The body has ended, perhaps in a line.
    mutating func finishLines() throws(ScanError) {
        do throws(JSONCursor.Stop) {
            let window = input.window
            if state == .firstLine { try readStart(window, isWhole: true) }
            if state == .skippingLine { try endSkippedLine() }
            position = window.skip(position, true)
            if position < window.end {
                var line = PaddedInput()
                try readLine(window, position..<window.end, &line)
                position = window.end
            }
            state = .end
        } catch {
            throw scanError(error)
        }
    }

    /// What can't be lines is said at once: a body that is compressed, or in UTF-16. A byte order
    /// mark in UTF-8 is skipped.
    private mutating func readStart(_ window: Window, isWhole: Bool) throws(JSONCursor.Stop) {
        guard isWhole || window.end >= 3 else { throw .needMore }
        switch (window[0], window[1]) {
        case (0x1F, 0x8B), (0x28, 0xB5), (0x04, 0x22), (0x78, 0x01), (0x78, 0x5E), (0x78, 0x9C),
            (0x78, 0xDA), (0xFE, 0xFF), (0xFF, 0xFE):
            throw .unexpectedByte(at: 0)
        case (0, _) where window.end > 0:
            throw .unexpectedByte(at: 0)
        case (_, 0) where window.end > 1:
            throw .unexpectedByte(at: 1)
        case (0xEF, 0xBB) where window[2] == 0xBF:
            position = 3
        default:
            break
        }
        state = .line
    }

    private mutating func endSkippedLine() throws(JSONCursor.Stop) {
        try quarantine(.readingTooLarge, body: oversized, of: nil)
        oversized = []
        state = .line
    }

    /// - Parameter range: not longer than a reading may be; its first byte is no white space.
    private mutating func readLine(
        _ window: Window, _ range: Range<Int>, _ line: inout PaddedInput
    ) throws(JSONCursor.Stop) {
        line.replace(
            first: line.end,
            with: UnsafeRawBufferPointer(start: window.base + range.lowerBound, count: range.count)
                .bytes)
        let whole = line.window
        let reading: PlainReading
        do throws(JSONCursor.Stop) {
            reading = try PlainReading(whole, at: 0)
            let end = whole.skip(reading.range.upperBound, true)
            guard end == whole.end else { throw .unexpectedByte(at: end) }
        } catch {
            var end = whole.end
            while end > 0, JSONCursor.isWhiteSpace(whole[end - 1]) { end -= 1 }
            return try quarantine(
                error.isNestedTooDeep ? .nestedTooDeep : .lineInvalid, body: whole.bytes(0..<end),
                of: nil)
        }
        try judge(reading)
    }
}

extension Window {
    /// The index of the first line feed.
    fileprivate func lineEnd(from start: Int, before end: Int) -> Int? {
        guard start < end, let found = memchr(base + start, 0x0A, end - start) else { return nil }
        return start + (UnsafeRawPointer(found) - UnsafeRawPointer(base + start))
    }
}

extension JSONCursor {
    /// A line feed is in a line only if the whole body has fewer than three bytes.
    fileprivate static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0D || byte == 0x09 || byte == 0x0A
    }
}

extension JSONCursor.Stop {
    fileprivate var isNestedTooDeep: Bool {
        if case .nestedTooDeep = self { true } else { false }
    }
}
