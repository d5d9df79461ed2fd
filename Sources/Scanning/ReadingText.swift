import JSONText
public import Readings

/// A stored reading as JSON again, in the wire format: for what PostgreSQL refused after scanning,
/// when the original bytes are gone.
public enum ReadingText {
    /// - Parameters:
    ///   - tuples: one or more COPY BINARY tuples of `kind`.
    ///   - start: index of the tuple's first byte.
    /// - Returns: one object, UTF-8. Scanned again it gives the same tuple.
    public static func json(
        _ kind: ReadingKind, _ tuples: UnsafeRawBufferPointer, at start: Int
    ) -> [UInt8] {
        var fields = Fields(tuples: tuples, offset: start + TupleBuffer.timeOffset - 4)
        let time = Timestamp(microseconds: fields.integer64()).microsecondsText
        var text = "{\"t\":\"\(time)\",\"type\":\"\(kind.name)\""
        var json: [UInt8]
        switch kind {
        case .gps:
            text += ",\"lat\":\(fields.double()),\"lon\":\(fields.double())"
            if let accuracy = fields.next() {
                text += ",\"acc\":\(Fields.double(accuracy))"
            }
            json = Array(text.utf8)
        case .vital:
            text += ",\"code\":\(fields.integer16()),\"val\":\(fields.double())"
            json = Array(text.utf8)
        case .event:
            json = Array(text.utf8)
            append(",\"label\":", fields.next(), to: &json)
            append(",\"val_text\":", fields.next(), to: &json)
            if let metadata = fields.next() {
                json += Array(",\"metadata\":".utf8)
                // Behind the version byte of jsonb.
                json += metadata.dropFirst()
            }
        }
        json.append(0x7D)
        return json
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

        mutating func value() -> UnsafeRawBufferPointer {
            guard let field = next() else { preconditionFailure("BUG: NULL at \(offset)") }
            return field
        }

        mutating func integer64() -> Int64 {
            Int64(bigEndian: value().loadUnaligned(as: Int64.self))
        }

        mutating func integer16() -> Int16 {
            Int16(bigEndian: value().loadUnaligned(as: Int16.self))
        }

        mutating func double() -> Double { Self.double(value()) }

        static func double(_ field: UnsafeRawBufferPointer) -> Double {
            Double(bitPattern: UInt64(bigEndian: field.loadUnaligned(as: UInt64.self)))
        }
    }

    private static func append(
        _ key: String, _ field: UnsafeRawBufferPointer?, to json: inout [UInt8]
    ) {
        guard let field else { return }
        json += Array(key.utf8)
        JSONString.append(field, to: &json)
    }
}
