import Hummingbird
import NIOCore

/// A request's body that tells the connection's handlers when it is first read.
struct AskedBody: AsyncSequence, Sendable {
    /// The event: the body of the present request is wanted.
    struct Asked: Sendable {}

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        /// nil once the handlers have been told.
        var channel: (any Channel)?

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
