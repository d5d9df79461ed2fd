import CLibpq

extension Connection {
    /// Sends statements together and waits once, for all their answers: one round trip, however
    /// many they are (in libpq's pipeline mode, which it leaves before it returns).
    ///
    /// The server runs them in order. After the first that it refuses it skips the others; a
    /// transaction that is open then has failed: call ``rollback()``. COPY can't be among them.
    ///
    /// - Parameter queue: adds the statements. If it throws, the connection is closed.
    /// - Returns: one result for each statement, in order.
    /// - Throws: the first failure. 25P02 for a COMMIT that turned out to be a ROLLBACK.
    @discardableResult
    public func together(
        _ queue: (inout Pipeline) throws(PostgresError) -> Void
    ) throws(PostgresError) -> [Rows] {
        let handle = try live()
        guard PQenterPipelineMode(handle) == 1 else { throw abandonUnsent(handle) }
        var pipeline = Pipeline(self)
        do throws(PostgresError) {
            try queue(&pipeline)
        } catch {
            close()
            throw error
        }
        guard PQpipelineSync(handle) == 1 else { throw abandonUnsent(handle) }
        try flush()
        let (results, failure) = try results(of: pipeline, handle)
        guard PQexitPipelineMode(handle) == 1 else { throw abandonUnsent(handle) }
        if let failure { throw failure }
        try awaitStandbys()
        return results
    }

    /// Begins a transaction and runs a kept statement in it, in a single round trip.
    ///
    /// After a refusal the transaction may be open and failed: call ``rollback()``.
    public func begin(
        thenKept statement: KeptStatement, _ parameters: Parameters
    ) throws(PostgresError) -> Rows {
        precondition(isIdle, "BUG: begin inside a transaction")
        let results = try together { pipeline throws(PostgresError) in
            try pipeline.add("BEGIN")
            try pipeline.add(kept: statement, parameters)
        }
        return results[1]
    }

    /// Reads the results up to the pipeline's synchronization point. Each is followed by a gap,
    /// where libpq has no result.
    private func results(
        of pipeline: borrowing Pipeline, _ handle: OpaquePointer
    ) throws(PostgresError) -> (results: [Rows], failure: PostgresError?) {
        let steps = pipeline.steps
        var measuredFrom = pipeline.measuredFrom
        var results: [Rows] = []
        var firstFailure: PostgresError?
        var (place, gaps) = (0, 0)
        while gaps < 4 {
            guard let rows = try nextResult() else {
                gaps += 1  // too many in a row: the session is gone
                continue
            }
            gaps = 0
            if let start = measuredFrom {
                roundTrip = .now - start
                measuredFrom = nil
            }
            if rows.status == PGRES_PIPELINE_SYNC {
                guard firstFailure != nil || place == steps.count else { break }
                return (results, firstFailure)
            }
            guard place < steps.count else { break }
            let step = steps[place]
            place += 1
            switch rows.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                switch step {
                case .parse(let name):
                    keptNames.insert(name)
                    continue
                case .commit:
                    do throws(PostgresError) {
                        try Self.refuseRollback(rows)
                    } catch {
                        firstFailure = firstFailure ?? error
                    }
                case .statement: break
                }
                results.append(rows)
            case PGRES_PIPELINE_ABORTED: break
            default:
                let failure = failure(of: rows, handle)
                guard isOpen else { throw firstFailure ?? failure }
                firstFailure = firstFailure ?? failure
            }
        }
        throw abandon(.connectionLost, message: "the pipeline ended early")
    }
}

extension Connection {
    /// Statements that are sent together; see ``Connection/together(_:)``.
    public struct Pipeline: ~Copyable {
        /// What one of the results belongs to.
        enum Step {
            case statement
            case commit
            /// Parses a kept statement for the session.
            case parse(name: String)
        }

        private let connection: Connection
        private(set) var steps: [Step] = []
        private var places = 0
        private let start = ContinuousClock.now
        /// When the measured round trip began; nil: none is measured.
        private(set) var measuredFrom: ContinuousClock.Instant?

        init(_ connection: Connection) { self.connection = connection }

        /// Adds a statement, planned for these parameters.
        ///
        /// - Returns: the place of its result.
        /// - Throws: an error that has closed the connection.
        @discardableResult
        public mutating func add(
            _ sql: String, _ parameters: Parameters = Parameters()
        ) throws(PostgresError) -> Int {
            try send(sql, prepared: false, parameters, .statement)
        }

        /// Adds a kept statement, which is parsed first if this session has not done so yet.
        ///
        /// - Returns: the place of its result.
        /// - Throws: an error that has closed the connection.
        @discardableResult
        public mutating func add(
            kept statement: KeptStatement, _ parameters: Parameters = Parameters()
        ) throws(PostgresError) -> Int {
            try parse(statement)
            return try send(statement.name, prepared: true, parameters, .statement)
        }

        /// Parses a kept statement if this session has not done so yet; it has no result.
        ///
        /// - Throws: an error that has closed the connection.
        public mutating func parse(_ statement: KeptStatement) throws(PostgresError) {
            guard !connection.keptNames.contains(statement.name), !parses(statement.name) else {
                return
            }
            let handle = try connection.live()
            let types = statement.types.map(\.rawValue)
            guard
                PQsendPrepare(handle, statement.name, statement.text, Int32(types.count), types)
                    == 1
            else { throw connection.abandonUnsent(handle) }
            steps.append(.parse(name: statement.name))
        }

        /// Adds COMMIT. After `.connectionLost` or `.deadlineExceeded` its outcome is unknown.
        ///
        /// - Parameter hasWritten: the transaction has changed something. One that has not does not
        ///   wait for standbys; see ``Connection/commit()``.
        public mutating func addCommit(hasWritten: Bool) throws(PostgresError) {
            if !hasWritten { try add(Connection.messageStatement) }
            try send("COMMIT", prepared: false, Parameters(), .commit)
        }

        /// Has the server send its results so far without waiting for the rest, which measures
        /// ``Connection/roundTrip``. It costs none. The statements before it should take no time.
        ///
        /// - Throws: an error that has closed the connection.
        public mutating func measureRoundTrip() throws(PostgresError) {
            let handle = try connection.live()
            guard PQsendFlushRequest(handle) == 1 else { throw connection.abandonUnsent(handle) }
            measuredFrom = start
        }

        @discardableResult
        private mutating func send(
            _ text: String, prepared: Bool, _ parameters: Parameters, _ step: Step
        ) throws(PostgresError) -> Int {
            let handle = try connection.live()
            guard Connection.send(text, prepared: prepared, parameters, handle) else {
                throw connection.abandonUnsent(handle)
            }
            steps.append(step)
            places += 1
            return places - 1
        }

        private func parses(_ name: String) -> Bool {
            steps.contains { if case .parse(name) = $0 { true } else { false } }
        }
    }
}
