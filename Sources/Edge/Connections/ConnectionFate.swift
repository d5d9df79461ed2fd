import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// What becomes of a connection: decided on its event loop by the first request that is not for
/// `/ingest`, waited for by the task that serves it.
///
/// So a connection that only brings batches has no router's side, and a WebSocket never had one.
final class ConnectionFate {
    /// Completed once.
    let future: EventLoopFuture<EdgeChannel.Connection>
    private let promise: EventLoopPromise<EdgeChannel.Connection>
    /// Bytes are encrypted on their way out.
    let isSecure: Bool
    private(set) var isDecided = false

    init(eventLoop: any EventLoop, isSecure: Bool) {
        promise = eventLoop.makePromise()
        future = promise.futureResult
        self.isSecure = isSecure
    }

    /// The router's side comes behind the handlers that are there. Does nothing the second time.
    func addRouter(to channel: any Channel) {
        guard !isDecided else { return }
        do {
            try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
            let router = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                wrappingChannelSynchronously: channel,
                configuration: .init(
                    backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
                    isOutboundHalfClosureEnabled: true))
            decide(.http(router))
        } catch {
            // The channel has been closed meanwhile.
            decide(.ended)
            channel.close(promise: nil)
        }
    }

    func decide(_ connection: EdgeChannel.Connection) {
        guard !isDecided else { return }
        isDecided = true
        promise.succeed(connection)
    }

    /// The connection is gone.
    func end() {
        decide(.ended)
    }
}
