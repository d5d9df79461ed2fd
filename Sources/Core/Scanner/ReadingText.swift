import JSONText
public import Readings

/// Turns a row into JSON again, in the wire format, for rows that PostgreSQL refused after
/// scanning, when the original bytes are gone.
public enum ReadingText {
    /// - Parameters:
    ///   - tuples: one or more COPY BINARY tuples of `kind`.
    ///   - start: index of the tuple's first byte.
    ///   - metric: the name in place of the code.
    /// - Returns: one object, UTF-8. Scanning it gives the same tuple.
    public static func json(
        _ kind: ReadingKind, _ tuples: UnsafeRawBufferPointer, at start: Int,
        metric: String? = nil
    ) -> [UInt8] {
        var fields = Fields(tuples: tuples, offset: start + TupleBuffer.timeOffset - 4)
        guard let time = fields.next() else { preconditionFailure("BUG: NULL as time") }
        var json = Array("{\"t\":\(text(ofTime: time)),\"type\":\"\(kind.name)\"".utf8)
        for column in kind.schema.fieldColumns {
            guard let value = fields.next() else { continue }
            let field = column.fields[0]
            if let metric, field.name == "code" {
                json += Array(",\"metric\":\"\(metric)\"".utf8)
                continue
            }
            if case .share = field.rule {
                appendShared(column.fields, integer(value), to: &json)
                continue
            }
            json += Array(",\"\(field.name)\":".utf8)
            switch field.rule {
            case .number, .measure, .amount, .finite:
                json += Array("\(Double(bitPattern: integer(value)))".utf8)
            case .integer: json += Array("\(integer(value) as Int16)".utf8)
            case .time: json += Array(text(ofTime: value).utf8)
            case .text: JSONString.append(value, to: &json)
            // After the version byte of jsonb.
            case .object: json += value.dropFirst()
            case .share: break
            }
        }
        json.append(0x7D)
        return json
    }

    private static func appendShared(
        _ fields: [ReadingField], _ word: Int64, to json: inout [UInt8]
    ) {
        var texts: [String] = []
        var rest = word
        for field in fields.reversed() {
            guard case .share(let bits, _) = field.rule else { continue }
            let unknown: Int64 = 1 << Int64(bits) - 1
            let part = rest & unknown
            rest >>= Int64(bits)
            if part != unknown { texts.append(",\"\(field.name)\":\(Double(part) / 1e6)") }
        }
        for text in texts.reversed() { json += Array(text.utf8) }
    }

    private static func text(ofTime field: UnsafeRawBufferPointer) -> String {
        "\"\(Timestamp(microseconds: integer(field)).microsecondsText)\""
    }

    private static func integer<Value: FixedWidthInteger>(
        _ field: UnsafeRawBufferPointer
    ) -> Value {
        Value(bigEndian: field.loadUnaligned(as: Value.self))
    }

    private struct Fields {
        let tuples: UnsafeRawBufferPointer
        var offset: Int

        mutating func next() -> UnsafeRawBufferPointer? {
            let length = Int(
                Int32(bigEndian: tuples.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            offset += 4
            guard length >= 0 else { return nil }
            defer { offset += length }
            return UnsafeRawBufferPointer(rebasing: tuples[offset..<offset + length])
        }
    }
}
