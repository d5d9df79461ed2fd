import NIOCore

/// Told to a connection's handlers: the rest of the present request's body is for this pipe.
///
/// `@unchecked Sendable`: the event loop writes `bytesBefore` before it completes the event's promise,
/// and nobody reads it before that.
final class BodyDiversion: @unchecked Sendable {
    let pipe: BodyPipe
    /// Bytes of the body that had gone to the router before.
    fileprivate(set) var bytesBefore = 0

    init(to pipe: BodyPipe) { self.pipe = pipe }
}

extension IngestHandler {
    func divert(_ diversion: BodyDiversion, _ promise: EventLoopPromise<Void>?) {
        guard machine.phase == .forwarding else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        diversion.bytesBefore = machine.bodyBytes
        if machine.requestEnded {
            diversion.pipe.end()
        } else {
            diversion.pipe.handler = self
            pipe = diversion.pipe
            // The router's side may have stopped reading, and need not begin again.
            wire.readNow()
            giveLeave()
        }
        promise?.succeed()
    }

    /// A body that is uploaded is read in one piece at a time, into memory that ``UploadMemory`` lends;
    /// with what is usual, four reads at once and a buffer for each, many uploads would hold several
    /// times what they may.
    func sizeReads() {
        guard let options = context?.channel.syncOptions, !wire.isStream else { return }
        let reads = pipe == nil ? Self.usualReadsMax : 1
        let allocator: any RecvByteBufferAllocator =
            if let pipe { UploadReads(pipe: pipe) } else { AdaptiveRecvByteBufferAllocator() }
        // A channel that is closed has no options, and needs none.
        try? options.setOption(.maxMessagesPerRead, value: reads)
        try? options.setOption(.recvAllocator, value: allocator)
    }

    /// A channel's, unless it is told otherwise.
    private static let usualReadsMax: UInt = 4

    /// There will be no more of the body.
    func breakPipe() {
        pipe.take()?.fail(at: machine.bodyBytes)
    }
}
