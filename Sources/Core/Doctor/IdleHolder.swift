import Postgres

/// A session with an open transaction that has locks and does nothing.
public struct IdleHolder: Sendable, Equatable {
    /// The process id of its backend.
    public var pid: Int
    /// Its role.
    public var role: String
    /// How long it has done nothing.
    public var idleSeconds: Int

    /// For the gathering, and for tests of rules.
    public init(pid: Int, role: String, idleSeconds: Int) {
        self.pid = pid
        self.role = role
        self.idleSeconds = idleSeconds
    }
}
