import CLibpq

extension Session {
    private static let signature: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    /// Sends finished rows in one `COPY … FROM STDIN (FORMAT binary)`.
    ///
    /// - Parameters:
    ///   - target: table and columns, as written after `COPY`.
    ///   - rows: tuples without header and trailer, in any number of parts.
    /// - Returns: the number of rows that PostgreSQL counted.
    @discardableResult
    public func copyIn(_ target: String, rows: [[UInt8]]) throws(Failure) -> Int {
        let begun = PQexec(connection, "COPY \(target) FROM STDIN (FORMAT binary)")
        defer { PQclear(begun) }
        try check(begun)
        Self.signature.withUnsafeBytes { put($0) }
        for part in rows {
            part.withUnsafeBytes { bytes in
                var start = 0
                while start < bytes.count {
                    let end = min(start + Self.pieceBytes, bytes.count)
                    put(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                    start = end
                }
            }
        }
        withUnsafeBytes(of: Int16(-1)) { put($0) }
        PQputCopyEnd(connection, nil)
        var copied = 0
        var problem: Failure?
        while let result = PQgetResult(connection) {
            do throws(Failure) { try check(result) } catch { problem = error }
            copied = Int(String(cString: PQcmdTuples(result))) ?? copied
            PQclear(result)
        }
        if let problem { throw problem }
        return copied
    }

    private func put(_ bytes: UnsafeRawBufferPointer) {
        // If the connection is lost, libpq reports it when the COPY ends.
        _ = PQputCopyData(
            connection, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
    }

    /// Calls `body` with each row of `query`, as a binary tuple.
    public func copyOut(
        _ query: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        let begun = PQexec(connection, "COPY (\(query)) TO STDOUT (FORMAT binary)")
        defer { PQclear(begun) }
        try check(begun)
        var isFirst = true
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(connection, &buffer, 0)
            guard count > 0, let buffer else { break }
            defer { PQfreemem(buffer) }
            var row = UnsafeRawBufferPointer(start: buffer, count: Int(count))
            // PostgreSQL sends the file header together with the first row, or alone.
            if isFirst {
                row = UnsafeRawBufferPointer(rebasing: row.dropFirst(Self.signature.count))
                isFirst = false
            }
            guard row.count > 2 else { continue }
            body(row)
        }
        var problem: Failure?
        while let result = PQgetResult(connection) {
            do throws(Failure) { try check(result) } catch { problem = error }
            PQclear(result)
        }
        if let problem { throw problem }
    }
}
