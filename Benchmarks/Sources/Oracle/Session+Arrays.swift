import CPostgresClient
import Fleet

/// Statements with one parameter, an array of texts.
extension Session {
    /// Prepares a statement whose `$1` is a `text[]`.
    package func prepare(_ name: String, _ sql: String) throws(Failure) {
        // 1009, the type text[].
        var type: Oid = 1009
        let result = PQprepare(connection, name, sql, 1, &type)
        defer { PQclear(result) }
        try check(result)
    }

    /// Runs it as a transaction of its own.
    ///
    /// - Returns: how many rows came back.
    package func run(_ name: String, _ texts: [String]) throws(Failure) -> Int {
        let array = Self.array(texts)
        let result = array.withUnsafeBytes { bytes in
            var value = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var length = Int32(bytes.count)
            var isBinary: Int32 = 1
            return PQexecPrepared(connection, name, 1, &value, &length, &isBinary, 1)
        }
        defer { PQclear(result) }
        try check(result)
        return Int(PQntuples(result))
    }

    /// The binary form of a one-dimensional `text[]` without nulls.
    private static func array(_ texts: [String]) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.put(bigEndian: Int32(texts.isEmpty ? 0 : 1))
        bytes.put(bigEndian: Int32(0))
        // 25, the type text.
        bytes.put(bigEndian: Int32(25))
        if !texts.isEmpty {
            bytes.put(bigEndian: Int32(texts.count))
            bytes.put(bigEndian: Int32(1))
        }
        for text in texts {
            bytes.put(bigEndian: Int32(text.utf8.count))
            bytes.put(text: text)
        }
        return bytes.array()
    }
}
