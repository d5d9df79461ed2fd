extension QuarantineReason {
    /// What a reading must be like not to have this reason: one sentence for clients and operators.
    ///
    /// With the limits' defaults; an operator can change the accepted age only.
    public var expected: String {
        if let field = Self.fields[self] { return "\(field.name) is \(field.expected)" }
        return switch self {
        case .readingTooLarge:
            "a reading has at most \(Self.limits.readingBytesMax) bytes"
        case .nestedTooDeep:
            "a reading has at most \(Self.limits.readingDepthMax) levels of objects and arrays"
        case .duplicateKey: "a reading has each key once"
        case .typeMissing, .typeUnknown:
            "type is \(ReadingKind.allCases.map(\.name).joined(separator: " or "))"
        case .timeMissing, .timeInvalid: "t is \(ReadingField.time)"
        case .timeInFuture:
            "t is at most \(Int(Self.limits.aheadMax / .seconds(3600))) hours ahead of the server's clock"
        case .timeTooOld:
            """
            t is at most as old as this server accepts (by default \
            \(Int(Self.limits.ageMax / .seconds(86_400))) days), on a day that was not archived
            """
        case .deviceIDInvalid:
            "device_id is a text of 1 to \(Self.limits.deviceIDCharactersMax) characters"
        case .refusedByDatabase:
            "the reading satisfies the constraints and triggers that the operator added"
        case .refusedWithOthers:
            "fewer readings of a batch violate what the operator added; this one may be good"
        case .deviceKeyClash: "device_id does not share its 64-bit hash with another device"
        default: preconditionFailure("BUG: no sentence for \(rawValue)")
        }
    }

    private static let limits = ReadingLimits()

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
    fileprivate var expected: String {
        let limits = ReadingLimits()
        let magnitudes = Self.magnitudes
        let value =
            switch rule {
            case .number(let range):
                "a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
            case .measure:
                "0 or a number of magnitude \(magnitudes.lowerBound) to \(magnitudes.upperBound)"
            case .amount: "a finite number; negative means unknown"
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
