import Readings

/// One faulty reading for each reason.
extension BatchGenerator {
    /// A reading whose first fault is `reason`.
    mutating func faultyReading(_ reason: QuarantineReason) -> String {
        var fields = validFields(
            of: reason == .metricInvalid
                ? .vital : Self.fault(of: reason)?.kind ?? random.pick(ReadingKind.allCases))
        switch reason {
        case .readingTooLarge:
            let length = limits.readingBytesMax + random.pick([0, 1, 1000])
            fields.append((unknownKey(), "\"\(String(repeating: "x", count: length))\""))
        case .nestedTooDeep:
            let levels = limits.readingDepthMax + random.pick([0, 0, 1, 20])
            let (open, close) = random.pick([("[", "]"), ("{\"a\":", "}")])
            let nested =
                String(repeating: open, count: levels) + "1"
                + String(repeating: close, count: levels)
            fields.append((unknownKey(), nested))
        case .duplicateKey:
            let field = random.pick(fields.filter { ReferenceReading.knownKeys.contains($0.key) })
            fields.append(random.once(in: 2) ? field : (field.key, "null"))
        case .metricInvalid:
            for key in ["code", "metric"] { Self.remove(key, from: &fields) }
            fields.append(("metric", random.pick(Self.notMetrics)))
        case _ where reason.rawValue.hasSuffix("_missing"):
            Self.remove(Self.key(of: reason), from: &fields)
            if reason == .codeMissing { Self.remove("metric", from: &fields) }
            if random.once(in: 2) { fields.append((Self.key(of: reason), "null")) }
        case .deviceIDInvalid, .userIDInvalid:
            let long = "\"\(String(repeating: "w", count: limits.deviceIDCharactersMax + 1))\""
            let faulty = [
                "1", "NaN", "[]", "\"\"", "\"a\\u0000\"", "\"\\udfff\"", long, "true", "{}",
            ]
            replace(reason, in: &fields, by: random.pick(faulty))
        default:
            replace(reason, in: &fields, by: faultyValue(reason))
        }
        return reading(fields)
    }

    private mutating func faultyValue(_ reason: QuarantineReason) -> String {
        switch reason {
        case .typeUnknown:
            random.pick([
                "\"GPS\"", "\"\"", "\"gps \"", "1", "{}", "\"vita\"", "\"\\ud800\"", "true",
            ])
        case .timeInvalid:
            random.once(in: 8)
                ? random.pick(["1e300", "{}", "[]", "false", "NaN", "-Infinity"])
                : "\"\(random.pick(TimeGenerator.invalid))\""
        case .timeInFuture:
            random.pick(["\"2026-02-11T15:00:00.000001Z\"", "\"9999-12-31T23:59:59Z\""])
        case .timeTooOld:
            random.pick(["\"2024-02-10T14:59:59.999999Z\"", "\"0001-01-01T00:00:00+23:59\""])
        case .latitudeOutOfRange:
            random.pick(["90.00000000000002", "-91", "1e999", "\"-1e309\"", "1800"])
        case .longitudeOutOfRange:
            random.pick(["180.00000000000003", "-181", "-1e999", "\"1e309\"", "1800"])
        default: faultyValueByRule(reason)
        }
    }

    /// For reasons without a case of their own.
    private mutating func faultyValueByRule(_ reason: QuarantineReason) -> String {
        guard let found = Self.fault(of: reason) else {
            preconditionFailure("BUG: no faulty value for \(reason)")
        }
        switch (found.rule, found.fault) {
        case (.number, .invalid), (.measure, .invalid), (.amount, .invalid), (.finite, .invalid),
            (.share, .invalid):
            return random.pick(Self.notNumbers)
        case (.measure, _):
            return random.pick([
                "1e309", "-1e309", "\"1e400\"", "1.7976931348623157e308", "1.0000000000000002e100",
                "-1.1e100", "9.999999999999999e-101", "-9e-101", "\"5e-324\"", "7e-310",
            ])
        case (.share(_, let max), _):
            return random.pick(["1e309", "-1e309", "\"1e400\"", "\(max).0000001", "\(max + 1)"])
        case (.number, _), (.amount, _), (.finite, _):
            return random.pick(["1e309", "-1e309", "\"1e400\"", "1.7976931348623159e308"])
        case (.integer, .invalid):
            return random.pick(
                Self.notNumbers + ["1.5", "1e-1", "\"1.00000000000000000001\"", "5e-324"])
        case (.integer, _):
            return random.pick([
                "32768", "-32769", "1e5", "\"99999999999999999999\"", "1e400", "65537",
            ])
        case (.text(_, let mayBeEmpty), .invalid):
            return random.once(in: 2)
                ? random.pick([mayBeEmpty ? "false" : "\"\"", "1", "{}", "[\"a\"]"])
                : texts.faultyString(nulFirst: false)
        case (.text(let bytesMax, _), .tooLong): return long(bytesMax(limits))
        case (.text, _): return random.pick(["\"\\u0000\"", "\"ab\\u0000c\""])
        case (.object, .invalid):
            return random.once(in: 2)
                ? random.pick([
                    "1", "[]", "\"{}\"", "true", "{\"\\udc00\":1}", "NaN", "{\"a\":NaN}",
                    "{\"a\":1,\"b\":[{\"c\":-Infinity}]}", "{\"a\": Infinity ,\"a\":1}",
                ])
                : "{\"a\":\(texts.faultyString(nulFirst: false)),\"b\":\(texts.faultyString(nulFirst: true))}"
        case (.object, .tooLong): return "{\"a\":\(long(limits.metadataBytesMax))}"
        case (.object, .containsNul):
            return random.once(in: 4)
                ? "{\"a\":{\"\\u0000\":1}}"
                : "{\"a\":\(texts.faultyString(nulFirst: true)),\"b\":\(texts.faultyString(nulFirst: false))}"
        case (.object, _):
            return random.pick([
                "{\"a\":1e401}", "{\"a\":[1,0e-401]}", "{\"a\":2E+99999999999999999999}",
                "{\"a\":[1e300,1e-300,{\"b\":-1e300,\"b\":1e300}]}",
            ])
        case (.time, _): return faultyValue(.timeInvalid)
        }
    }

    private mutating func long(_ bytesMax: Int) -> String {
        random.once(in: 2)
            ? "\"\(String(repeating: "é", count: bytesMax / 2 + 1))\""
            : "\"\(String(repeating: "l", count: bytesMax + 1))\""
    }

    private mutating func replace(
        _ reason: QuarantineReason, in fields: inout [BodyWriter.Field], by value: String
    ) {
        Self.remove(Self.key(of: reason), from: &fields)
        fields.append((Self.key(of: reason), value))
    }

    private static func remove(_ key: String, from fields: inout [BodyWriter.Field]) {
        fields.removeAll { $0.key == key }
    }

    /// The key that the reason names: its text without the fault.
    private static func key(of reason: QuarantineReason) -> String {
        let keys = ReferenceReading.knownKeys.sorted { $0.count > $1.count }
        guard let key = keys.first(where: { reason.rawValue.hasPrefix($0 + "_") }) else {
            preconditionFailure("BUG: \(reason) has no key")
        }
        return key
    }

    /// What the reason is about; nil: any kind can have that fault.
    private static func fault(
        of reason: QuarantineReason
    ) -> (kind: ReadingKind, rule: ReadingField.Rule, fault: ReadingField.Fault)? {
        for kind in ReadingKind.allCases {
            for field in kind.schema.fields {
                for fault in field.faults where field.reason(fault) == reason {
                    return (kind, field.rule, fault)
                }
            }
        }
        return nil
    }

    private static let notMetrics = [
        "\"\"", "\"Heart\"", "\"a b\"", "\"é\"", "\"a\\u0000\"", "\"\\ud800\"", "1", "[]", "true",
        "NaN",
        "\"" + String(repeating: "m", count: 65) + "\"", "\"a/b\"",
    ]

    private static let notNumbers = [
        "\"\"", "\" 1\"", "\"1 \"", "\"01\"", "\"1.\"", "\".5\"", "\"+1\"", "\"-\"", "\"1e\"",
        "NaN", "Infinity", "-Infinity",
        "\"NaN\"", "\"Infinity\"", "\"0x10\"", "\"1,5\"", "\"1\\u0000\"", "\"\\ud800\"", "true",
        "{}",
        "[]", "[1]", "\"null\"", "\"1_0\"", "\"１\"", "\"1e+\"", "\"--1\"", "\"1.5.2\"", "\"-01\"",
    ]
}
