import HTTPTypes
import Hummingbird
import MediaStorage
import NIOCore

/// A request's body for a task that uploads it: it passes the router's side by, comes in as many bytes
/// at a time as are there, and is bounded in bytes.
///
/// What had come before the first piece is asked for is the router's and is taken from there; what
/// comes later ``IngestHandler`` puts into a ``BodyPipe`` instead. For one pass by one task. Whoever
/// makes one calls ``abandon()`` unless `next()` returned nil.
struct UploadBody {
    private let channel: any Channel
    private let pipe: BodyPipe
    private var routers: RequestBody.AsyncIterator
    /// Bytes of what the router has that were not taken yet; nil before it was asked.
    private var routersBytesLeft: Int?
    private var pieces: ArraySlice<ByteBuffer> = []

    /// Bodies that are that small mostly come with their head.
    private static let smallBytesMax = 32 << 10

    init(of request: Request, on channel: any Channel, _ memory: UploadMemory) {
        self.channel = channel
        pipe = BodyPipe(memory, eventLoop: channel.eventLoop)
        routers = request.body.makeAsyncIterator()
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length <= Self.smallBytesMax { routersBytesLeft = .max }
    }

    /// - Returns: nil at the body's end.
    /// - Throws: `MultipartError.truncated` when there will be no end.
    mutating func next() async throws -> ByteBuffer? {
        if let piece = pieces.popFirst() { return piece }
        let left: Int
        if let routersBytesLeft {
            left = routersBytesLeft
        } else {
            left = try await divert()
        }
        if left > 0 {
            let piece = try await routers.next()
            routersBytesLeft = left == .max ? .max : left - (piece?.readableBytes ?? left)
            if piece != nil || left == .max { return piece }
        }
        pieces = try await pipe.next()
        return pieces.popFirst()
    }

    /// - Returns: how much has gone to the router's stream.
    private mutating func divert() async throws -> Int {
        let diversion = BodyDiversion(to: pipe)
        do {
            try await channel.triggerUserOutboundEvent(diversion).get()
            routersBytesLeft = diversion.bytesBefore
            return diversion.bytesBefore
        } catch ChannelError.operationUnsupported {
            // No handler knew what that is: all of it comes the usual way.
            routersBytesLeft = .max
            return .max
        } catch is ChannelError {
            // The connection is gone, or the request was answered for being late.
            throw MultipartError.truncated(offset: 0)
        }
    }

    /// Nothing more is wanted; whatever still comes is for the router's side to pass over.
    func abandon() { pipe.abandon() }
}
