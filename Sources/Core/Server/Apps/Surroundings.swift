public import Auth
public import Instruments
public import Logging
public import Postgres

/// What the server gives to an app that it opens.
public struct Surroundings: Sendable {
    /// The configuration of the start.
    public let configuration: ServiceConfiguration
    /// Where this node keeps its files.
    public let directory: DataDirectory
    /// For connections of the app's own.
    public let settings: ConnectionSettings
    /// Decides who may call.
    public let access: AccessPolicy
    /// The connections of routes.
    public let database: Database
    /// This node's name.
    public let node: String
    /// Gets the app's metrics.
    public let registry: Registry
    /// Makes a logger with this label.
    public let logger: @Sendable (_ label: String) -> Logger
}
