import CLibpq

/// The binary result of one statement; owns libpq's memory until it is released.
///
/// Rows and columns count from zero. Reading a value as a type of another size, or a NULL, is a bug
/// and traps: ask `isNull` first for a column that may be NULL.
public final class Rows {
    let result: OpaquePointer

    /// The number of rows.
    public let count: Int

    /// Takes over `result`.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// 0 for a statement that returns no rows.
    public var columnCount: Int { Int(PQnfields(result)) }

    /// The number of rows that an INSERT, UPDATE, DELETE, SELECT or COPY reports; 0 for other
    /// commands.
    public var affectedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// Whether the command tag is ROLLBACK, as for a COMMIT of a failed transaction.
    var isRollback: Bool { String(cString: PQcmdStatus(result)) == "ROLLBACK" }

    var status: ExecStatusType { PQresultStatus(result) }

    /// Also true for a row or column that does not exist.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// The value's bytes, valid while this object lives.
    public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        precondition(
            row >= 0 && row < count && !isNull(row, column), "BUG: row=\(row) column=\(column)")
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), Int32(column)),
            count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    /// An `int8`, also the type of `count(*)`.
    public func int64(_ row: Int, _ column: Int) -> Int64 { integer(row, column) }
    /// An `int4`.
    public func int32(_ row: Int, _ column: Int) -> Int32 { integer(row, column) }
    /// An `int8[]` of one dimension, without NULLs.
    public func int64s(_ row: Int, _ column: Int) -> [Int64] {
        let bytes = bytes(row, column)
        // Dimensions, flags and type, each of 32 bits; then length and lower bound of each.
        precondition(
            (bytes.count - 12).isMultiple(of: 4) && bytes.count >= 12, "BUG: column=\(column)")
        return stride(from: 24, to: bytes.count, by: 12).map { start in
            Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int64.self))
        }
    }
    /// Microseconds since 2000-01-01 00:00 UTC; `Int64.min` and `.max` are the infinities.
    public func timestamp(_ row: Int, _ column: Int) -> Int64 { integer(row, column) }
    /// A `bool`.
    public func bool(_ row: Int, _ column: Int) -> Bool { integer(row, column) as UInt8 != 0 }

    /// A `float8`, bit for bit.
    public func float64(_ row: Int, _ column: Int) -> Double {
        Double(bitPattern: integer(row, column))
    }

    /// Text; also the text of a jsonb, without its version byte.
    public func string(_ row: Int, _ column: Int) -> String {
        let isJSON = PQftype(result, Int32(column)) == OID.jsonb.rawValue
        return String(decoding: bytes(row, column).dropFirst(isJSON ? 1 : 0), as: UTF8.self)
    }

    private func integer<Value: FixedWidthInteger>(_ row: Int, _ column: Int) -> Value {
        let bytes = bytes(row, column)
        precondition(
            bytes.count == MemoryLayout<Value>.size, "BUG: column=\(column) bytes=\(bytes.count)")
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }
}
