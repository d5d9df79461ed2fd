/// The Citus node that has a shard.
public enum ShardOwner: Hashable, Sendable {
    /// The node that the table was read from. The address that the other nodes use for it may not
    /// work here, such as `localhost`.
    case coordinator
    /// A worker, as the coordinator names it: host name or address, and port.
    case worker(host: String, port: Int)
}

extension ShardOwner: Comparable {
    /// The coordinator first, then by host and port.
    public static func < (left: ShardOwner, right: ShardOwner) -> Bool {
        switch (left, right) {
        case (.coordinator, .coordinator), (.worker, .coordinator): false
        case (.coordinator, .worker): true
        case (.worker(let host, let port), .worker(let otherHost, let otherPort)):
            (host, port) < (otherHost, otherPort)
        }
    }
}

extension ShardOwner: CustomStringConvertible {
    /// For a log.
    public var description: String {
        switch self {
        case .coordinator: "coordinator"
        case .worker(let host, let port): "\(host):\(port)"
        }
    }
}
