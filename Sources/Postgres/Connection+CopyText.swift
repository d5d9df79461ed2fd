import CLibpq
import Glibc

extension Connection {
    /// Runs one `COPY … FROM STDIN` of a form that is the caller's: text or CSV, where ``copy(_:source:)``
    /// writes binary.
    ///
    /// - Parameter source: called once, when the server asks for the data; `write` takes pieces cut
    ///   anywhere, which are on loan. An error that it throws ends the COPY, which stores nothing
    ///   then, and is thrown here.
    /// - Returns: the rows that were stored.
    public func copyIn(
        _ sql: String,
        source: (_ write: (UnsafeRawBufferPointer) throws(PostgresError) -> Void) throws -> Void
    ) throws -> Int {
        let handle = try live()
        guard PQsendQuery(handle, sql) == 1 else { throw abandonUnsent(handle) }
        try flush()
        guard let rows = try nextResult() else {
            throw abandon(.protocolViolation, message: "a statement without a result")
        }
        guard rows.status == PGRES_COPY_IN else {
            guard rows.status == PGRES_FATAL_ERROR else {
                throw abandon(.protocolViolation, message: "COPY FROM expected")
            }
            let failure = failure(of: rows, handle)
            if isOpen { try? _ = finish() }
            throw failure
        }
        do {
            try source { piece throws(PostgresError) in
                var rest = piece[...]
                while !rest.isEmpty {
                    let part = rest.prefix(CopyWriter.pieceBytes)
                    try putCopyData(UnsafeRawBufferPointer(rebasing: part))
                    rest = rest.dropFirst(part.count)
                }
            }
        } catch {
            if isOpen, PQtransactionStatus(handle) == PQTRANS_ACTIVE {
                _ = PQputCopyEnd(handle, "the source ended early")
                try? flush()
                if isOpen { try? _ = finish() }
            }
            throw error
        }
        while true {
            switch PQputCopyEnd(handle, nil) {
            case 1:
                try flush()
                return try finish()?.affectedCount ?? 0
            case 0: _ = try wait(POLLOUT)
            default: throw abandonUnsent(handle)
            }
        }
    }
}
