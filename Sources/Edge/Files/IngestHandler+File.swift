import Instruments
import NIOCore
import NIOHTTP1

/// A stored file is sent from the event loop, where a request asks for all of it and nothing is
/// encrypted or cut into frames on the way: a head in one buffer, the rest by `sendfile(2)`.
///
/// To ``RequestStateMachine`` such a request is one that somebody else answers, as the router does.
/// Whatever can't be answered with a whole file is handed to the router as it came.
extension IngestHandler {
    /// - Returns: false when the request is the router's.
    func takesAsFile(_ head: HTTPRequestHead, _ framing: RequestFraming) -> Bool {
        guard loop.files != nil, !wire.isStream, fate?.isSecure == false else { return false }
        fetch = FileFetch(head, route, framing)
        return fetch != nil
    }

    /// The request is complete.
    ///
    /// - Returns: false when it is the router's.
    func askForFile() -> Bool {
        guard let fetch, let files = loop.files else { return false }
        files.find(fetch.wanted, for: self)
        return true
    }

    /// It has been looked for.
    ///
    /// - Parameter file: nil: there is none, or the router has to see to it.
    func found(_ file: ReadyFile?) {
        // The connection may be gone, or the request was answered for what came behind it.
        guard let fetch, machine.phase == .forwarding, let context else { return }
        guard let file else { return handOn(fetch, context) }
        loop.instruments.answered(route, status: 200)
        wire.write(loop.answers.head(of: file, header(machine.routerAnswers())), promise: nil)
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            // It is the source's, which has been kept until here.
            _ = try? handle.takeDescriptorOwnership()
            withExtendedLifetime(file.source) { self.fileSent(result, context) }
        }
        wire.write(
            FileRegion(fileHandle: handle, readerIndex: 0, endIndex: file.bytes), promise: sent)
        wire.flush()
    }

    private func handOn(_ fetch: FileFetch, _ context: ChannelHandlerContext) {
        self.fetch = nil
        forward(wrapInboundOut(.head(fetch.head)), context)
        forward(wrapInboundOut(.end(nil)), context)
        channelReadComplete(context: context)
        wire.readOnIfOwed(isDrained: false)
    }

    /// The kernel has all of it: now the next request may come in.
    private func fileSent(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        fetch = nil
        guard machine.phase == .forwarding else { return }
        guard case .success = result else {
            // Half an answer is none.
            context.close(promise: nil)
            return
        }
        wire.ready = ByteBuffer()
        context.write(wrapOutboundOut(Self.placeholder), promise: nil)
        let next = machine.routerAnswerWritten(now: loop.readClock())
        writeEnd(wrapOutboundOut(.end(nil)), context, promise: nil)
        if next == .linger { linger(context) }
        writeDeferred()
        flushIfNeeded()
    }
}
