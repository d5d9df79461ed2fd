import Instruments
import NIOCore
import NIOHTTP1

/// The router's answers as they pass through ``ConnectionHandler``, and how much is read meanwhile.
extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard machine.phase == .forwarding else {
            // The body came too slowly, and the request has been answered in place of the router.
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            loop.instruments.answered(route, status: Int(head.status.code))
            if let timing {
                timing.histogram.record(Int((loop.readClock() - timing.since).nanoseconds))
            }
            switch header(machine.routerAnswers()) {
            case .none:
                context.write(data, promise: promise)
                return
            case .keepAlive: head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
            case .close: head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head:
            context.write(data, promise: promise)
        case .body(let part):
            let written = promise ?? context.eventLoop.makePromise()
            let bytes = part.readableBytes
            countUnsent(bytes)
            written.futureResult.assumeIsolated().whenComplete { _ in self.countUnsent(-bytes) }
            context.write(data, promise: written)
        case .end:
            let next = machine.routerAnswerWritten(now: loop.lastNow)
            writeEnd(data, context, promise: promise)
            if next == .linger { linger(context) }
            writeDeferred()
            flushIfNeeded()
        }
    }

    /// Counts bytes of an answer that the router has written, or, if negative, that the client has
    /// taken.
    func countUnsent(_ change: Int) {
        unsentBytes += change
        wire.countUnsent(change)
        loop.unsent.add(change, of: wire.seat.address)
    }

    /// How much more may be read now.
    enum ReadDemand {
        case nothing
        case more
        /// A batch waits for its commit: one read ahead.
        case onceMore
        /// As much as the router's side requests.
        case asRouterLikes
    }

    var readDemand: ReadDemand {
        // A client that sends but does not read must not fill the memory with answers.
        guard unwritableSince == nil else { return .nothing }
        switch machine.phase {
        case .idle, .receiving, .settling, .lingering: return .more
        case .translating, .offered: return .onceMore
        case .forwarding: return .asRouterLikes
        case .upgrading, .closed: return .nothing
        }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is AskedBody.Asked else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        sendContinue()
        promise?.succeed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            unwritableSince = nil
            wire.readOnIfOwed(isDrained: false)
        } else if unwritableSince == nil {
            unwritableSince = loop.lastNow
        }
        context.fireChannelWritabilityChanged()
    }
}
