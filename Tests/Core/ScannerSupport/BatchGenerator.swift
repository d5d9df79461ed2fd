public import Readings
import Scanner

/// Bodies from a seed, both as clients send them and faulty.
///
/// One generator is one client: its style of writing, its devices and its clock stay the same from
/// body to body.
public struct BatchGenerator: Sendable {
    /// The server's clock for all generated bodies: 2026-02-10T15:00:00Z.
    public static let now = Timestamp(unixSeconds: 1_770_735_600)

    let limits: ReadingLimits
    var random: SeededGenerator
    var numbers: NumberGenerator
    var texts: TextGenerator
    var times: TimeGenerator
    var writer: BodyWriter
    /// JSON strings; the first is the envelope's.
    let deviceIDs: [String]
    /// Readings name their device, because there is no envelope.
    var isBare = false

    /// - Parameter limits: the limits that faults of size exceed; small limits make small bodies.
    public init(seed: UInt64, limits: ReadingLimits = ReadingLimits()) {
        self.limits = limits
        random = SeededGenerator(seed: seed)
        numbers = NumberGenerator(seed: random.next())
        texts = TextGenerator(seed: random.next())
        times = TimeGenerator(seed: random.next())
        let style = BodyStyle(using: &random)
        writer = BodyWriter(style: style, random: SeededGenerator(seed: random.next()))
        var ids: [String] = []
        for _ in 0..<4 { ids.append(Self.deviceID(using: &random, limits: limits)) }
        deviceIDs = ids
    }

    /// A body of any sort: mostly valid, often with faulty readings, sometimes with a faulty
    /// envelope.
    public mutating func body() -> [UInt8] {
        let readings = random.pick([0, 1, 1, 2, 3, 3, 4, 6, 10])
        if random.once(in: 8) { return Array(faultyBody(readings: readings).utf8) }
        let faultyOnceIn = random.pick([0, 0, 2, 4, 10])
        return body(readings: readings, faultyOnceIn: faultyOnceIn)
    }

    /// A batch with a valid envelope.
    ///
    /// - Parameter faultyOnceIn: one reading in this many is faulty; 0 for none.
    public mutating func body(readings: Int, faultyOnceIn: Int) -> [UInt8] {
        var elements: [String] = []
        for _ in 0..<readings {
            if faultyOnceIn > 0, random.once(in: faultyOnceIn) {
                elements.append(faultyReading(faultyReason()))
            } else {
                elements.append(validReading())
            }
        }
        return Array(body(metadata: metadata(), elements: elements).utf8)
    }

    /// A batch of one faulty reading, with this fault, in a valid envelope.
    public mutating func body(faulty reason: QuarantineReason) -> [UInt8] {
        Array(body(metadata: metadata(), elements: [faultyReading(reason)]).utf8)
    }

    /// Every reason that the scanner itself can give.
    public static let reasons = QuarantineReason.allCases.filter {
        $0 != .refusedByDatabase && $0 != .refusedWithOthers && $0 != .deviceKeyClash
            && $0 != .metricTooMany && !bareReasons.contains($0)
    }

    /// Those of bodies without envelope.
    static let bareReasons: [QuarantineReason] = [.lineInvalid, .deviceIDMissing, .userIDInvalid]

    mutating func faultyReason() -> QuarantineReason {
        var reason = random.pick(Self.reasons)
        if isBare, random.once(in: 4) { reason = random.pick([.deviceIDMissing, .userIDInvalid]) }
        let isLarge =
            switch reason {
            case .readingTooLarge, .valueTextTooLong, .metadataTooLong: true
            default: false
            }
        // With the usual limits these faults make bodies of many kilobytes, so they are rare.
        if isLarge, limits.readingBytesMax > 10_000, !random.once(in: 20) {
            return .timeInvalid
        }
        return reason
    }

    mutating func body(metadata: String, elements: [String]) -> String {
        var fields: [BodyWriter.Field] = [
            ("metadata", metadata), ("data", writer.array(elements, level: 1)),
        ]
        if random.once(in: 10) {
            fields.append((unknownKey(), ignoredValue(levels: 4)))
        }
        let body = writer.object(fields)
        return writer.gap() + body + (random.once(in: 10) ? "\n" : writer.gap())
    }

    mutating func metadata() -> String {
        var fields: [BodyWriter.Field] = [("device_id", deviceIDs[0])]
        if random.once(in: 2) {
            fields.append(("version", random.pick(["\"1.0\"", "null", "\"\""])))
        }
        if random.once(in: 2) {
            fields.append(
                ("model_name", texts.string(bytesMax: limits.attributeCharactersMax)))
        }
        if random.once(in: 3) {
            let userID = texts.string(bytesMax: limits.deviceIDCharactersMax)
            fields.append(("user_id", random.pick(["null", userID])))
        }
        if random.once(in: 10) {
            fields.append((unknownKey(), ignoredValue(levels: 3)))
        }
        return writer.object(fields, level: 1)
    }

    /// A key that neither readings nor envelopes define.
    mutating func unknownKey() -> String {
        "x" + texts.key()
    }

    private static func deviceID(
        using random: inout SeededGenerator, limits: ReadingLimits
    ) -> String {
        let charactersMax = limits.deviceIDCharactersMax
        switch random.below(8) {
        case 0: return "\"11111111-1111-1111-1111-111111111111\""
        case 1: return random.pick(["\"ÀÉÎ-Watch\"", "\"e\u{301}\"", "\"é\"", "\"İ\"", "\"ΑΣ\""])
        case 2: return "\"Watch\\u0020\(random.below(3))\""
        case 3: return "\"" + String(repeating: "D", count: charactersMax - random.below(20)) + "\""
        default:
            let hex = String(random.next(), radix: 16, uppercase: random.once(in: 2))
            return "\"device-\(hex)\""
        }
    }
}
