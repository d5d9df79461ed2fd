import Encodings
import HTTPTypes
public import JSONText
import Scanner

/// Why the body of a batch can't be scanned.
extension RequestFailure {
    static func scan(_ error: ScanError) -> RequestFailure {
        switch error {
        case .envelope(let fault): envelope(fault)
        case .unexpectedByte(let byte, let offset):
            notJSON("Not JSON: unexpected byte \(text(byte))\(form(byte, offset))", offset)
        case .truncated(let offset): notJSON("Not JSON: the body ends too soon", offset)
        case .invalidUTF8(let offset): notJSON("Not JSON: invalid UTF-8", offset)
        case .nestedTooDeep(let offset): notJSON("Nested too deep", offset)
        }
    }

    /// 400: the body of a format is not JSON.
    ///
    /// - Parameters:
    ///   - body: as the format got it.
    ///   - offset: where in the body reading stopped.
    public static func notJSON(
        _ fault: JSONFault, in body: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> RequestFailure {
        switch fault {
        // It is something else than text, and says so with its first byte.
        case .invalidUTF8 where body.first.map { form($0, 0) != "" } ?? false:
            scan(.unexpectedByte(body[0], offset: 0))
        case .truncated: scan(.truncated(offset: offset))
        case .invalidUTF8: scan(.invalidUTF8(offset: offset))
        case .nestedTooDeep: scan(.nestedTooDeep(offset: offset))
        case .unexpectedByte where body.indices.contains(offset):
            scan(.unexpectedByte(body[offset], offset: offset))
        case .unexpectedByte: scan(.truncated(offset: offset))
        }
    }

    /// The same of a body that a format has translated: what is wrong, in words of no place.
    static func translated(_ error: ScanError) -> RequestFailure {
        let failure = scan(error)
        guard case .member(let path, _, _) = failure.place else {
            return RequestFailure(failure.status, failure.sentence)
        }
        return RequestFailure(
            failure.status, (path + [failure.sentence]).joined(separator: ": "))
    }

    private static func notJSON(_ sentence: String, _ offset: Int) -> RequestFailure {
        RequestFailure(.badRequest, sentence, place: .offset(offset))
    }

    private static func text(_ byte: UInt8) -> String {
        byte >= 0x20 && byte < 0x7F
            ? "'\(Unicode.Scalar(byte))'" : "0x" + Hexadecimal.text([byte], isUpper: true)
    }

    /// What a body probably is that has this byte where it can't be.
    private static func form(_ byte: UInt8, _ offset: Int) -> String {
        switch (byte, offset) {
        case (0xFF, 0), (0xFE, 0), (0x00, 0), (0x00, 1): "; this looks like UTF-16, send UTF-8"
        case (0x1F, 0): "; this looks like gzip, send Content-Encoding: gzip"
        case (0x04, 0): "; this looks like LZ4, send Content-Encoding: lz4"
        case (0x78, 0): "; if this is zlib, send Content-Encoding: deflate"
        case (0x28, 0): "; if this is Zstandard, send Content-Encoding: zstd"
        case (UInt8(ascii: "N"), _), (UInt8(ascii: "I"), _):
            "; NaN and Infinity are no JSON, and are taken only as values of members"
        default: ""
        }
    }

    private static func envelope(_ fault: EnvelopeFault) -> RequestFailure {
        switch fault {
        case .bodyNotObject:
            member([], "Input should be an object or an array of readings", "dict_type")
        case .metadataMissing: member(["metadata"], "Field required", "missing")
        case .metadataNotObject: member(["metadata"], "Input should be an object", "dict_type")
        case .metadataTooLarge(let bytesMax):
            member(["metadata"], "Should have at most \(bytesMax) bytes", "too_long")
        case .deviceIDMissing: member(["metadata", "device_id"], "Field required", "missing")
        case .notString(let field):
            member(["metadata", field], "Input should be a string", "string_type")
        case .empty(let field):
            member(["metadata", field], "Should have at least 1 character", "string_too_short")
        case .tooLong(let field, let charactersMax):
            member(
                ["metadata", field], "Should have at most \(charactersMax) characters",
                "string_too_long")
        case .notText(let field):
            member(
                ["metadata", field], "Should hold neither NUL nor an unpaired surrogate",
                "string_not_text")
        case .dataMissing: member(["data"], "Field required", "missing")
        case .dataNotArray: member(["data"], "Input should be an array", "list_type")
        case .elementNotObject(let index):
            member(["data"], index: index, "Input should be an object", "dict_type")
        case .bareElementNotObject(let index):
            member([], index: index, "Input should be an object", "dict_type")
        case .duplicateKey(let field): member([field], "Field stands twice", "duplicate_key")
        case .tooManyInvalid(let max):
            member(["data"], "More than \(max) readings are invalid", "too_many_invalid")
        }
    }

    private static func member(
        _ path: [String], index: Int? = nil, _ sentence: String, _ type: String
    ) -> RequestFailure {
        RequestFailure(
            .unprocessableContent, sentence, place: .member(path: path, index: index, type: type))
    }
}
