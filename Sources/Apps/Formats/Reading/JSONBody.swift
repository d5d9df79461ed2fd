import HTTP
import JSONText

/// The body of a request as JSON.
enum JSONBody {
    /// Reads the whole body; a byte order mark in front is skipped.
    ///
    /// - Throws: 400 with the byte at which it is not JSON.
    static func read(_ bytes: RawSpan) throws(RequestFailure) -> JSONValue {
        try bytes.withUnsafeBytes { (raw) throws(RequestFailure) -> JSONValue in
            let body = raw.bindMemory(to: UInt8.self)
            guard !body.isEmpty else { throw .notJSON(.truncated, in: body, at: 0) }
            let mark = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            var reader = JSONReader(UnsafeBufferPointer(rebasing: body[mark...]))
            do throws(JSONFault) {
                return try reader.readTree()
            } catch {
                throw .notJSON(error, in: body, at: mark + reader.index)
            }
        }
    }

    /// Reads a body that must be an object.
    static func object(_ bytes: RawSpan) throws(RequestFailure) -> Fields {
        guard let fields = Fields(try read(bytes)) else {
            throw .member([], "Input should be an object", type: "dict_type")
        }
        return fields
    }
}
