import CLibpq
import Glibc

/// One session with a PostgreSQL server.
///
/// Not for two threads at once: it has one owner at a time and its calls block that owner's queue,
/// each for no longer than `deadline`. From another thread only its ``canceller`` may be used.
///
/// After an error whose kind is `.refused` the session lives, and an open transaction has failed:
/// call ``rollback()``. After every other kind it is closed and `isOpen` is false; and after a
/// refusal that has its reason in the session itself (``PostgresError/isConnectionClosed``).
public final class Connection {
    /// The moment at which the call that runs gives up, closes the connection and throws
    /// `.deadlineExceeded`. It stands until it is set again.
    public var deadline: ContinuousClock.Instant

    /// For other threads.
    public let canceller: Canceller

    /// libpq's connection; nil once closed.
    private(set) var handle: OpaquePointer?

    /// Notices and warnings that nobody has taken yet, primary messages only.
    private var notices: [String] = []
    /// Counts all notices, so that COPY can tell one from an error.
    private(set) var noticeCount = 0
    private static let noticesMax = 100

    /// A COMMIT has given up waiting for standbys; see ``awaitStandbys()``.
    private(set) var isUnreplicated = false

    /// What decided that the server may be written to, and its state then; see ``isOutdated``.
    var book: EraBook?
    var generation = 0

    /// Names of the statements that the session has parsed and keeps.
    var keptNames: Set<String> = []
    /// What ``query(keeping:_:)`` was asked, by its text.
    var keptTexts: [String: KeptStatement] = [:]

    /// Small COPY pieces are put together here; allocated at the first COPY.
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

    /// The process id of the backend that serves this connection, as it says itself.
    public internal(set) var backendID: Int32 = 0

    /// The connection goes through a pooler: libpq does not talk to the backend itself. It keeps
    /// sessions together, or the connection would not have come about.
    public internal(set) var isPooled = false

    /// What the server, or a pooler in its place, gave as the process id at the start.
    var greetedID: Int32 { handle.map { PQbackendPID($0) } ?? 0 }

    /// No transaction is open. False for a closed connection.
    public var isIdle: Bool { handle.map { PQtransactionStatus($0) == PQTRANS_IDLE } ?? false }

    /// Looks, without waiting, whether the server closed an idle session; closes it then.
    public func probe() -> Bool {
        guard let handle else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // The reason comes first, then the end: reads until there is nothing more, or the end.
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
        // By the place in the server's code: the words are in the server's language.
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
    /// - Returns: the events that came, POLLERR and POLLHUP among them; POLLIN without a wait when
    ///   there is no socket any more, for libpq tells at the next read why.
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

    /// Sends what libpq has buffered. A connection that breaks here shows at the next result.
    func flush() throws(PostgresError) {
        let handle = try live()
        while PQflush(handle) == 1 {
            // Also reads: the server may be unable to go on before we take what it sends.
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

    /// Waits until standbys have what was committed, where the COMMIT has given up waiting for them.
    ///
    /// PostgreSQL ends that wait when the statement is cancelled or the session terminated: what was
    /// written is committed then, on this server, and all that the client gets is a warning. A later
    /// commit of the session waits for everything before it.
    ///
    /// - Throws: `.connectionLost` or `.deadlineExceeded`: nobody knows whether standbys have it.
    func awaitStandbys() throws(PostgresError) {
        guard isUnreplicated, isIdle else { return }
        isUnreplicated = false
        do throws(PostgresError) {
            // If this one is cancelled as well, it waits once more.
            try execute("SELECT pg_catalog.pg_logical_emit_message(true, 'sluice', '')")
        } catch {
            guard isOpen else { throw error }
            throw abandon(.connectionLost, sqlState: error.sqlState, message: error.message)
        }
    }

    // MARK: Failures

    /// Closes the connection and gives the error that says so.
    func abandon(
        _ kind: PostgresError.Kind, sqlState: SQLState? = nil, message: String = ""
    ) -> PostgresError {
        close()
        return PostgresError(kind, sqlState: sqlState, message: message)
    }

    /// libpq could not even queue a command.
    func abandonUnsent(_ handle: OpaquePointer) -> PostgresError {
        let isLost = PQstatus(handle) != CONNECTION_OK
        let message = Self.firstLine(PQerrorMessage(handle))
        return abandon(isLost ? .connectionLost : .protocolViolation, message: message)
    }

    /// The error that a failed result stands for; closes the connection when it is gone.
    func failure(of rows: Rows, _ handle: OpaquePointer) -> PostgresError {
        guard let sqlState = Self.field("C", of: rows.result).flatMap({ SQLState($0) }) else {
            let isLost = PQstatus(handle) != CONNECTION_OK
            let message = Self.firstLine(PQresultErrorMessage(rows.result))
            return abandon(isLost ? .connectionLost : .protocolViolation, message: message)
        }
        let message = sqlState.classCode == "22" ? "" : Self.field("M", of: rows.result) ?? ""
        // FATAL and PANIC end the session; "V" is the severity in no language.
        if Self.field("V", of: rows.result) != "ERROR" || PQstatus(handle) != CONNECTION_OK {
            return abandon(.connectionLost, sqlState: sqlState, message: message)
        }
        let isPartitionMissing =
            sqlState == .checkViolation && Self.field("n", of: rows.result) == nil
        let error = PostgresError(
            .refused, sqlState: sqlState, message: message, isPartitionMissing: isPartitionMissing)
        if error.isConnectionClosed { close() }
        return error
    }

    /// A field of an error or notice, by the letter the protocol gives it.
    private static func field(_ letter: Unicode.Scalar, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }

    static func firstLine(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        return String(text.prefix { !$0.isNewline })
    }
}
