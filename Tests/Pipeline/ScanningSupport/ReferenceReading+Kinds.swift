import Readings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What each kind of reading asks of its own fields, in the order in which faults count.
extension ReferenceReading {
    func gps(_ time: Timestamp) throws(Fault) -> ReferenceRow {
        let latitude = try double(
            "lat", missing: .latitudeMissing, invalid: .latitudeInvalid)
        guard abs(latitude) <= 90 else { throw Fault(reason: .latitudeOutOfRange) }
        let longitude = try double(
            "lon", missing: .longitudeMissing, invalid: .longitudeInvalid)
        guard abs(longitude) <= 180 else { throw Fault(reason: .longitudeOutOfRange) }
        var accuracy: Double?
        if value("acc") != nil {
            let sent = try double("acc", missing: .accuracyInvalid, invalid: .accuracyInvalid)
            guard sent.isFinite else { throw Fault(reason: .accuracyOutOfRange) }
            accuracy = sent < 0 ? nil : sent
        }
        return .gps(time, latitude: latitude, longitude: longitude, accuracy: accuracy)
    }

    func vital(_ time: Timestamp) throws(Fault) -> ReferenceRow {
        let written = try number("code", missing: .codeMissing, invalid: .codeInvalid)
        let code: Int16
        switch DecimalText(written).whole {
        case .notWhole: throw Fault(reason: .codeInvalid)
        case .huge: throw Fault(reason: .codeOutOfRange)
        case .number(let whole):
            guard let fitting = Int16(exactly: whole) else {
                throw Fault(reason: .codeOutOfRange)
            }
            code = fitting
        }
        let value = try double("val", missing: .valueMissing, invalid: .valueInvalid)
        guard value.isFinite else { throw Fault(reason: .valueOutOfRange) }
        return .vital(time, code: code, value: value)
    }

    func event(_ time: Timestamp) throws(Fault) -> ReferenceRow {
        guard value("label") != nil else { throw Fault(reason: .labelMissing) }
        guard
            let label = try text(
                "label", bytesMax: limits.labelBytesMax,
                invalid: .labelInvalid, tooLong: .labelTooLong, nul: .labelContainsNul,
                mayBeEmpty: false)
        else { throw Fault(reason: .labelMissing) }
        let valueText = try text(
            "val_text", bytesMax: limits.valueTextBytesMax,
            invalid: .valueTextInvalid, tooLong: .valueTextTooLong, nul: .valueTextContainsNul,
            mayBeEmpty: true)
        return .event(time, label: label, valueText: valueText, metadata: try metadata())
    }

    /// The bytes of a number, sent as such or as a string that holds nothing else.
    private func number(
        _ key: String, missing: QuarantineReason, invalid: QuarantineReason
    ) throws(Fault) -> [UInt8] {
        guard let value = value(key) else { throw Fault(reason: missing) }
        switch value.content {
        case .number: return Array(body[value.range])
        case .string(let text):
            guard let utf8 = text.utf8 else { throw Fault(reason: invalid) }
            var parser = JSONParser(utf8)
            guard (try? parser.number()) != nil, parser.next == nil else {
                throw Fault(reason: invalid)
            }
            return utf8
        default: throw Fault(reason: invalid)
        }
    }

    private func double(
        _ key: String, missing: QuarantineReason, invalid: QuarantineReason
    ) throws(Fault) -> Double {
        let written = try number(key, missing: missing, invalid: invalid)
        return strtod(String(decoding: written, as: UTF8.self), nil)
    }

    /// Nil when the field is absent or null.
    private func text(
        _ key: String, bytesMax: Int, invalid: QuarantineReason, tooLong: QuarantineReason,
        nul: QuarantineReason, mayBeEmpty: Bool
    ) throws(Fault) -> [UInt8]? {
        guard let value = value(key) else { return nil }
        guard let text = value.text, let utf8 = text.utf8, mayBeEmpty || !utf8.isEmpty else {
            throw Fault(reason: invalid)
        }
        if utf8.count > bytesMax { throw Fault(reason: tooLong) }
        if text.hasNul { throw Fault(reason: nul) }
        return utf8
    }

    /// Nil when there is none, else its text as `jsonb` prints it.
    private func metadata() throws(Fault) -> [UInt8]? {
        guard let value = value("metadata") else { return nil }
        guard value.members != nil else { throw Fault(reason: .metadataInvalid) }
        if value.range.count > limits.metadataBytesMax { throw Fault(reason: .metadataTooLong) }
        var growth = 0
        try walk(value, &growth)
        return JSONBText(body: body).text(of: value)
    }

    /// Digits after the point that `numeric` can hold.
    private static let numericScaleMax = 16_383

    /// Looks at every string, key and number in the order of their bytes.
    ///
    /// - Parameter growth: what numbers have gained so far by being written out.
    private func walk(_ value: JSONNode, _ growth: inout Int) throws(Fault) {
        switch value.content {
        case .null, .boolean: break
        case .number:
            let number = DecimalText(body[value.range])
            if abs(number.exponent) > limits.metadataExponentMax
                || number.fractionDigits - number.exponent > Self.numericScaleMax
            {
                throw Fault(reason: .metadataNumberOutOfRange)
            }
            growth += DecimalText.growth(of: body[value.range])
            if growth > limits.metadataGrowthMax {
                throw Fault(reason: .metadataNumberOutOfRange)
            }
        case .string(let text): try check(text)
        case .array(let elements):
            for element in elements { try walk(element, &growth) }
        case .object(let members):
            for member in members {
                try check(member.key)
                try walk(member.value, &growth)
            }
        }
    }

    /// The first fault decides, by bytes also inside one string.
    private func check(_ text: JSONText) throws(Fault) {
        for codePoint in text.codePoints {
            if codePoint == 0 { throw Fault(reason: .metadataContainsNul) }
            if (0xD800...0xDFFF).contains(codePoint) { throw Fault(reason: .metadataInvalid) }
        }
    }
}
