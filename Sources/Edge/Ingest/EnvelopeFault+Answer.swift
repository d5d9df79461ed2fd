import NIOCore
import Scanning

/// The form in which a FastAPI server reports an envelope's fault, which the clients in the field
/// know:
/// `{"detail":[{"loc":["body","metadata","device_id"],"msg":"Field required","type":"missing"}]}`.
extension EnvelopeFault {
    private struct Line {
        /// Path below `body`.
        var location: [String] = []
        var index: Int?
        let message: String
        let type: String
    }

    private var line: Line {
        switch self {
        case .bodyNotObject:
            Line(message: "Input should be an object", type: "dict_type")
        case .metadataMissing:
            Line(location: ["metadata"], message: "Field required", type: "missing")
        case .metadataNotObject:
            Line(location: ["metadata"], message: "Input should be an object", type: "dict_type")
        case .metadataTooLarge(let bytesMax):
            Line(
                location: ["metadata"], message: "Should have at most \(bytesMax) bytes",
                type: "too_long")
        case .deviceIDMissing:
            Line(
                location: ["metadata", "device_id"], message: "Field required", type: "missing")
        case .notString(let field):
            Line(
                location: ["metadata", field], message: "Input should be a string",
                type: "string_type")
        case .empty(let field):
            Line(
                location: ["metadata", field], message: "Should have at least 1 character",
                type: "string_too_short")
        case .tooLong(let field, let charactersMax):
            Line(
                location: ["metadata", field],
                message: "Should have at most \(charactersMax) characters",
                type: "string_too_long")
        case .notText(let field):
            Line(
                location: ["metadata", field],
                message: "Should hold neither NUL nor an unpaired surrogate",
                type: "string_not_text")
        case .dataMissing:
            Line(location: ["data"], message: "Field required", type: "missing")
        case .dataNotArray:
            Line(location: ["data"], message: "Input should be an array", type: "list_type")
        case .elementNotObject(let index):
            Line(
                location: ["data"], index: index, message: "Input should be an object",
                type: "dict_type")
        case .duplicateKey(let field):
            Line(location: [field], message: "Field stands twice", type: "duplicate_key")
        case .tooManyInvalid(let max):
            Line(
                location: ["data"], message: "More than \(max) readings are invalid",
                type: "too_many_invalid")
        }
    }

    func write(to body: inout ByteBuffer) {
        let line = line
        body.writeStaticString("{\"detail\":[{\"loc\":[\"body\"")
        for part in line.location {
            body.writeStaticString(",")
            body.writeJSON(part)
        }
        if let index = line.index {
            body.writeStaticString(",")
            body.writeDecimal(index)
        }
        body.writeStaticString("],\"msg\":")
        body.writeJSON(line.message)
        body.writeStaticString(",\"type\":")
        body.writeJSON(line.type)
        body.writeStaticString("}]}")
    }
}
