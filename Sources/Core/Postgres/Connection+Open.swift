import CLibpq
import Glibc
import Synchronization

extension Connection {
    /// Tries the hosts that `settings` name, connects, and prepares the session for use.
    ///
    /// The deadline covers all but the look-up of host names, which libpq does by itself.
    /// - Throws: `.connectionFailed`, with the SQLSTATE if a server answered: 28P01 for a wrong
    ///   password, 3D000 for a missing database, 57P03 for one that is starting.
    ///   `.sessionsShared` behind a pooler that gives each transaction another session.
    ///   `.epochRefused` if a server must not be written to any more and no other host accepts the
    ///   session. With several hosts, the most specific error.
    public static func open(
        _ settings: ConnectionSettings, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Connection {
        let hosts = settings.hostByHost
        guard !hosts.isEmpty else { return try openOne(settings, deadline: deadline) }
        // libpq would wait for a silent host until the deadline. Here each host has a share of the
        // time, and the host of the last session comes first.
        let first = settings.epochs?.host ?? 0
        var failure: PostgresError?
        for step in hosts.indices {
            let place = (first + step) % hosts.count
            let share = (deadline - .now) / (hosts.count - step)
            do throws(PostgresError) {
                let connection = try openOne(hosts[place], deadline: .now + share)
                settings.epochs?.host = place
                connection.deadline = deadline
                return connection
            } catch {
                // A server's own error says more than that another server can't be reached.
                func weight(_ error: PostgresError) -> Int {
                    error.kind != .connectionFailed ? 2 : error.sqlState == nil ? 0 : 1
                }
                if let failure, weight(failure) >= weight(error) { continue }
                let isOfServer = error.kind == .epochRefused && settings.epochs?.damage == nil
                failure = isOfServer ? error.naming(hosts[place]) : error
            }
        }
        guard let failure else { preconditionFailure("BUG: no host") }
        throw failure
    }

    /// Opens a further session with this one's server.
    public func openAnother(
        deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Connection {
        guard let settings else { preconditionFailure("BUG: the session was not opened") }
        return try Self.openOne(settings, deadline: deadline)
    }

    private static func openOne(
        _ settings: ConnectionSettings, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Connection {
        let connection = try connect(settings, deadline: deadline)
        connection.settings = settings
        do throws(PostgresError) {
            try connection.beginSession(settings)
            if let book = settings.epochs { try connection.enterEra(book) }
        } catch {
            connection.close()
            guard error.kind != .sessionsShared, error.kind != .epochRefused else { throw error }
            throw PostgresError(
                .connectionFailed, sqlState: error.sqlState, message: error.message)
        }
        return connection
    }

    /// Connects; the session has the settings of the server and the role.
    static func connect(
        _ settings: ConnectionSettings, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Connection {
        guard let handle = start(settings.parameters) else {
            throw PostgresError(.connectionFailed, message: "out of memory")
        }
        // Only verbose messages contain the SQLSTATE of a refused start.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        do {
            try establish(handle, deadline)
        } catch {
            PQfinish(handle)
            throw error
        }
        let connection = Connection(established: handle, deadline: deadline)
        guard connection.serverVersion >= Postgres.serverVersionMin else {
            let version = connection.serverVersion
            throw PostgresError(
                .connectionFailed, sqlState: "0A000", message: "server version \(version)")
        }
        return connection
    }

    private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { (keywords + values).forEach { free(UnsafeMutablePointer(mutating: $0)) } }
        return PQconnectStartParams(&keywords, &values, 0)
    }

    private static func establish(
        _ handle: OpaquePointer, _ deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        var next = PGRES_POLLING_WRITING
        if PQstatus(handle) == CONNECTION_BAD { next = PGRES_POLLING_FAILED }
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED else { throw refusedStart(handle) }
            let left = deadline - .now
            guard left > .zero else {
                throw PostgresError(.connectionFailed, message: "no answer before the deadline")
            }
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            // The socket changes from host to host.
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let milliseconds = min((left / .milliseconds(1)).rounded(.up), 3_600_000)
            if poll(&descriptor, 1, Int32(milliseconds)) > 0 { next = PQconnectPoll(handle) }
        }
        guard PQsetnonblocking(handle, 1) == 0 else { throw refusedStart(handle) }
    }

    /// Finds the code in `… FATAL:  28P01: password authentication failed for user "x"`.
    private static func refusedStart(_ handle: OpaquePointer) -> PostgresError {
        // An indented line only asks whether the server is running.
        let lines = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("\t") }
        for line in lines {
            guard let mark = line.firstRange(of: ":  ") else { continue }
            let rest = line[mark.upperBound...]
            guard let sqlState = SQLState(rest.prefix(5)) else { continue }
            return PostgresError(
                .connectionFailed, sqlState: sqlState, message: String(rest.dropFirst(7)))
        }
        return PostgresError(
            .connectionFailed, message: lines.prefix(2).joined(separator: " "))
    }
}

extension PostgresError {
    /// The same error, with the name of its server.
    func naming(_ server: ConnectionSettings) -> PostgresError {
        PostgresError(kind, sqlState: sqlState, message: "\(server.hostAndPort): \(message)")
    }
}

extension Connection {
    /// The SCRAM-SHA-256 secret of a password, as the server stores it, for CREATE ROLE. So the
    /// password itself is in no statement and in no log of the server.
    ///
    /// Sends nothing. Takes some milliseconds: the secret is slow to compute on purpose.
    public func scramSecret(of password: String, role: String) throws(PostgresError) -> String {
        let handle = try live()
        guard let secret = PQencryptPasswordConn(handle, password, role, "scram-sha-256") else {
            throw PostgresError(
                .refused, message: "no SCRAM secret: \(Self.firstLine(PQerrorMessage(handle)))")
        }
        defer { PQfreemem(secret) }
        return String(cString: secret)
    }
}
