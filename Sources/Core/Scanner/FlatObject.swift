/// An event's `metadata` as most clients send it: up to sixteen members whose values are plain
/// strings, numbers, booleans or null. It is read and checked in one pass and put in `jsonb`'s
/// order.
///
/// Nested values, escapes, exponents, negative zeros, duplicate keys and faults are left to
/// ``CanonicalJSON``, which knows all rules; this type is either right or not used.
struct FlatObject: ~Copyable {
    static let membersMax = 16
    private static let numberBytesMax = 64

    private struct Member {
        /// Without its quotes.
        var key = 0..<0
        /// A string includes its quotes.
        var value = 0..<0
    }

    /// In the order of `jsonb`.
    private var members = InlineArray<16, Member>(repeating: Member())
    private var count = 0
    /// Bytes of all keys and values.
    private var contentBytes = 0

    /// Reads the object at `start`.
    ///
    /// - Parameter bytesMax: limit of the object as sent.
    /// - Returns: the index after `}`, or −1 for anything unusual or incomplete.
    @inline(never)
    mutating func read(_ window: Window, at start: Int, bytesMax: Int) -> Int {
        guard window[start] == 0x7B else { return -1 }
        var cursor = JSONCursor(window: window, position: start + 1)
        count = 0
        contentBytes = 0
        cursor.skipWhitespace()
        if cursor.byte != 0x7D {
            while true {
                guard let key = try? cursor.string(), !key.isEscaped else { return -1 }
                cursor.skipWhitespace()
                guard cursor.byte == 0x3A else { return -1 }
                cursor.position += 1
                cursor.skipWhitespace()
                guard let value = Self.value(&cursor), insert(key.range, value, window) else {
                    return -1
                }
                cursor.skipWhitespace()
                let next = cursor.byte
                if next == 0x7D { break }
                guard next == 0x2C else { return -1 }
                cursor.position += 1
                cursor.skipWhitespace()
            }
        }
        cursor.position += 1
        return cursor.position - start <= bytesMax ? cursor.position : -1
    }

    /// The range of a value that `jsonb` prints as it was sent.
    @inline(always)
    private static func value(_ cursor: inout JSONCursor) -> Range<Int>? {
        let start = cursor.position
        switch cursor.byte {
        case 0x22:
            guard let text = try? cursor.string(), !text.isEscaped else { return nil }
            return text.range.lowerBound - 1..<text.range.upperBound + 1
        case 0x30...0x39:
            guard let number = try? cursor.number() else { return nil }
            return isPlain(number, cursor.window) ? number : nil
        case 0x2D:
            guard let number = try? cursor.number(), isPlain(number, cursor.window),
                number.contains(where: { (0x31...0x39).contains(cursor.window[$0]) })
            else { return nil }
            return number
        case 0x74:
            guard (try? cursor.literal("true")) != nil else { return nil }
        case 0x66:
            guard (try? cursor.literal("false")) != nil else { return nil }
        case 0x6E:
            guard (try? cursor.literal("null")) != nil else { return nil }
        default:
            return nil
        }
        return start..<cursor.position
    }

    /// Whether a number is short and has no exponent.
    private static func isPlain(_ number: Range<Int>, _ window: Window) -> Bool {
        guard number.count <= numberBytesMax else { return false }
        for index in number where window[index] | 0x20 == 0x65 { return false }
        return true
    }

    /// Inserts in order, shorter keys first, then by bytes; returns false for a duplicate key or
    /// too many members.
    @inline(always)
    private mutating func insert(
        _ key: Range<Int>, _ value: Range<Int>, _ window: Window
    ) -> Bool {
        guard count < Self.membersMax else { return false }
        var place = count
        while place > 0 {
            let order = Self.order(members[place - 1].key, key, window)
            if order == 0 { return false }
            if order < 0 { break }
            members[place] = members[place - 1]
            place -= 1
        }
        members[place] = Member(key: key, value: value)
        count += 1
        contentBytes += key.count + value.count
        return true
    }

    /// Negative when `left` comes first, 0 when they are equal.
    @inline(always)
    private static func order(_ left: Range<Int>, _ right: Range<Int>, _ window: Window) -> Int {
        if left.count != right.count { return left.count - right.count }
        for offset in 0..<left.count {
            let difference =
                Int(window[left.lowerBound + offset]) - Int(window[right.lowerBound + offset])
            if difference != 0 { return difference }
        }
        return 0
    }

    /// Bytes that ``write(to:from:)`` writes: braces, and per member quotes, `": "` and `", "`.
    var textBytes: Int { 2 + contentBytes + 6 * count - (count > 0 ? 2 : 0) }

    /// Writes the text that `jsonb` prints.
    ///
    /// - Parameters:
    ///   - start: has room for ``textBytes``.
    ///   - window: the window that was read.
    func write(to start: UnsafeMutableRawPointer, from window: Window) {
        var place = start
        func put(_ byte: UInt8) {
            place.storeBytes(of: byte, as: UInt8.self)
            place += 1
        }
        func put(_ range: Range<Int>) {
            place.copyMemory(from: window.base + range.lowerBound, byteCount: range.count)
            place += range.count
        }
        put(0x7B)
        for index in 0..<count {
            if index > 0 {
                put(0x2C)
                put(0x20)
            }
            put(0x22)
            put(members[index].key)
            put(0x22)
            put(0x3A)
            put(0x20)
            put(members[index].value)
        }
        put(0x7D)
        precondition(place == start + textBytes, "BUG: text=\(place - start)")
    }
}
