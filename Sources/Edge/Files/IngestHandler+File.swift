import Instruments
import NIOCore
import NIOHTTP1

/// A stored file is sent from the event loop, where a request asks for all of it and nothing is
/// encrypted or cut into frames on the way: a head in one buffer, the rest by `sendfile(2)`.
///
/// To ``RequestStateMachine`` such a request is one that somebody else answers, as the router does.
/// Whatever can't be answered with a whole file is handed to the router as it came.
extension IngestHandler {
    /// Files may be sent past the router here.
    var sendsFiles: Bool {
        loop.files != nil && !wire.isStream && fate?.isSecure == false
    }

    /// - Returns: false when the request is the router's.
    func takesAsFile(_ head: HTTPRequestHead, _ framing: RequestFraming) -> Bool {
        guard !isLookedFor else {
            isLookedFor = false
            return false
        }
        guard sendsFiles else { return false }
        fetch = FileFetch(head, route, framing)
        return fetch != nil
    }

    /// A request that has come the quick way, whole.
    func quickFileAsked(_ fetch: FileFetch) {
        quickRequestArrived(for: fetch.wanted.route)
        self.fetch = fetch
        let now = loop.readClock()
        machine.forward(
            RequestFraming(keepAlive: true, expectsContinue: false, declaredBytes: 0), now: now)
        _ = machine.endArrived(now: now)
        _ = askForFile()
    }

    /// The request is complete.
    ///
    /// - Returns: false when it is the router's.
    func askForFile() -> Bool {
        guard let fetch, let files = loop.files else { return false }
        files.find(fetch.wanted, for: self)
        return true
    }

    /// The client will send nothing behind the request that is looked for.
    func nothingMoreComes() {
        _ = machine.inputClosed(now: loop.lastNow)
    }

    /// It has been looked for.
    ///
    /// - Parameter file: nil: there is none, or the router has to see to it.
    func found(_ file: ReadyFile?) {
        // The connection may be gone, or the request was answered for what came behind it.
        guard let fetch, machine.phase == .forwarding, let context else { return }
        guard let file else { return handOn(fetch, context) }
        loop.instruments.sentFile(route)
        let head = loop.answers.head(of: file, header(machine.routerAnswers()))
        switch wire.send(head, file) {
        case .sent:
            fileSent(context)
        case .failed:
            context.close(promise: nil)
        case .waiting(let rest):
            // What the kernel does not take, the client has not taken.
            unwritableSince = unwritableSince ?? loop.lastNow
            rest.assumeIsolated().whenComplete { result in
                self.restSent(result, context)
            }
        }
    }

    private func handOn(_ fetch: FileFetch, _ context: ChannelHandlerContext) {
        self.fetch = nil
        switch fetch.request {
        case .head(let head):
            forward(wrapInboundOut(.head(head)), context)
            forward(wrapInboundOut(.end(nil)), context)
            channelReadComplete(context: context)
        case .bytes(let bytes):
            // It comes again.
            isLookedFor = true
            machine.withdraw()
            wire.takeLongWay(bytes)
        }
        wire.readOnIfOwed(isDrained: false)
    }

    private func restSent(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        guard case .success = result else {
            fetch = nil
            // Half an answer is none.
            if machine.phase == .forwarding { context.close(promise: nil) }
            return
        }
        if context.channel.isWritable { unwritableSince = nil }
        fileSent(context)
    }

    /// The kernel has all of it: now the next request may come in.
    private func fileSent(_ context: ChannelHandlerContext) {
        fetch = nil
        guard machine.phase == .forwarding else { return }
        if wire.isQuick {
            if machine.routerAnswerWritten(now: loop.lastNow) == .linger { linger(context) }
            wire.answerWritten()
        } else {
            wire.ready = ByteBuffer()
            context.write(wrapOutboundOut(Self.placeholder), promise: nil)
            let next = machine.routerAnswerWritten(now: loop.readClock())
            writeEnd(wrapOutboundOut(.end(nil)), context, promise: nil)
            if next == .linger { linger(context) }
        }
        writeDeferred()
        flushIfNeeded()
    }
}
