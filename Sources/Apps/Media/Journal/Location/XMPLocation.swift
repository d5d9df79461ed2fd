/// XMP: replaces properties that hold a place by spaces, which XML allows in place of any property.
///
/// A packet that mentions a place and can't be parsed to its end, or contains zero bytes (UTF-16),
/// is replaced by spaces as a whole.
///
/// - Source: ISO 16684-1 (XMP), 7; W3C XML 1.0, 2.4 to 2.7 and 3.1.
struct XMPLocation {
    private var text: [UInt8]
    private var place = 0
    /// The open element that is being erased: its name, its start, and how many elements of that
    /// name are open.
    private var erasing: (name: [UInt8], start: Int, depth: Int)?
    private var erased: [Range<Int>] = []

    /// - Returns: whether something was changed.
    static func erase(in text: inout [UInt8]) -> Bool {
        guard mentionsPlace(text) else { return false }
        var packet = XMPLocation(text: text)
        let isRead = !text.contains(0) && packet.read() && packet.erasing == nil
        for range in isRead ? packet.erased : [text.indices] {
            text.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
        }
        return !isRead || !packet.erased.isEmpty
    }

    private init(text: [UInt8]) { self.text = text }

    private static let words = ["gps", "latitude", "longitude", "geo:"].map { Array($0.utf8) }

    /// Whether a text contains one of the words, in any case. Zeros are skipped, because UTF-16 has
    /// them between letters.
    static func mentionsPlace(_ bytes: [UInt8]) -> Bool {
        let text = bytes.filter { $0 != 0 }.map(lowercased)
        return words.contains { word in
            var place = text.startIndex
            while let start = text[place...].firstIndex(of: word[0]) {
                if text[start...].starts(with: word) { return true }
                place = start + 1
            }
            return false
        }
    }

    /// - Parameter name: including its prefix.
    private static func saysPlace(_ name: [UInt8]) -> Bool { mentionsPlace(name) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte + 32 : byte
    }

    /// - Returns: false when the text is not XML.
    private mutating func read() -> Bool {
        while let next = text[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = next
            let isPassed: Bool
            if has("<!--") {
                isPassed = pass("-->")
            } else if has("<![CDATA[") {
                isPassed = pass("]]>")
            } else if has("<?") {
                isPassed = pass("?>")
            } else if has("</") {
                isPassed = readEnd()
            } else if has("<!") {
                isPassed = pass(">")
            } else {
                isPassed = readStart()
            }
            guard isPassed else { return false }
        }
        return true
    }

    private mutating func readStart() -> Bool {
        let start = place
        place += 1
        let name = takeName()
        guard !name.isEmpty else { return false }
        let isErased = erasing == nil && Self.saysPlace(name)
        while true {
            skipSpaces()
            guard let next = current else { return false }
            if next == UInt8(ascii: ">") {
                place += 1
                if isErased {
                    erasing = (name, start, 1)
                } else if let outer = erasing, outer.name == name {
                    erasing?.depth += 1
                }
                return true
            }
            if next == UInt8(ascii: "/") {
                place += 1
                guard current == UInt8(ascii: ">") else { return false }
                place += 1
                if isErased { erased.append(start..<place) }
                return true
            }
            guard readAttribute() else { return false }
        }
    }

    private mutating func readAttribute() -> Bool {
        let start = place
        let name = takeName()
        skipSpaces()
        guard !name.isEmpty, current == UInt8(ascii: "=") else { return false }
        place += 1
        skipSpaces()
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = text[(place + 1)...].firstIndex(of: quote)
        else { return false }
        place = end + 1
        // The declaration of a prefix stays, whatever its name.
        let isDeclaration = name.starts(with: Array("xmlns".utf8))
        if !isDeclaration, Self.saysPlace(name) { erased.append(start..<place) }
        return true
    }

    private mutating func readEnd() -> Bool {
        place += 2
        let name = takeName()
        skipSpaces()
        guard !name.isEmpty, current == UInt8(ascii: ">") else { return false }
        place += 1
        guard var outer = erasing, outer.name == name else { return true }
        outer.depth -= 1
        if outer.depth == 0 {
            erased.append(outer.start..<place)
            erasing = nil
        } else {
            erasing = outer
        }
        return true
    }

    private var current: UInt8? { place < text.count ? text[place] : nil }

    private mutating func takeName() -> [UInt8] {
        let start = place
        while let byte = current, !Self.isSpace(byte), !Array("=/><'\"".utf8).contains(byte) {
            place += 1
        }
        return Array(text[start..<place])
    }

    private mutating func skipSpaces() {
        while let byte = current, Self.isSpace(byte) { place += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private func has(_ mark: String) -> Bool { text[place...].starts(with: mark.utf8) }

    private mutating func pass(_ mark: String) -> Bool {
        while place < text.count {
            if has(mark) {
                place += mark.utf8.count
                return true
            }
            place += 1
        }
        return false
    }
}
