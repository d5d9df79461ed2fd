import CLibpq
import Fleet

/// Statements whose parameters are arrays of texts.
extension Session {
    /// Prepares a statement whose parameters are all of type `text[]`.
    public func prepare(_ name: String, _ sql: String, arrays: Int = 1) throws(Failure) {
        // 1009, the type text[].
        let types = [Oid](repeating: 1009, count: arrays)
        let result = PQprepare(connection, name, sql, Int32(arrays), types)
        defer { PQclear(result) }
        try check(result)
    }

    /// Runs a prepared statement in a transaction of its own.
    ///
    /// - Parameter arrays: one for each parameter of the statement.
    /// - Returns: the number of rows returned.
    public func run(_ name: String, _ arrays: [ArraySlice<String>]) throws(Failure) -> Int {
        var bytes: [UInt8] = []
        var starts: [Int] = []
        var lengths: [Int32] = []
        for texts in arrays {
            starts.append(bytes.count)
            bytes += Self.array(texts)
            lengths.append(Int32(bytes.count - starts[starts.count - 1]))
        }
        let areBinary = [Int32](repeating: 1, count: arrays.count)
        let result = bytes.withUnsafeBytes { bytes in
            let values = starts.map {
                bytes.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self)
            }
            return PQexecPrepared(
                connection, name, Int32(arrays.count), values, lengths, areBinary, 1)
        }
        defer { PQclear(result) }
        try check(result)
        return Int(PQntuples(result))
    }

    /// The binary form of a one-dimensional `text[]` without nulls.
    private static func array(_ texts: ArraySlice<String>) -> [UInt8] {
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
