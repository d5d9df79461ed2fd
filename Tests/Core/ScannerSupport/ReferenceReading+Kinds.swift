import Readings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The rules of each kind for its own fields, in the order in which faults count.
extension ReferenceReading {
    /// The column's bytes in its tuple; nil is NULL.
    func bytes(of column: ReadingColumn) throws(Fault) -> [UInt8]? {
        guard column.fields.count > 1 else { return try bytes(of: column.fields[0]) }
        // Decimal digits of millionths, as bits, the first field first.
        var bits = ""
        var isKnown = false
        for field in column.fields {
            guard case .share(let width, let max) = field.rule else { continue }
            var digits = String(repeating: "1", count: width)
            if let value = value(field.name) {
                let sent = try double(value, field)
                guard sent.isFinite, sent <= Double(max) else { throw fault(field, .outOfRange) }
                if sent >= 0 {
                    isKnown = true
                    let millionths = String(UInt64((sent * 1_000_000).rounded()), radix: 2)
                    digits = String(repeating: "0", count: width - millionths.count) + millionths
                }
            }
            bits += digits
        }
        return isKnown ? ReferenceRow.bytes(of: UInt64(bits, radix: 2)!) : nil
    }

    /// The same of a column with one field.
    private func bytes(of field: ReadingField) throws(Fault) -> [UInt8]? {
        guard let value = value(field.name) else {
            if field.isOptional { return nil }
            throw fault(field, .missing)
        }
        switch field.rule {
        case .number(let range):
            let sent = try double(value, field)
            guard range.contains(sent) else { throw fault(field, .outOfRange) }
            return ReferenceRow.bytes(of: sent.isSubnormal || sent == 0 ? 0 : sent.bitPattern)
        case .measure:
            let sent = try double(value, field)
            let mantissa = try number(value, field).prefix { $0 != 0x65 && $0 != 0x45 }
            let isZero = !mantissa.contains { (0x31...0x39).contains($0) }
            if !isZero, abs(sent) > 1e100 || abs(sent) < 1e-100 {
                throw fault(field, .outOfRange)
            }
            return ReferenceRow.bytes(of: sent == 0 ? 0 : sent.bitPattern)
        case .amount:
            let sent = try double(value, field)
            guard sent.isFinite else { throw fault(field, .outOfRange) }
            return sent < 0 ? nil : ReferenceRow.bytes(of: sent == 0 ? 0 : sent.bitPattern)
        case .finite:
            let sent = try double(value, field)
            guard sent.isFinite else { throw fault(field, .outOfRange) }
            return ReferenceRow.bytes(of: sent == 0 ? 0 : sent.bitPattern)
        case .share: preconditionFailure("BUG: a column of its own")
        case .integer:
            switch DecimalText(try number(value, field)).whole {
            case .notWhole: throw fault(field, .invalid)
            case .huge: throw fault(field, .outOfRange)
            case .number(let whole):
                guard let fitting = Int16(exactly: whole) else { throw fault(field, .outOfRange) }
                return ReferenceRow.bytes(of: fitting)
            }
        case .text(let bytesMax, let mayBeEmpty):
            guard let text = value.text, let utf8 = text.utf8, mayBeEmpty || !utf8.isEmpty else {
                throw fault(field, .invalid)
            }
            if utf8.count > bytesMax(limits) { throw fault(field, .tooLong) }
            if text.hasNul { throw fault(field, .containsNul) }
            return utf8
        case .object:
            // The first byte is the version of `jsonb`.
            return try [1] + object(value, field)
        case .time:
            guard let time = time(value) else { throw fault(field, .invalid) }
            return ReferenceRow.bytes(of: time.microseconds)
        }
    }

    private func fault(_ field: ReadingField, _ fault: ReadingField.Fault) -> Fault {
        Fault(reason: field.reason(fault))
    }

    /// The bytes of a number, sent as a number or as a string that contains only a number.
    private func number(_ value: JSONNode) -> [UInt8]? {
        switch value.content {
        case .number: return Array(body[value.range])
        case .string(let text):
            guard let utf8 = text.utf8 else { return nil }
            var parser = JSONParser(utf8)
            return (try? parser.number()) != nil && parser.next == nil ? utf8 : nil
        default: return nil
        }
    }

    private func number(_ value: JSONNode, _ field: ReadingField) throws(Fault) -> [UInt8] {
        guard let number = number(value) else { throw fault(field, .invalid) }
        return number
    }

    private func double(_ value: JSONNode, _ field: ReadingField) throws(Fault) -> Double {
        guard let number = double(value) else { throw fault(field, .invalid) }
        return number
    }

    private func double(_ value: JSONNode) -> Double? {
        number(value).map { strtod(String(decoding: $0, as: UTF8.self), nil) }
    }

    /// A time as text, or as a number, which may be in a string.
    func time(_ value: JSONNode) -> Timestamp? {
        if let text = value.text?.utf8 {
            if let time = TimestampText.timestamp(of: text) { return time }
            if text.count == 8, !text.contains(where: { $0 < 0x30 || $0 > 0x39 }) { return nil }
        }
        return number(value).flatMap { TimestampText.timestamp(ofNumber: $0) }
    }

    /// The object's text as `jsonb` prints it.
    private func object(_ value: JSONNode, _ field: ReadingField) throws(Fault) -> [UInt8] {
        guard value.members != nil else { throw fault(field, .invalid) }
        if value.range.count > limits.metadataBytesMax { throw fault(field, .tooLong) }
        var growth = 0
        try walk(value, field, &growth)
        return JSONBText(body: body).text(of: value)
    }

    /// The most digits after the point that `numeric` can hold.
    private static let numericScaleMax = 16_383

    /// Checks every string, key and number in byte order.
    ///
    /// - Parameter growth: the bytes that numbers have gained so far by being written out.
    private func walk(
        _ value: JSONNode, _ field: ReadingField, _ growth: inout Int
    ) throws(Fault) {
        switch value.content {
        case .null, .boolean: break
        case .nonFinite: throw fault(field, .invalid)
        case .number:
            let number = DecimalText(body[value.range])
            if abs(number.exponent) > limits.metadataExponentMax
                || number.fractionDigits - number.exponent > Self.numericScaleMax
            {
                throw fault(field, .numberOutOfRange)
            }
            growth += DecimalText.growth(of: body[value.range])
            if growth > limits.metadataGrowthMax {
                throw fault(field, .numberOutOfRange)
            }
        case .string(let text): try check(text, field)
        case .array(let elements):
            for element in elements { try walk(element, field, &growth) }
        case .object(let members):
            for member in members {
                try check(member.key, field)
                try walk(member.value, field, &growth)
            }
        }
    }

    /// The first fault in byte order counts, also within one string.
    private func check(_ text: JSONText, _ field: ReadingField) throws(Fault) {
        for codePoint in text.codePoints {
            if codePoint == 0 { throw fault(field, .containsNul) }
            if (0xD800...0xDFFF).contains(codePoint) { throw fault(field, .invalid) }
        }
    }
}
