import JSONText
import Readings

/// Writes a validated JSON value in exactly the text form that PostgreSQL prints for `jsonb`.
///
/// So a stored row, read back in binary, is byte for byte the tuple that was sent, and two readings
/// can be compared by their bytes, whatever key order the client's dictionary had. Members are
/// sorted by key length, then bytes; of equal keys the last is kept; separators are
/// `", "` and `": "`. Numbers are written as `numeric` prints them.
///
/// A few bytes of a number could become many: `1e400` becomes 401. So the total growth of all
/// numbers is limited, including numbers that a later equal key drops.
///
/// - Complexity: O(n × depth) moves of bytes; depth is limited by `ReadingLimits.readingDepthMax`.
/// - Source: PostgreSQL manual, "JSON Types"; the tests compare with a real server.
struct CanonicalJSON {
    /// Digits after the point that PostgreSQL's `numeric` can hold.
    private static let scaleMax = 16_383

    private(set) var output: [UInt8] = []
    private let window: Window
    private var position: Int
    private let exponentMax: Int
    /// Bytes by which numbers may still grow.
    private var growthLeft: Int

    /// - Parameter range: a whole value: valid, as ``PlainReading`` reads it, and not deeper than
    ///   the limit.
    init(_ window: Window, _ range: Range<Int>, limits: ReadingLimits) {
        self.window = window
        self.position = range.lowerBound
        exponentMax = limits.metadataExponentMax
        growthLeft = limits.metadataGrowthMax
        output.reserveCapacity(range.count + range.count / 4)
    }

    /// - Returns: the first fault in byte order: a value that `jsonb` can't hold.
    mutating func write() -> ReadingField.Fault? {
        skipWhitespace()
        switch window[position] {
        case 0x7B: return writeObject()
        case 0x5B: return writeArray()
        case 0x22: return writeString()
        // NaN, Infinity, -Infinity.
        case 0x4E, 0x49: return .invalid
        case 0x2D where window[position + 1] == 0x49: return .invalid
        case 0x2D, 0x30...0x39: return writeNumber()
        default:
            // true, false, null
            let end = position + (window[position] == 0x66 ? 5 : 4)
            window.append(position..<end, to: &output)
            position = end
            return nil
        }
    }

    private mutating func skipWhitespace() {
        while window[position] <= 0x20 { position += 1 }
    }

    private struct Member {
        /// The unescaped key.
        let key: [UInt8]
        /// `"key": value` in the output.
        let range: Range<Int>
    }

    private mutating func writeObject() -> ReadingField.Fault? {
        position += 1
        output.append(0x7B)
        let start = output.count
        var members: [Member] = []
        var isSorted = true
        skipWhitespace()
        while window[position] != 0x7D {
            if window[position] == 0x2C { position += 1 }
            skipWhitespace()
            if !members.isEmpty { output += [0x2C, 0x20] }
            let memberStart = output.count
            var key: [UInt8] = []
            if let reason = writeString(unescaped: &key) { return reason }
            output += [0x3A, 0x20]
            skipWhitespace()
            position += 1  // the colon
            if let reason = write() { return reason }
            if let last = members.last, !Self.precedes(last.key, key) { isSorted = false }
            members.append(Member(key: key, range: memberStart..<output.count))
            skipWhitespace()
        }
        position += 1
        if !isSorted { reorder(members, from: start) }
        output.append(0x7D)
        return nil
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }

    private mutating func reorder(_ members: [Member], from start: Int) {
        // The sort is stable, so the last of equal keys is the last one sent.
        let sorted = members.sorted { Self.precedes($0.key, $1.key) }
        let unsorted = output[start...]
        var ordered: [UInt8] = []
        ordered.reserveCapacity(unsorted.count)
        for (index, member) in sorted.enumerated() {
            if index + 1 < sorted.count, sorted[index + 1].key == member.key { continue }
            if !ordered.isEmpty { ordered += [0x2C, 0x20] }
            ordered += unsorted[member.range]
        }
        output.replaceSubrange(start..., with: ordered)
    }

    private mutating func writeArray() -> ReadingField.Fault? {
        position += 1
        output.append(0x5B)
        skipWhitespace()
        var isFirst = true
        while window[position] != 0x5D {
            if window[position] == 0x2C { position += 1 }
            if !isFirst { output += [0x2C, 0x20] }
            isFirst = false
            if let reason = write() { return reason }
            skipWhitespace()
        }
        position += 1
        output.append(0x5D)
        return nil
    }

    private mutating func writeString() -> ReadingField.Fault? {
        var unused: [UInt8] = []
        return writeString(unescaped: &unused)
    }

    private mutating func writeString(unescaped: inout [UInt8]) -> ReadingField.Fault? {
        let start = position + 1
        var end = start
        var isEscaped = false
        while window[end] != 0x22 {
            if window[end] == 0x5C {
                isEscaped = true
                end += 1
            }
            end += 1
        }
        position = end + 1
        guard isEscaped else {
            output.append(0x22)
            window.append(start..<end, to: &output)
            output.append(0x22)
            unescaped = window.bytes(start..<end)
            return nil
        }
        let text = Unescaped(window.text(start..<end))
        switch text.firstFault {
        case .unpairedSurrogate: return .invalid
        case .nul: return .containsNul
        case nil: break
        }
        text.bytes.withUnsafeBytes { JSONString.append($0, to: &output) }
        unescaped = text.bytes
        return nil
    }

    /// Writes a number without its exponent, which `numeric` does not have: moves the point, and
    /// keeps as many digits after it as the exponent leaves, including zeros.
    private mutating func writeNumber() -> ReadingField.Fault? {
        let start = position
        let isNegative = window[position] == 0x2D
        if isNegative { position += 1 }
        var digits: [UInt8] = []
        var digitsBeforePoint = 0
        var isFraction = false
        while true {
            let byte = window[position]
            if byte == 0x2E {
                isFraction = true
            } else if byte &- 0x30 <= 9 {
                digits.append(byte)
                if !isFraction { digitsBeforePoint += 1 }
            } else {
                break
            }
            position += 1
        }
        var exponent = 0
        if window[position] | 0x20 == 0x65 {
            position += 1
            let isMinus = window[position] == 0x2D
            if isMinus || window[position] == 0x2B { position += 1 }
            while window[position] &- 0x30 <= 9 {
                exponent = min(exponent * 10 + Int(window[position] &- 0x30), 1_000_000)
                position += 1
            }
            guard exponent <= exponentMax else { return .numberOutOfRange }
            if isMinus { exponent = -exponent }
        }
        let scale = max(0, digits.count - digitsBeforePoint - exponent)
        guard scale <= Self.scaleMax else { return .numberOutOfRange }
        let point = digitsBeforePoint + exponent
        let firstDigit = digits.firstIndex { $0 != 0x30 } ?? digits.count
        let isZero = firstDigit == digits.count
        let hasSign = isNegative && !isZero
        let hasWhole = firstDigit < point && !isZero
        let bytes =
            (hasSign ? 1 : 0) + (hasWhole ? point - firstDigit : 1) + (scale > 0 ? 1 + scale : 0)
        growthLeft -= max(0, bytes - (position - start))
        guard growthLeft >= 0 else { return .numberOutOfRange }

        func digit(_ index: Int) -> UInt8 { digits.indices.contains(index) ? digits[index] : 0x30 }
        let outputEnd = output.count + bytes
        if hasSign { output.append(0x2D) }
        if hasWhole {
            for index in firstDigit..<point { output.append(digit(index)) }
        } else {
            output.append(0x30)
        }
        if scale > 0 {
            output.append(0x2E)
            for index in point..<point + scale { output.append(digit(index)) }
        }
        precondition(output.count == outputEnd, "BUG: number=\(bytes)")
        return nil
    }
}
