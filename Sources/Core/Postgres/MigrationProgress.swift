import Glibc
import Schema

/// The progress of a run of the ``Migrator``.
public enum MigrationProgress: Sendable, Equatable {
    /// A transaction that may block a step.
    public struct Transaction: Sendable, Equatable {
        /// The backend's process id, for `pg_terminate_backend`.
        public let processID: Int32
        /// The client's application name.
        public let application: String
        /// How long it has been open.
        public let seconds: Int
    }

    /// A step begins.
    case runs(step: String)
    /// A lock was not available, or a deadlock or serialization failure occurred. The step is
    /// rolled back until the next attempt.
    ///
    /// `step` is nil while another node migrates; `oldest` is nil when no known transaction has
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
