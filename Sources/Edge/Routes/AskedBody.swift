import Hummingbird
import NIOCore

/// A request's body that tells the connection's handlers when it is first asked for.
struct AskedBody: AsyncSequence, Sendable {
    /// Told to a connection's handlers: the body of the present request is waited for.
    struct Asked: Sendable {}

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// nil: it has been told.
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            channel.take()?.triggerUserOutboundEvent(Asked(), promise: nil)
            return try await body.next()
        }
    }

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), channel: channel)
    }
}
