extension QuarantineReason {
    /// What a reading must be like not to have this reason: one sentence for clients and operators.
    ///
    /// - Parameter limits: those in force.
    public func expected(_ limits: ReadingLimits) -> String {
        if let field = Self.fields[self] {
            return "\(field.name) is \(field.expected(limits))"
        }
        return switch self {
        case .lineInvalid: "a line is one JSON object"
        case .readingTooLarge:
            "a reading has at most \(limits.readingBytesMax) bytes"
        case .nestedTooDeep:
            "a reading has at most \(limits.readingDepthMax) levels of objects and arrays"
        case .duplicateKey: "a reading has each key once"
        case .typeMissing, .typeUnknown:
            "type is \(ReadingKind.allCases.map(\.name).joined(separator: " or "))"
        case .timeMissing, .timeInvalid: "t is \(ReadingField.time)"
        case .timeInFuture:
            "t is at most \(Self.words(limits.aheadMax)) ahead of the server's clock"
        case .timeTooOld:
            "t is at most \(Self.words(limits.ageMax)) old, on a day that was not archived"
        case .deviceIDInvalid, .deviceIDMissing:
            "device_id is a text of 1 to \(limits.deviceIDCharactersMax) characters"
        case .userIDInvalid:
            "user_id is absent, null or a text of 1 to \(limits.deviceIDCharactersMax) characters"
        case .metricInvalid:
            "metric is a text of 1 to \(MetricName.bytesMax) of the characters a-z, 0-9, _, . and -"
        case .metricTooMany:
            "a key brings at most \(MetricName.ofKeyMax) new names, and a batch has as many"
        case .refusedByDatabase:
            "the reading satisfies the constraints and triggers that the operator added"
        case .refusedWithOthers:
            "fewer readings of a batch violate what the operator added; this one may be good"
        case .deviceKeyClash:
            "device_id and user_id do not share their 64-bit hash with another device and user"
        default: preconditionFailure("BUG: no sentence for \(rawValue)")
        }
    }

    /// In the largest unit of which it is a whole number.
    private static func words(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        for (length, unit) in [(86_400, "days"), (3600, "hours"), (60, "minutes")] as [(Int64, _)]
        where seconds >= 2 * length && seconds % length == 0 {
            return "\(seconds / length) \(unit)"
        }
        return "\(seconds) seconds"
    }

    /// By the reasons of a field's faults.
    private static let fields: [QuarantineReason: ReadingField] = {
        var fields: [QuarantineReason: ReadingField] = [:]
        for field in ReadingKind.allCases.flatMap(\.schema.fields) {
            for fault in field.faults { fields[field.reason(fault)] = field }
        }
        return fields
    }()
}

extension ReadingField {
    /// A noun for what the field may be.
    fileprivate func expected(_ limits: ReadingLimits) -> String {
        let magnitudes = Self.magnitudes
        let value =
            switch rule {
            case .number(let range):
                "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
            case .measure:
                "0 or a number of magnitude \(magnitudes.lowerBound) to \(magnitudes.upperBound)"
            case .amount: "a finite number; negative means unknown"
            case .finite: "a finite number"
            case .share(_, let max): "a number of at most \(max); negative means unknown"
            case .integer: "a whole number from \(Int16.min) to \(Int16.max)"
            case .text(let bytesMax, let mayBeEmpty):
                "a text of \(mayBeEmpty ? 0 : 1) to \(bytesMax(limits)) bytes of UTF-8, without NUL"
            case .object:
                """
                an object of at most \(limits.metadataBytesMax) bytes, without NUL in its texts and \
                with numbers up to 1e\(limits.metadataExponentMax)
                """
            case .time: Self.time
            }
        return isOptional ? "absent, null or \(value)" : value
    }

    fileprivate static let time =
        "an ISO 8601 time such as 2026-02-10T14:57:07Z, or seconds or milliseconds since 1970"
}
