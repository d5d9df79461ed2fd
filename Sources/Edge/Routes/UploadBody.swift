import HTTPTypes
import Hummingbird
import MediaStorage
import NIOCore

/// A request's body for a task that uploads it: it passes the router's side by, comes in as many bytes
/// at a time as are there, and is bounded in bytes.
///
/// What had come before its ``Beginning`` is the router's and is taken from there; what comes later
/// ``IngestHandler`` puts into a ``BodyPipe`` instead. For one pass by one task. Whoever
/// makes one calls ``abandon()`` unless `next()` returned nil.
struct UploadBody {
    /// Has told the connection's event loop where the body is to go.
    ///
    /// Made before the task changes threads: the loop does its part meanwhile.
    struct Beginning: Sendable {
        fileprivate let pipe: BodyPipe
        fileprivate let diversion: BodyDiversion
        /// nil: all of it is the router's.
        fileprivate let isDiverted: EventLoopFuture<Void>?

        init(of request: Request, on channel: any Channel, _ memory: UploadMemory) {
            pipe = BodyPipe(memory, eventLoop: channel.eventLoop)
            diversion = BodyDiversion(to: pipe)
            let length = request.headers[.contentLength].flatMap { Int($0) }
            let isSmall = length.map { $0 <= UploadBody.smallBytesMax } ?? false
            isDiverted = isSmall ? nil : channel.triggerUserOutboundEvent(diversion)
        }
    }

    private let beginning: Beginning
    private var routers: RequestBody.AsyncIterator
    /// Bytes of what the router has that were not taken yet; nil before it was asked.
    private var routersBytesLeft: Int?
    /// The first last.
    private var pieces: [ByteBuffer] = []

    /// Bodies that are that small mostly come with their head.
    private static let smallBytesMax = 32 << 10

    init(of request: Request, _ beginning: Beginning) {
        self.beginning = beginning
        routers = request.body.makeAsyncIterator()
        if beginning.isDiverted == nil { routersBytesLeft = .max }
    }

    /// - Returns: nil at the body's end.
    /// - Throws: `MultipartError.truncated` when there will be no end.
    mutating func next() async throws -> ByteBuffer? {
        if let piece = pieces.popLast() { return piece }
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
        pieces = try await beginning.pipe.next()
        return pieces.popLast()
    }

    /// - Returns: how much has gone to the router's stream.
    private mutating func divert() async throws -> Int {
        do {
            try await beginning.isDiverted?.get()
            routersBytesLeft = beginning.diversion.bytesBefore
            return beginning.diversion.bytesBefore
        } catch ChannelError.operationUnsupported {
            // No handler knew what that is: all of it comes the usual way.
            routersBytesLeft = .max
            return .max
        } catch is ChannelError {
            // The connection is gone, or the request was answered for being late.
            throw MultipartError.truncated(offset: 0)
        }
    }

    /// A piece is done with; its memory may serve for the next.
    func recycle(_ piece: consuming ByteBuffer) { beginning.pipe.recycle(piece) }

    /// Nothing more is wanted; whatever still comes is for the router's side to pass over.
    func abandon() { beginning.pipe.abandon() }
}
