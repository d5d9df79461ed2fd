public import HTTP
public import Ingest
public import ServiceLifecycle

/// The parts of an app in one run of the server.
public protocol RunningApp: Sendable {
    /// Start in this order, before the server listens.
    var services: [any Service] { get }
    /// Start after the server listens, so that they stop before it.
    var lastServices: [any Service] { get }

    /// Its routes, also those of its sockets.
    ///
    /// - Parameter sink: gets what users send.
    func routes(_ sink: any BatchSink) -> [RouteGroup]

    /// Called once, before the server listens.
    ///
    /// - Parameter notify: passes a notice to the sockets of a user.
    func attach(
        _ notify: @escaping @Sendable (_ topic: String, _ user: String, _ text: String) -> Void)

    /// The configuration was read again.
    func reload(_ configuration: ServiceConfiguration)

    /// Closes everything. No part may be used afterwards.
    func close() async
}

extension RunningApp {
    /// None.
    public var services: [any Service] { [] }
    /// None.
    public var lastServices: [any Service] { [] }
    /// Nothing.
    public func attach(
        _ notify: @escaping @Sendable (_ topic: String, _ user: String, _ text: String) -> Void
    ) {}
    /// Nothing.
    public func reload(_ configuration: ServiceConfiguration) {}
    /// Nothing.
    public func close() async {}
}
