import Auth
import Instruments
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// How a connection becomes a WebSocket.
///
/// ```
///  head ─▶ judged ─▶ end of the request ─▶ the application admits (a task) ─▶ 101 ─▶ handlers change
///            └───────────── refused: an answer like any other ◀────┘
/// ```
/// An application may tell a client without valid credentials in a frame. Then the answer is the
/// 101, that frame and a close frame, and the connection ends with it, in its place among those of
/// HTTP: no frame of such a client is read, and it never counts as an open socket.
///
/// Nothing is read until the decision, so no bytes of the client can arrive between the answer and
/// the handlers that understand them.
extension ConnectionHandler {
    private static let stoppingRetryAfter = Duration.seconds(1)
    private static let fullRetryAfter = Duration.seconds(5)
    private static let unavailableRetryAfter = Duration.seconds(2)
    private static let authenticationFailed = "authentication failed"

    /// - Returns: false if the request is not for the path of a socket.
    func judgeUpgrade(
        _ head: HTTPRequestHead, _ framing: RequestFraming, now: NIODeadline
    ) -> Bool {
        guard let path = entry.socket else { return false }
        let judgement = SocketUpgrade.judge(
            head, framing, path, entry.pattern, isFirst: machine.isFirst && !wire.isStream)
        switch judgement {
        case .none:
            return false
        case .refused(let failure):
            // A client that believes it is a WebSocket already may send anything.
            if failure == .upgradeTooLate { machine.mustClose = true }
            answer(failure, machine.refuse(framing, now: now))
        case .upgrade(let upgrade):
            self.upgrade = upgrade
            machine.upgrade(framing, now: now)
        }
        return true
    }

    /// The request is complete: asks the application.
    func admitUpgrade() {
        guard let upgrade, let context else { return }
        guard loop.sockets.isRoom else { return refuseForWantOfRoom() }
        let application = upgrade.application
        let (route, credentials) = (upgrade.route, upgrade.credentials)
        // Asynchronous, because the decoder is on the stack now and is to leave the pipeline.
        context.eventLoop.makeFutureWithTask {
            await application.admit(route, credentials)
        }.assumeIsolated().whenSuccess { self.upgradeDecided($0) }
    }

    private func upgradeDecided(_ admission: SocketAdmission) {
        guard let upgrade, machine.phase == .upgrading else { return }
        switch admission {
        case .admitted where machine.mustClose:
            refuseUpgrade(.stopping(retryAfter: Self.stoppingRetryAfter))
        case .admitted where !loop.sockets.isRoom:
            refuseForWantOfRoom()
        case .admitted(let user, let pass):
            guard loop.sockets.mayHold(user: user, address: address(pass)) else {
                loop.sockets.instruments.refused.increment()
                refuseUpgrade(.socketShareUsedUp(retryAfter: Self.fullRetryAfter))
                break
            }
            accept(upgrade, user: user, pass: pass)
        case .unauthorized:
            if let text = upgrade.application.authenticationError() {
                turnAway(upgrade, text)
            } else {
                refuseUpgrade(.unauthorized)
            }
        case .forbidden(let scope):
            refuseUpgrade(.socketForbidden(lacking: scope))
        case .otherSite:
            refuseUpgrade(.otherSite)
        case .unknown:
            refuseUpgrade(.notFound)
        case .userMissing:
            refuseUpgrade(.userMissing)
        case .unavailable:
            refuseUpgrade(.databaseUnavailable(retryAfter: Self.unavailableRetryAfter))
        }
        flushIfNeeded()
    }

    /// Only for clients that needed no credentials; others are counted by user.
    private func address(_ pass: SocketPass) -> ClientAddress? {
        pass.isOfAnybody ? wire.seat.address : nil
    }

    private func refuseForWantOfRoom() {
        loop.sockets.instruments.refused.increment()
        refuseUpgrade(.tooManySockets(retryAfter: Self.fullRetryAfter))
    }

    private func refuseUpgrade(_ failure: RequestFailure) {
        upgrade = nil
        answer(failure, machine.settle())
    }

    private func accept(_ upgrade: SocketUpgrade, user: String, pass: SocketPass) {
        guard let context else { return }
        let (channel, loop, address) = (context.channel, loop, address(pass))
        let upgrader = upgrade.upgrader(
            messageBytesMax: loop.sockets.configuration.messageBytesMax
        ) { channel in
            try channel.pipeline.syncOperations.addHandler(
                SocketHandler(
                    loop: loop, application: upgrade.application, route: upgrade.route,
                    user: user, address: address, pass: pass))
        }
        shakeHands(upgrade, upgrader) { self.become(upgrade, upgrader, $0, channel) }
    }

    /// Computes the 101 and passes it on; a handshake that can't have one is refused.
    private func shakeHands(
        _ upgrade: SocketUpgrade, _ upgrader: NIOTypedWebSocketServerUpgrader<Void>,
        then proceed: @escaping (ByteBuffer) -> Void
    ) {
        guard let context else { return }
        upgrader.buildUpgradeResponse(
            channel: context.channel, upgradeRequest: upgrade.head, initialResponseHeaders: [:]
        ).assumeIsolated().whenComplete { result in
            guard self.machine.phase == .upgrading else { return }
            switch result {
            case .success(let fields):
                proceed(Self.switching(fields))
            case .failure:
                self.refuseUpgrade(.upgradeMalformed)
                self.flushIfNeeded()
            }
        }
    }

    private static func switching(_ fields: HTTPHeaders) -> ByteBuffer {
        var head = ByteBuffer()
        head.writeStaticString("HTTP/1.1 101 Switching Protocols\r\n")
        for (name, value) in fields { head.writeString("\(name.lowercased()): \(value)\r\n") }
        head.writeStaticString("\r\n")
        return head
    }

    /// Answers with a socket that only says why it is closed.
    private func turnAway(_ upgrade: SocketUpgrade, _ text: String) {
        let upgrader = upgrade.upgrader(
            messageBytesMax: loop.sockets.configuration.messageBytesMax
        ) { _ in }
        shakeHands(upgrade, upgrader) { head in
            var bytes = head
            var goodbye = ByteBuffer()
            SocketClose(.policyViolation, Self.authenticationFailed).write(to: &goodbye)
            bytes.writeImmutableBuffer(SocketOutlet.frame(text))
            bytes.writeImmutableBuffer(SocketOutlet.frame(.connectionClose, goodbye))
            self.upgrade = nil
            self.machine.mustClose = true
            _ = self.machine.settle()
            self.loop.sockets.instruments.closed(Int(SocketCloseCode.policyViolation.rawValue))
            self.write(Answer(status: 101, bytes: bytes))
            self.flushIfNeeded()
        }
    }

    private func become(
        _ upgrade: SocketUpgrade, _ upgrader: NIOTypedWebSocketServerUpgrader<Void>,
        _ head: ByteBuffer, _ channel: any Channel
    ) {
        wire.write(head, promise: nil)
        loop.instruments.answered(route, status: 101)
        self.upgrade = nil
        // Neither closed nor within a request, but HTTP has ended on this connection.
        machine.closed()
        fate?.decide(.handled)
        do {
            try changeHandlers(of: channel, upgrade.head, upgrader)
            // Only now, when the socket counts as open.
            channel.flush()
        } catch {
            channel.close(promise: nil)
        }
    }

    /// Replaces the handlers of HTTP by those of the socket. The decoder is removed last, because
    /// it forwards its remaining bytes.
    private func changeHandlers(
        of channel: any Channel, _ head: HTTPRequestHead,
        _ upgrader: NIOTypedWebSocketServerUpgrader<Void>
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        // The most that one read may bring; the buffer of an idle socket shrinks to the minimum.
        try channel.syncOptions?.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 1024, maximum: 16_384))
        let decoder = try pipeline.handler(
            type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let others: [any RemovableChannelHandler] = [
            self, try pipeline.handler(type: HTTPServerPipelineHandler.self),
            try pipeline.handler(type: ReadyAnswerHandler.self),
            try pipeline.handler(type: HTTPResponseEncoder.self),
            try pipeline.handler(type: WireHandler.self),
        ]
        for handler in others { pipeline.removeHandler(handler, promise: nil) }
        // All of NIO's part happens at once on this loop.
        upgrader.upgrade(channel: channel, upgradeRequest: head).whenFailure { _ in
            channel.close(promise: nil)
        }
        pipeline.removeHandler(decoder, promise: nil)
        try pipeline.handler(type: SocketHandler.self).flushIfNeeded()
    }
}
