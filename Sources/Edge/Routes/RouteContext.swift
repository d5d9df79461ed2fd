import Hummingbird
import NIOCore

/// What a route knows beside its request.
struct RouteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, or the stream of one.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
