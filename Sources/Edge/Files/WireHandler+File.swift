import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#endif

/// A head and the file behind it in two system calls, with no packet for the head alone: it is sent
/// with `MSG_MORE`, so the kernel waits for the bytes of `sendfile(2)` that follow at once.
///
/// Past the channel, which would write the head by itself, and wake the client up for it. It stands
/// aside as long as nothing waits in it; what the kernel does not take is left to it.
extension WireHandler {
    func send(_ head: ByteBuffer, _ file: ReadyFile) -> FileSending {
        guard let context, context.channel.isActive else { return .failed }
        var sent: Int? = 0
        #if canImport(Glibc)
        if waitingBytes(context) == 0, let socket = socket(of: context) {
            sent = Self.sendNow(head, file, on: socket)
        }
        #endif
        guard let sent else { return .failed }
        if sent == head.readableBytes + file.bytes { return .sent }
        return .waiting(sendLater(head, file, from: sent, context))
    }

    /// What has not been sent yet, as the channel can.
    private func sendLater(
        _ head: ByteBuffer, _ file: ReadyFile, from sent: Int, _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        var head = head
        head.moveReaderIndex(forwardBy: min(sent, head.readableBytes))
        if head.readableBytes > 0 {
            context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        }
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let region = FileRegion(
            fileHandle: handle, readerIndex: max(0, sent - head.writerIndex),
            endIndex: file.bytes)
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.fileRegion(region)), promise: promise)
        return promise.futureResult.always { _ in
            // It is the source's, which has been kept until here.
            _ = try? handle.takeDescriptorOwnership()
            withExtendedLifetime(file.source) {}
        }
    }

    #if canImport(Glibc)
    /// The descriptor is the channel's: good for as long as that is active, on its event loop.
    private func socket(of context: ChannelHandlerContext) -> CInt? {
        if let socket { return socket }
        let pipeline = context.pipeline.syncOperations
        socket = try? pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        return socket
    }

    /// - Returns: how many bytes the kernel took; nil: the connection has failed.
    private static func sendNow(_ head: ByteBuffer, _ file: ReadyFile, on socket: CInt) -> Int? {
        let flags = Int32(MSG_MORE | MSG_DONTWAIT | MSG_NOSIGNAL)
        let headBytes = head.withUnsafeReadableBytes { bytes in
            Glibc.send(socket, bytes.baseAddress, bytes.count, flags)
        }
        guard headBytes == head.readableBytes else { return taken(headBytes) }
        var offset: off_t = 0
        let fileBytes = sendfile(socket, file.descriptor, &offset, file.bytes)
        return taken(fileBytes).map { headBytes + $0 }
    }

    /// - Returns: nil for an error that is none of being full or interrupted.
    private static func taken(_ count: Int) -> Int? {
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
    #endif
}
