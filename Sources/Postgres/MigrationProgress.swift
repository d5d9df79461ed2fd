/// What a run of the ``Migrator`` is at.
public enum MigrationProgress: Sendable, Equatable {
    /// A transaction that may be what holds a step up.
    public struct Transaction: Sendable, Equatable {
        /// Of its backend, for `pg_terminate_backend`.
        public let processID: Int32
        /// As its client calls itself.
        public let application: String
        /// How long it has been open.
        public let seconds: Int
    }

    /// A step begins.
    case runs(step: String)
    /// A lock was not to be had, and everything of the step is rolled back until the next attempt.
    ///
    /// `step` is nil while another node migrates; `oldest` when no transaction is known that has
    /// been open for a second.
    case waits(step: String?, attempts: Int, oldest: Transaction?)
}

extension MigrationProgress: CustomStringConvertible {
    /// One line for an operator.
    public var description: String {
        switch self {
        case .runs(let step):
            return "migration \(step)"
        case .waits(let step, let attempts, let oldest):
            let reason = step.map { "migration \($0) waits for a lock" } ?? "another node migrates"
            let holder = oldest.map {
                let name = $0.application.isEmpty ? "" : " (\($0.application))"
                return "; backend \($0.processID)\(name) has a transaction open for \($0.seconds) s"
            }
            return "\(reason), attempt \(attempts)\(holder ?? "")"
        }
    }
}
