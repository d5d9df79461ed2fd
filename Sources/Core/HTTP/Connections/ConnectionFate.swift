import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// What a connection becomes. The first request that is not for `/ingest` decides it, on the event
/// loop; the task that serves the connection awaits it.
///
/// So a connection that only sends batches never gets the router's handlers, and neither does a
/// WebSocket.
final class ConnectionFate {
    /// Completed once.
    let future: EventLoopFuture<HTTPChildChannel.Connection>
    private let promise: EventLoopPromise<HTTPChildChannel.Connection>
    /// The connection is encrypted.
    let isSecure: Bool
    private(set) var isDecided = false

    init(eventLoop: any EventLoop, isSecure: Bool) {
        promise = eventLoop.makePromise()
        future = promise.futureResult
        self.isSecure = isSecure
    }

    /// Adds the router's handlers after those that are there. Does nothing once the fate is
    /// decided.
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

    func decide(_ connection: HTTPChildChannel.Connection) {
        guard !isDecided else { return }
        isDecided = true
        promise.succeed(connection)
    }

    /// The connection is gone.
    func end() {
        decide(.ended)
    }
}
