import CLibpq
import Glibc

extension Connection {
    /// Runs several statements, some of them `COPY … FROM STDIN (FORMAT binary)`, in one simple
    /// query: `COPY gps …; COPY vital …; COMMIT` takes one round trip and the data.
    ///
    /// - Parameters:
    ///   - source: called once for each COPY when the server asks for its data, with the COPY's
    ///     number in `sql` from zero. An error that it throws ends the COPY and is thrown here.
    /// - Returns: the number of rows of each COPY.
    /// - Throws: the first failure. On `.refused` the transaction has failed: call
    ///   ``rollback()``. A COMMIT that turns out to be a ROLLBACK is refused with 25P02.
    @discardableResult
    public func copy(
        _ sql: String,
        source: (_ number: Int, _ writer: inout CopyWriter) throws(PostgresError) -> Void
    ) throws(PostgresError) -> [Int] {
        let handle = try live()
        guard PQsendQuery(handle, sql) == 1 else { throw abandonUnsent(handle) }
        try flush()
        var counts: [Int] = []
        var isCopyResult = false
        while let rows = try nextResult() {
            switch rows.status {
            case PGRES_COPY_IN:
                try feed(counts.count, source)
                isCopyResult = true
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                if isCopyResult { counts.append(rows.affectedCount) }
                isCopyResult = false
                do throws(PostgresError) {
                    try Self.refuseRollback(rows)
                } catch {
                    _ = try finish()
                    throw error
                }
            case PGRES_COPY_OUT, PGRES_COPY_BOTH:
                throw abandon(.protocolViolation, message: "COPY TO where COPY FROM is expected")
            default:
                let failure = failure(of: rows, handle)
                if isOpen { try? _ = finish() }
                throw failure
            }
        }
        try awaitStandbys()
        return counts
    }

    /// Runs one `COPY … TO STDOUT`. `body` is called with each piece that the server sends, which
    /// is valid during the call: a row; in the binary format, the first row follows the header.
    public func copyOut(
        _ sql: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgresError) {
        let handle = try beginCopy(sql, PGRES_COPY_OUT, "COPY TO")
        var isLost = false
        while true {
            var piece: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle, &piece, 1)
            guard count >= 0 else { break }
            if count > 0 {
                body(UnsafeRawBufferPointer(start: piece, count: Int(count)))
                PQfreemem(piece)
            } else if isLost {
                throw abandonUnsent(handle)
            } else {
                _ = try wait(POLLIN)
                isLost = PQconsumeInput(handle) == 0
            }
        }
        _ = try finish()
    }

    /// Sends one COPY. Returns when the server has announced that it takes or gives data.
    private func beginCopy(
        _ sql: String, _ status: ExecStatusType, _ statement: String
    ) throws(PostgresError) -> OpaquePointer {
        let handle = try live()
        guard PQsendQuery(handle, sql) == 1 else { throw abandonUnsent(handle) }
        try flush()
        guard let rows = try nextResult() else {
            throw abandon(.protocolViolation, message: "a statement without a result")
        }
        guard rows.status == status else {
            guard rows.status == PGRES_FATAL_ERROR else {
                throw abandon(.protocolViolation, message: "\(statement) expected")
            }
            let failure = failure(of: rows, handle)
            if isOpen { try? _ = finish() }
            throw failure
        }
        return handle
    }

    /// Lets the source write one COPY's data. If that fails, the COPY is ended and all results
    /// are read, so that the connection is ready for ROLLBACK.
    private func feed(
        _ number: Int,
        _ source: (Int, inout CopyWriter) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        do throws(PostgresError) {
            var writer = try CopyWriter(self)
            try source(number, &writer)
            try writer.end()
        } catch {
            if isOpen, let handle, PQtransactionStatus(handle) == PQTRANS_ACTIVE {
                _ = endFailedCopy(handle)
            }
            throw error
        }
    }

    /// Queues one piece and sends it, waiting for the socket as needed.
    ///
    /// During COPY the server sends nothing but notices unless something is wrong. So any other
    /// input ends the COPY at once, not after megabytes more.
    func putCopyData(_ piece: UnsafeRawBufferPointer) throws(PostgresError) {
        let handle = try live()
        let bytes = piece.bindMemory(to: CChar.self).baseAddress
        var taken = PQputCopyData(handle, bytes, Int32(piece.count))
        while taken == 0 {
            _ = try wait(POLLOUT)
            taken = PQputCopyData(handle, bytes, Int32(piece.count))
        }
        guard taken == 1 else { throw endFailedCopy(handle) }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        while true {
            let pending = PQflush(handle)
            var ready: Int32 = 0
            if pending == 1 {
                ready = try wait(POLLIN | POLLOUT)
            } else if poll(&descriptor, 1, 0) > 0 {
                ready = Int32(descriptor.revents)
            }
            if pending < 0 || ready & ~POLLOUT != 0 {
                let before = noticeCount
                let isReadable = PQconsumeInput(handle) == 1
                _ = PQisBusy(handle)  // hands notices to the receiver
                if pending < 0 || !isReadable || noticeCount == before {
                    throw endFailedCopy(handle)
                }
            }
            if pending != 1 { return }
        }
    }

    /// Ends a COPY that can't succeed any more and reads all results.
    ///
    /// - Returns: the first failure among them: the server's own if it had one, otherwise 57014
    ///   for the end that is requested here.
    private func endFailedCopy(_ handle: OpaquePointer) -> PostgresError {
        _ = PQputCopyEnd(handle, "the source ended early")
        do throws(PostgresError) {
            try flush()
            _ = try finish()
            return abandon(.protocolViolation, message: "a failed COPY without an error")
        } catch {
            return error
        }
    }
}

extension Connection {
    /// Runs one `COPY … FROM STDIN` whose data the caller formats, as text or CSV;
    /// ``copy(_:source:)`` writes binary.
    ///
    /// - Parameter source: called once, when the server asks for the data; `write` accepts pieces
    ///   cut anywhere and does not keep them. An error that `source` throws ends the COPY, which
    ///   then stores nothing, and is thrown here.
    /// - Returns: the number of stored rows.
    public func copyIn(
        _ sql: String,
        source: (_ write: (UnsafeRawBufferPointer) throws(PostgresError) -> Void) throws -> Void
    ) throws -> Int {
        let handle = try beginCopy(sql, PGRES_COPY_IN, "COPY FROM")
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

extension Connection {
    /// The sending end of one `COPY … FROM STDIN (FORMAT binary)`.
    ///
    /// Takes tuples in COPY BINARY form, in pieces of any size; writes the header and trailer itself.
    /// Small pieces are combined, large ones are sent in parts of 64 KiB: libpq copies what it is
    /// given, and larger parts cost half as much again. Nothing is retained.
    ///
    /// - Source: PostgreSQL manual, "COPY", section "Binary Format".
    public struct CopyWriter: ~Copyable {
        /// The most bytes that are passed to libpq at once.
        public static let pieceBytes = 64 * 1024

        private static let header: [UInt8] =
            [UInt8]("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        private static let trailer: [UInt8] = [0xFF, 0xFF]

        private let connection: Connection
        private var stagedBytes = 0
        /// Why the COPY has ended, even if the caller did not pass the error on.
        private(set) var failure: PostgresError?

        init(_ connection: Connection) throws(PostgresError) {
            self.connection = connection
            connection.allocateStaging()
            try Self.header.withBuffer { bytes throws(PostgresError) in try write(bytes) }
        }

        /// - Parameter tuples: bytes of tuples; no header, no trailer.
        /// - Throws: the server's error as soon as it has arrived; it may concern tuples written
        ///   before. The COPY has then ended and its transaction has failed.
        public mutating func write(_ tuples: UnsafeRawBufferPointer) throws(PostgresError) {
            if let failure { throw failure }
            var rest = tuples[...]
            if stagedBytes + rest.count > Self.pieceBytes {
                try sendStaged()
                while rest.count >= Self.pieceBytes / 2 {
                    let piece = rest.prefix(Self.pieceBytes)
                    try send(UnsafeRawBufferPointer(rebasing: piece))
                    rest = rest.dropFirst(piece.count)
                }
            }
            guard !rest.isEmpty else { return }
            UnsafeMutableRawBufferPointer(rebasing: connection.staging[stagedBytes...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
            stagedBytes += rest.count
        }

        /// The same, for tests and small amounts.
        public mutating func write(_ tuples: [UInt8]) throws(PostgresError) {
            try tuples.withBuffer { bytes throws(PostgresError) in try write(bytes) }
        }

        /// Writes the trailer and sends the last bytes; the server's result comes afterwards.
        mutating func end() throws(PostgresError) {
            if let failure { throw failure }
            try write(Self.trailer)
            try sendStaged()
            let handle = try connection.live()
            while true {
                switch PQputCopyEnd(handle, nil) {
                case 1: return try connection.flush()
                case 0: _ = try connection.wait(POLLOUT)
                default: throw fail(connection.abandonUnsent(handle))
                }
            }
        }

        private mutating func sendStaged() throws(PostgresError) {
            guard stagedBytes > 0 else { return }
            let staged = connection.staging.prefix(stagedBytes)
            stagedBytes = 0
            try send(UnsafeRawBufferPointer(rebasing: staged))
        }

        private mutating func send(_ piece: UnsafeRawBufferPointer) throws(PostgresError) {
            do throws(PostgresError) {
                try connection.putCopyData(piece)
            } catch {
                throw fail(error)
            }
        }

        private mutating func fail(_ error: PostgresError) -> PostgresError {
            failure = error
            return error
        }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps the error's type.
    func withBuffer(
        _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var failure: PostgresError?
        withUnsafeBytes { bytes in
            do throws(PostgresError) { try body(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
