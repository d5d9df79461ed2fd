import CLibpq
import Glibc

/// One session with a PostgreSQL server.
///
/// Not thread-safe: it has one owner at a time, and its calls block that owner's queue, each for no
/// longer than `deadline`. Other threads may only use its ``canceller``.
///
/// After an error of kind `.refused` the session stays open, and an open transaction has failed:
/// call ``rollback()``. After any other kind it is closed and `isOpen` is false; also after a
/// refusal that concerns the session itself (``PostgresError/isConnectionClosed``).
public final class Connection {
    /// When a running call gives up, closes the connection and throws `.deadlineExceeded`. Valid
    /// until it is set again.
    public var deadline: ContinuousClock.Instant

    /// Cancels the running statement from another thread.
    public let canceller: Canceller

    /// libpq's connection; nil once closed.
    private(set) var handle: OpaquePointer?

    /// Notices and warnings that were not taken yet, primary messages only.
    private var notices: [String] = []
    /// Counts all notices, so that COPY can distinguish a notice from an error.
    private(set) var noticeCount = 0
    private static let noticesMax = 100

    /// A COMMIT has stopped waiting for standbys; see ``awaitStandbys()``.
    private(set) var isUnreplicated = false

    /// The book that allowed writes to this server, and its generation then; see ``isOutdated``.
    var book: EpochFence?
    var generation = 0

    /// How it was opened: with several hosts, those of its host.
    var settings: ConnectionSettings?

    /// Names of the statements that the session has prepared.
    var keptNames: Set<String> = []
    /// Statements that ``query(keeping:_:)`` has prepared, by their text.
    var keptTexts: [String: KeptStatement] = [:]

    /// Combines small COPY pieces; allocated at the first COPY.
    private(set) var staging = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Takes over an established connection.
    init(established handle: OpaquePointer, deadline: ContinuousClock.Instant) {
        self.handle = handle
        self.deadline = deadline
        canceller = Canceller(handle)
        PQsetErrorVerbosity(handle, PQERRORS_TERSE)
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        close()
        staging.deallocate()
    }

    /// False after ``close()`` and after errors that close the connection.
    public var isOpen: Bool { handle != nil }

    /// Ends the session. Does not wait for the server. An open transaction is rolled back there.
    public func close() {
        canceller.invalidate()
        PQfinish(handle)
        handle = nil
    }

    /// The server's version as a number: 150004 is 15.4.
    public var serverVersion: Int32 { handle.map { PQserverVersion($0) } ?? 0 }

    /// The process id of the backend that serves this connection, as the backend reports it.
    public internal(set) var backendID: Int32 = 0

    /// How long the last round trip took that ``Connection/Pipeline/measureRoundTrip()`` measured.
    public internal(set) var roundTrip: Duration?

    /// The connection goes through a pooler, which is in session mode: others are refused.
    public internal(set) var isPooled = false

    /// The process id that the server, or a pooler in its place, sent at the start.
    var greetedID: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

    /// No transaction is open. False for a closed connection.
    public var isIdle: Bool { handle.map { PQtransactionStatus($0) == PQTRANS_IDLE } ?? false }

    /// Checks, without waiting, whether the server has closed an idle session. Closes it and
    /// returns false if so.
    public func probe() -> Bool {
        guard let handle else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // The server sends the reason, then the end: reads until there is nothing more, or the end.
        while poll(&descriptor, 1, 0) != 0 {
            guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 0 else {
                close()
                return false
            }
        }
        return true
    }

    /// The notices and warnings since the last call, at most 100.
    public func takeNotices() -> [String] {
        defer { notices = [] }
        return notices
    }

    private func receive(_ notice: OpaquePointer) {
        noticeCount += 1
        // Checks the place in the server's code, because the message is in the server's language.
        if Self.field("R", of: notice) == "SyncRepWaitForLSN" { isUnreplicated = true }
        guard notices.count < Self.noticesMax else { return }
        notices.append(Self.field("M", of: notice) ?? "")
    }

    func allocateStaging() {
        guard staging.baseAddress == nil else { return }
        staging = .allocate(byteCount: CopyWriter.pieceBytes, alignment: 16)
    }

    // MARK: Waiting

    /// libpq's connection, or the error of a closed one.
    func live() throws(PostgresError) -> OpaquePointer {
        guard let handle else {
            throw PostgresError(.connectionLost, message: "the connection is closed")
        }
        return handle
    }

    /// Waits until the socket is ready for one of `events`.
    ///
    /// - Returns: the events that occurred, including POLLERR and POLLHUP; POLLIN without a wait
    ///   when there is no socket any more, because libpq reports the reason at the next read.
    func wait(_ events: Int32) throws(PostgresError) -> Int32 {
        while true {
            var descriptor = pollfd(fd: PQsocket(try live()), events: Int16(events), revents: 0)
            guard descriptor.fd >= 0 else { return POLLIN }
            let left = deadline - .now
            guard left > .zero else { throw abandon(.deadlineExceeded) }
            let milliseconds = left / .milliseconds(1)
            let ready = poll(&descriptor, 1, Int32(min(milliseconds.rounded(.up), 3_600_000)))
            if ready > 0 { return Int32(descriptor.revents) }
            if ready < 0 && errno != EINTR {
                throw abandon(.connectionLost, message: "poll: errno \(errno)")
            }
        }
    }

    /// Sends what libpq has buffered. If the connection breaks here, reading the next result
    /// reports it.
    func flush() throws(PostgresError) {
        let handle = try live()
        while PQflush(handle) == 1 {
            // Also reads: the server may be unable to continue until its output is read.
            let ready = try wait(POLLIN | POLLOUT)
            if ready & ~POLLOUT != 0, PQconsumeInput(handle) == 0 { return }
        }
    }

    /// The next result of the running command; nil when there is none.
    func nextResult() throws(PostgresError) -> Rows? {
        let handle = try live()
        while PQisBusy(handle) == 1, PQsocket(handle) >= 0 {
            _ = try wait(POLLIN)
            if PQconsumeInput(handle) == 0 { break }
        }
        return PQgetResult(handle).map(Rows.init)
    }

    /// Waits until standbys have the commit, if the COMMIT has stopped waiting for them.
    ///
    /// PostgreSQL ends that wait when the statement is cancelled or the session terminated. The
    /// transaction is then committed on this server, and the client only gets a warning. A later
    /// commit of the session waits for everything before it.
    ///
    /// - Throws: `.connectionLost` or `.deadlineExceeded`: it is unknown whether standbys have the
    ///   commit.
    func awaitStandbys() throws(PostgresError) {
        guard isUnreplicated, isIdle else { return }
        isUnreplicated = false
        do throws(PostgresError) {
            // If this commit is cancelled too, it waits again.
            try execute("SELECT pg_catalog.pg_logical_emit_message(true, 'sluice', '')")
        } catch {
            guard isOpen else { throw error }
            throw abandon(.connectionLost, sqlState: error.sqlState, message: error.message)
        }
    }

    // MARK: Failures

    /// Closes the connection and returns the error to throw.
    func abandon(
        _ kind: PostgresError.Kind, sqlState: SQLState? = nil, message: String = ""
    ) -> PostgresError {
        close()
        return PostgresError(kind, sqlState: sqlState, message: message)
    }

    /// The error for a command that libpq could not queue; closes the connection.
    func abandonUnsent(_ handle: OpaquePointer) -> PostgresError {
        let isLost = PQstatus(handle) != CONNECTION_OK
        let message = Self.firstLine(PQerrorMessage(handle))
        return abandon(isLost ? .connectionLost : .protocolViolation, message: message)
    }

    /// The error of a failed result; closes the connection if it can't be used any more.
    func failure(of rows: Rows, _ handle: OpaquePointer) -> PostgresError {
        guard let sqlState = Self.field("C", of: rows.result).flatMap({ SQLState($0) }) else {
            let isLost = PQstatus(handle) != CONNECTION_OK
            let message = Self.firstLine(PQresultErrorMessage(rows.result))
            return abandon(isLost ? .connectionLost : .protocolViolation, message: message)
        }
        let message = sqlState.classCode == "22" ? "" : Self.field("M", of: rows.result) ?? ""
        // FATAL and PANIC end the session; "V" is the severity, never translated.
        if Self.field("V", of: rows.result) != "ERROR" || PQstatus(handle) != CONNECTION_OK {
            return abandon(.connectionLost, sqlState: sqlState, message: message)
        }
        // "n" names a constraint. "R" is the server's function that failed; PL/pgSQL's RAISE has one.
        let isPartitionMissing =
            sqlState == .checkViolation && Self.field("n", of: rows.result) == nil
            && Self.field("R", of: rows.result) != "exec_stmt_raise"
        let error = PostgresError(
            .refused, sqlState: sqlState, message: message, isPartitionMissing: isPartitionMissing,
            required: sqlState == .notNullViolation ? Self.required(by: rows.result) : nil)
        if error.isConnectionClosed { close() }
        return error
    }

    private static func required(by result: OpaquePointer) -> RequiredColumn? {
        guard let table = field("t", of: result), let column = field("c", of: result) else {
            return nil
        }
        return RequiredColumn(table: table, column: column)
    }

    /// A field of an error or notice, by its letter in the protocol.
    private static func field(_ letter: Unicode.Scalar, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }

    static func firstLine(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        return String(text.prefix { !$0.isNewline })
    }
}
