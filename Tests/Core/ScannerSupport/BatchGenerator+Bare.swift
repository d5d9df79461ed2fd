public import Readings
public import Scanner

/// Bodies without envelope.
extension BatchGenerator {
    /// A body of any sort, often with faulty readings.
    public mutating func bareBody(_ shape: BodyShape) -> [UInt8] {
        let readings = random.pick([0, 1, 1, 2, 3, 3, 4, 6, 10])
        return bareBody(shape, readings: readings, faultyOnceIn: random.pick([0, 0, 2, 4, 10]))
    }

    /// - Parameter faultyOnceIn: one reading in this many is faulty; 0 for none.
    public mutating func bareBody(
        _ shape: BodyShape, readings: Int, faultyOnceIn: Int
    ) -> [UInt8] {
        isBare = true
        defer { isBare = false }
        var elements: [String] = []
        for _ in 0..<readings {
            let isFaulty = faultyOnceIn > 0 && random.once(in: faultyOnceIn)
            if isFaulty, shape == .lines, random.once(in: 3) {
                elements.append(random.pick(Self.notLines))
            } else if isFaulty {
                elements.append(faultyReading(faultyReason()))
            } else {
                elements.append(validReading())
            }
        }
        switch shape {
        case .document: return Array((writer.gap() + writer.array(elements) + writer.gap()).utf8)
        case .lines: return lines(elements)
        }
    }

    /// A body of one faulty reading, with this fault.
    public mutating func bareBody(_ shape: BodyShape, faulty reason: QuarantineReason) -> [UInt8] {
        isBare = true
        defer { isBare = false }
        let reading = reason == .lineInvalid ? random.pick(Self.notLines) : faultyReading(reason)
        return shape == .lines ? lines([reading]) : Array(writer.array([reading]).utf8)
    }

    /// The reasons that a reading of such a body can have.
    public static func bareReasons(_ shape: BodyShape) -> [QuarantineReason] {
        reasons + bareReasons.filter { shape == .lines || $0 != .lineInvalid }
    }

    private mutating func lines(_ elements: [String]) -> [UInt8] {
        let end = random.pick(["\n", "\n", "\r\n", "\n\n", "\n \t\n"])
        var text = random.once(in: 10) ? "\u{FEFF}" : ""
        for (index, element) in elements.enumerated() {
            // White space between tokens may be a line break; not by character, as "\r\n" is one.
            text += String(decoding: element.utf8.map { $0 == 0x0A ? 0x20 : $0 }, as: UTF8.self)
            if index + 1 < elements.count || !random.once(in: 3) { text += end }
        }
        return Array(text.utf8)
    }

    private static let notLines = [
        "null", "1", "\"a\"", "[]", "[{}]", "{", "}", "{}}", "{} {}", "{},", "{\"a\":}",
        "{\"a\":1,}",
        "{'a':1}", "# a comment", "\u{1}", "{\"a\":\"\u{1}\"}", "{\"a\":[1 2]}", "nul", "NaN", "é",
        "{\"a\":\"x", "{\"a\":\"\\", "{\"a\":[", "GET / HTTP/1.1", "{\"a\":01}",
    ]
}
