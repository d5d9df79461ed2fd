import CEpoll
import Fleet
import Glibc

extension LoadGenerator {
    /// The size of a socket's send buffer: a body of usual size fits, so nothing of it has to be
    /// kept here.
    private static let sendBytesMax: Int32 = 512 * 1024

    /// Starts to connect.
    func open(_ connection: Connection, now: UInt64) {
        let target = plan.targets[connection.target]
        var address = target.address
        let family = Int32(address.ss_family)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        precondition(descriptor >= 0, "BUG: no socket, errno=\(errno)")
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var sendBytes = Self.sendBytesMax
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sendBytes, 4)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, target.addressLength)
            }
        }
        guard result == 0 || errno == EINPROGRESS else {
            _ = Glibc.close(descriptor)
            report.connectionsRefused += 1
            connection.reconnectAt = now + 100_000_000
            return
        }
        connection.socket = descriptor
        if target.isSecure {
            guard let trust = plan.trust else { preconditionFailure("BUG: no trust") }
            connection.secure = SecureChannel(trust, host: target.host, socket: descriptor)
        }
        connection.isConnecting = result != 0 || target.isSecure
        report.connectionsOpened += 1
        watch(connection, operation: EPOLL_CTL_ADD)
        markIdle(connection)
    }

    private func watch(_ connection: Connection, operation: Int32) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        if connection.isConnecting ? connection.isHandshakeWriting : connection.unsent.count > 0 {
            event.events |= EPOLLOUT.rawValue
        }
        event.data.u64 = UInt64(connection.number)
        epoll_ctl(epoll, operation, connection.socket, &event)
    }

    /// Passes head and body to the kernel, and keeps what it does not accept.
    ///
    /// - Parameter prepared: the body; nil: it is in the scratch buffer.
    func transmit(on connection: Connection, prepared: [UInt8]?) {
        if let prepared {
            prepared.withUnsafeBytes { transmit(body: $0, on: connection) }
        } else {
            body.withBytes { transmit(body: $0, on: connection) }
        }
    }

    private func transmit(body: UnsafeRawBufferPointer, on connection: Connection) {
        precondition(connection.unsent.count == 0, "BUG: \(connection.unsent.count) bytes unsent")
        if connection.secure != nil { return transmitSecurely(body, on: connection) }
        let total = head.count + body.count
        let descriptor = connection.socket
        let taken = head.withBytes { head in
            var parts = (
                iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress),
                    iov_len: head.count),
                iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress),
                    iov_len: body.count)
            )
            return withUnsafeMutableBytes(of: &parts) { parts in
                var message = msghdr()
                message.msg_iov = parts.bindMemory(to: iovec.self).baseAddress
                message.msg_iovlen = 2
                return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            }
        }
        // The next receive reports a broken connection.
        let sent = max(0, taken)
        guard sent < total else { return }
        if sent < head.count {
            head.withBytes { connection.unsent.put(bytes: .init(rebasing: $0[sent...])) }
        }
        connection.unsent.put(bytes: .init(rebasing: body[max(0, sent - head.count)...]))
        connection.unsentOffset = 0
        watch(connection, operation: EPOLL_CTL_MOD)
    }

    /// Joins head and body in one buffer, because TLS copies them anyway.
    private func transmitSecurely(_ body: UnsafeRawBufferPointer, on connection: Connection) {
        head.withBytes { connection.unsent.put(bytes: $0) }
        connection.unsent.put(bytes: body)
        connection.unsentOffset = 0
        if !pump(connection) { watch(connection, operation: EPOLL_CTL_MOD) }
    }

    func handle(_ connection: Connection, _ events: UInt32) {
        guard connection.socket >= 0 else { return }
        if connection.isConnecting {
            guard events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) == 0 else {
                return refuse(connection)
            }
            return stand(connection)
        }
        if events & EPOLLOUT.rawValue != 0, connection.unsent.count > 0, pump(connection) {
            watch(connection, operation: EPOLL_CTL_MOD)
        }
        if events & ~EPOLLOUT.rawValue != 0 { receive(connection) }
        if connection.socket >= 0 { markIdle(connection) }
    }

    /// Continues the TLS handshake, or marks the connection as established.
    private func stand(_ connection: Connection) {
        switch connection.secure?.shakeHands() ?? .done {
        case .done: connection.isConnecting = false
        case .waits(let toWrite): connection.isHandshakeWriting = toWrite
        case .failed(let distrust):
            report.distrust = report.distrust ?? distrust
            return refuse(connection)
        }
        watch(connection, operation: EPOLL_CTL_MOD)
        markIdle(connection)
    }

    private func refuse(_ connection: Connection) {
        _ = connection.close()
        report.connectionsRefused += 1
        connection.reconnectAt = monotonicNanoseconds() + 100_000_000
    }

    /// - Returns: whether the kernel accepted all unsent bytes.
    private func pump(_ connection: Connection) -> Bool {
        let descriptor = connection.socket
        let secure = connection.secure
        let count = connection.unsent.count
        while connection.unsentOffset < count {
            let offset = connection.unsentOffset
            let taken = connection.unsent.withBytes {
                let rest = UnsafeRawBufferPointer(rebasing: $0[offset...])
                return secure?.send(rest)
                    ?? Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            // The next receive reports a broken connection.
            guard taken > 0 else { return false }
            connection.unsentOffset += taken
        }
        connection.unsent.removeAll()
        connection.unsentOffset = 0
        return true
    }

    private func receive(_ connection: Connection) {
        // A TLS record fits in the buffer, so none of it stays in the channel.
        let count =
            connection.secure?.receive(into: receiveBuffer)
            ?? recv(connection.socket, receiveBuffer.baseAddress, receiveBuffer.count, 0)
        let now = monotonicNanoseconds()
        if count <= 0 {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return lose(connection, now: now)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: receiveBuffer[0..<count])
        if connection.partial.isEmpty {
            let used = digest(bytes, of: connection, now: now)
            if used < count, connection.socket >= 0 {
                connection.partial.append(contentsOf: bytes[used...])
            }
        } else {
            connection.partial.append(contentsOf: bytes)
            let whole = connection.partial
            let used = whole.withUnsafeBytes { digest($0, of: connection, now: now) }
            if connection.socket >= 0 { connection.partial.removeFirst(used) }
        }
    }

    /// Processes all complete answers and returns their size in bytes.
    private func digest(
        _ bytes: UnsafeRawBufferPointer, of connection: Connection, now: UInt64
    ) -> Int {
        var used = 0
        while used < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            switch AnswerParser.parse(rest) {
            case .incomplete:
                return used
            case .proceed(let head):
                used += head
                proceed(connection)
            case .broken:
                report.broken += 1
                lose(connection, now: now)
                return bytes.count
            case .answer(let status, let retryAfter, let head, let body, let closes):
                guard let pending = connection.removeOldest() else {
                    report.broken += 1
                    lose(connection, now: now)
                    return bytes.count
                }
                used += head + body
                connection.withheld = nil
                if pending.isGreeting {
                    greetingsDue -= 1
                } else {
                    settle(
                        pending,
                        answer: Answer(
                            status: status, retryAfterSeconds: retryAfter,
                            body: UnsafeRawBufferPointer(rebasing: rest[head..<head + body])),
                        from: connection.target, now: now)
                }
                if closes {
                    lose(connection, now: now)
                    return bytes.count
                }
            }
        }
        return used
    }

    private func proceed(_ connection: Connection) {
        guard let ticket = connection.withheld else { return }
        connection.withheld = nil
        head.removeAll()
        body.removeAll()
        let prepared = workload.preparedBody(ticket)
        if prepared == nil { workload.render(ticket, into: &body) }
        transmit(on: connection, prepared: prepared)
    }
}
