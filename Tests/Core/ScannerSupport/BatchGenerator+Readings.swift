import Readings

extension BatchGenerator {
    mutating func validReading() -> String {
        let kind = random.pick(ReadingKind.allCases)
        return reading(validFields(of: kind))
    }

    mutating func reading(_ fields: [BodyWriter.Field]) -> String {
        writer.object(fields, level: 2)
    }

    /// All fields that a valid reading of that kind needs, and sometimes more.
    mutating func validFields(of kind: ReadingKind) -> [BodyWriter.Field] {
        var fields: [BodyWriter.Field] = [("t", times.next()), ("type", "\"\(kind.name)\"")]
        for field in kind.schema.fields where !field.isOptional || random.once(in: 2) {
            fields.append((field.name, validValue(of: field)))
        }
        if kind == .vital, random.once(in: 5) {
            fields.removeAll { $0.key == "code" }
            if random.once(in: 4) { fields.append(("code", "null")) }
            fields.append(("metric", random.pick(Self.metrics)))
        }
        if isBare {
            fields.append(("device_id", random.pick(deviceIDs)))
            if random.once(in: 2) { fields.append(("user_id", random.pick(Self.userIDs))) }
        } else if random.once(in: 8) {
            fields.append(("device_id", random.once(in: 4) ? "null" : random.pick(deviceIDs)))
        }
        if random.once(in: 10) { addForeign(to: &fields, kind: kind) }
        if random.once(in: 10) {
            let key = unknownKey()
            fields.append((key, ignoredValue(levels: 3)))
            if random.once(in: 4) { fields.append((key, "1")) }
        }
        return fields
    }

    static let metrics = [
        "\"heart_rate\"", "\"a\"", "\"0\"", "\"hk.step-count_2\"", "\"\\u0061\"",
        "\"" + String(repeating: "m", count: 64) + "\"",
    ]
    private static let userIDs = [
        "\"ann\"", "\"Ann\"", "null", "\"é\"", "\"e\u{301}\"", "\"\\u0061nn\"",
    ]

    private mutating func validValue(of field: ReadingField) -> String {
        switch field.rule {
        case .number(let range):
            switch range.upperBound {
            case 90: maybeQuoted(latitude())
            default: maybeQuoted(longitude())
            }
        case .measure: maybeQuoted(measure())
        case .amount: accuracy()
        case .finite: random.once(in: 8) ? "null" : maybeQuoted(finite())
        case .share(_, let max): share(max)
        case .integer: maybeQuoted(code())
        case .text(_, mayBeEmpty: false): texts.string(bytesMax: limits.labelBytesMax)
        case .text: random.pick(["null", "\"\"", "\"walking\"", "\"å\\n\""])
        case .object: eventMetadata()
        case .time: times.next()
        }
    }

    /// Fields of other kinds, which are ignored whatever their values.
    private mutating func addForeign(to fields: inout [BodyWriter.Field], kind: ReadingKind) {
        let own = kind.schema.fields.map(\.name)
        let all = ReadingKind.allCases.flatMap(\.schema.fields).map(\.name)
        for key in all where !own.contains(key) && random.once(in: 3) {
            if fields.contains(where: { $0.key == key }) { continue }
            fields.append((key, ignoredValue(levels: 2)))
        }
        if !isBare, random.once(in: 3) { fields.append(("user_id", ignoredValue(levels: 2))) }
        // With a code, a name is not read.
        if random.once(in: 3), !fields.contains(where: { $0.key == "metric" }) {
            fields.append(("metric", ignoredValue(levels: 1)))
        }
    }

    /// What a reading or an envelope may contain under a key that is not read.
    mutating func ignoredValue(levels: Int) -> String {
        random.once(in: 6)
            ? random.pick(["NaN", "Infinity", "-Infinity", "[NaN,-Infinity]", "{\"a\":[Infinity]}"])
            : texts.value(levels: levels, numbers: &numbers)
    }

    private mutating func maybeQuoted(_ number: String) -> String {
        random.once(in: 15) ? "\"\(number)\"" : number
    }

    private mutating func latitude() -> String {
        random.once(in: 10)
            ? random.pick([
                "90", "-90.0", "9e1", "-0.0", "0", "5e-324", "1e-999", "89.99999999999999",
            ])
            : numbers.usual(-90...90)
    }

    private mutating func longitude() -> String {
        random.once(in: 10)
            ? random.pick([
                "180", "-180.0", "1.8e2", "-0", "0.0e9", "179.99999999999997", "-7e-310",
                "2.2250738585072009e-308", "2.2250738585072014e-308",
            ])
            : numbers.usual(-180...180)
    }

    private mutating func accuracy() -> String {
        switch random.below(8) {
        case 0: "null"
        case 1: random.pick(["-1", "-0.5", "-1e308", "-0.0", "-5e-324"])
        case 2: maybeQuoted(finite())
        default: numbers.usual(0...100)
        }
    }

    private mutating func share(_ max: Int) -> String {
        switch random.below(8) {
        case 0: "null"
        case 1: random.pick(["-1", "-0.5", "-1e308", "-0.0", "-5e-324", "0"])
        case 2:
            random.pick([
                "\(max)", "\(max).0", "\(max)e0", "1e-7", "5e-7", "0.0000015", "4.9e-7", "1.25e1",
            ])
        default: maybeQuoted(numbers.usual(0...Double(min(max, 360))))
        }
    }

    private mutating func code() -> String {
        random.once(in: 6)
            ? random.pick(["32767", "-32768", "1.0", "1e2", "100e-2", "0e-9", "-0", "3276.70e1"])
            : random.pick(["1", "2", "10", "20", "21"])
    }

    private mutating func measure() -> String {
        if random.once(in: 10) {
            return random.pick(["1e100", "-1e100", "1e-100", "-1e-100", "-0.0", "0e-400"])
        }
        while true {
            let number = finite()
            let isZero = !number.prefix { $0 != "e" && $0 != "E" }.contains { "1"..."9" ~= $0 }
            if isZero || Double(number).map({ (1e-100...1e100).contains($0.magnitude) }) == true {
                return number
            }
        }
    }

    private mutating func finite() -> String {
        if !random.once(in: 4) { return numbers.usual(-200...200) }
        while true {
            let number = numbers.any()
            if let value = Double(number), value.isFinite { return number }
        }
    }

    private mutating func eventMetadata() -> String {
        numbers.exponentMax = limits.metadataExponentMax
        defer {
            numbers.exponentMax = Int.max
            numbers.growthLeft = Int.max
        }
        for _ in 0..<10 {
            numbers.growthLeft = limits.metadataGrowthMax
            let object = texts.object(levels: 4, numbers: &numbers)
            if object.utf8.count <= limits.metadataBytesMax { return object }
        }
        return "{}"
    }
}
