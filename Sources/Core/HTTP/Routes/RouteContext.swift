public import Hummingbird
public import NIOCore

/// What a route needs in addition to its request.
public struct RouteContext: RequestContext {
    /// What Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// The connection, or the HTTP/2 stream.
    public let channel: any Channel

    /// Made by Hummingbird.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
