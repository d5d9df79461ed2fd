import CEpoll
import Fleet
import Glibc

/// Many WebSockets on one thread with one epoll: opens them, keeps `outstanding` texts pending on
/// each, and counts the answers. Use it once, on one thread.
///
/// Closed loop only: it measures the rate of acknowledgements. A socket that breaks is not
/// reopened; its texts count as lost.
public final class SocketGenerator {
    /// Why a run can't start.
    public enum Fault: Error, Equatable {
        /// That many sockets could not be opened; the status of the last refusal, or 0.
        case notOpened(sockets: Int, status: Int)
    }

    private let plan: SocketPlan
    private let workload: any SocketWorkload
    private let clients: [SocketClient]
    private let epoll: Int32
    private let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 64 * 1024, alignment: 64)
    private var text = ByteWriter(capacity: 1024)
    private var frame = ByteWriter(capacity: 1024)
    private var random: SeededGenerator
    private var report = SocketReport()
    private var openCount = 0
    private var refusedStatus = 0
    private var isSending = false
    private var underWay = 0
    private var lastAnswer: UInt64 = 0

    private static let eventsAtOnceMax = 64
    private static let openNanosecondsMax: UInt64 = 30_000_000_000

    /// Does not open sockets yet.
    public init(plan: SocketPlan, workload: any SocketWorkload) {
        precondition(plan.sockets > 0, "BUG: sockets=\(plan.sockets)")
        self.plan = plan
        self.workload = workload
        clients = (0..<plan.sockets).map(SocketClient.init(number:))
        random = SeededGenerator(seed: plan.seed)
        epoll = epoll_create1(0)
        precondition(epoll >= 0, "BUG: errno=\(errno)")
    }

    deinit {
        for client in clients { _ = client.close() }
        close(epoll)
        receiveBuffer.deallocate()
    }

    /// Opens all sockets, `openedAtOnce` at a time.
    public func open() throws(Fault) {
        let end = monotonicNanoseconds() + Self.openNanosecondsMax
        var next = 0
        var isHopeless = false
        while openCount < clients.count, !isHopeless, monotonicNanoseconds() < end {
            while next < clients.count, next - openCount < plan.openedAtOnce {
                if !connect(clients[next]) { isHopeless = true }
                next += 1
            }
            waitForEvents(milliseconds: 20)
            if refusedStatus != 0 || report.socketsLost > 0 { isHopeless = true }
        }
        guard openCount == clients.count else {
            throw .notOpened(sockets: clients.count - openCount, status: refusedStatus)
        }
    }

    /// Handles incoming frames for a while without sending texts.
    public func idle(seconds: Double) {
        let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
        while monotonicNanoseconds() < end { waitForEvents(milliseconds: 20) }
    }

    /// Sends until the time is over or the workload ends, then waits for the last answers.
    public func run() -> SocketReport {
        let processorStart = threadProcessorNanoseconds()
        let start = monotonicNanoseconds()
        let end = start + plan.durationNanoseconds
        isSending = true
        for client in clients {
            for _ in 0..<plan.outstanding { sendNext(client) }
        }
        while monotonicNanoseconds() < end, underWay > 0 { waitForEvents(milliseconds: 10) }
        isSending = false
        let hardEnd = monotonicNanoseconds() + plan.answerNanosecondsMax
        while underWay > 0, monotonicNanoseconds() < hardEnd { waitForEvents(milliseconds: 10) }
        report.elapsedNanoseconds = max(lastAnswer, start + 1) - start
        report.processorNanoseconds = threadProcessorNanoseconds() - processorStart
        report.lost += underWay
        return report
    }

    // MARK: Sockets

    private func connect(_ client: SocketClient) -> Bool {
        var address = plan.target.address
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        client.descriptor = socket(Int32(address.ss_family), type, 0)
        guard client.descriptor >= 0 else { return false }
        var one: Int32 = 1
        setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        let descriptor = client.descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, plan.target.addressLength)
            }
        }
        guard result == 0 || errno == EINPROGRESS else { return false }
        client.phase = .connecting
        watch(client, isNew: true)
        return true
    }

    private func watch(_ client: SocketClient, isNew: Bool = false) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        if client.phase == .connecting || client.unsent.count > 0 {
            event.events |= EPOLLOUT.rawValue
        }
        event.data.u64 = UInt64(client.number)
        epoll_ctl(epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, client.descriptor, &event)
    }

    private func waitForEvents(milliseconds: Int32) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnceMax) {
            let count = epoll_wait(
                epoll, $0.baseAddress, Int32(Self.eventsAtOnceMax), milliseconds)
            for index in 0..<max(0, Int(count)) {
                handle(clients[Int($0[index].data.u64)], $0[index].events)
            }
        }
    }

    private func handle(_ client: SocketClient, _ events: UInt32) {
        switch client.phase {
        case .closed:
            return
        case .connecting:
            guard events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) == 0 else { return lose(client) }
            client.phase = .shakingHands
            let request = SocketHandshake.request(
                path: workload.path(of: client.number), host: plan.target.host,
                port: plan.target.port, headLines: plan.headLines)
            _ = Array(request.utf8).withUnsafeBytes { client.send($0) }
            watch(client)
        case .shakingHands, .open:
            if events & EPOLLOUT.rawValue != 0, client.unsent.count > 0, client.pump() {
                watch(client)
            }
            if events & ~EPOLLOUT.rawValue != 0 { receive(client) }
        }
    }

    private func lose(_ client: SocketClient) {
        let lost = client.close()
        report.lost += lost
        underWay -= lost
        report.socketsLost += 1
    }

    // MARK: Texts

    private func sendNext(_ client: SocketClient) {
        guard isSending, client.phase == .open else { return }
        text.removeAll()
        guard workload.next(of: client.number, into: &text) else { return }
        client.underWay.append(monotonicNanoseconds())
        underWay += 1
        send(SocketFrame.Opcode.text, client)
    }

    /// Sends the contents of `text` as one frame.
    private func send(_ opcode: UInt8, _ client: SocketClient) {
        frame.removeAll()
        let mask = UInt32(truncatingIfNeeded: random.next())
        text.withBytes { SocketFrame.put($0, opcode: opcode, mask: mask, into: &frame) }
        if !frame.withBytes({ client.send($0) }) { watch(client) }
    }

    private func receive(_ client: SocketClient) {
        let count = recv(client.descriptor, receiveBuffer.baseAddress, receiveBuffer.count, 0)
        if count <= 0 {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return lose(client)
        }
        if client.partial.isEmpty {
            let bytes = UnsafeRawBufferPointer(rebasing: receiveBuffer[..<count])
            let used = digest(bytes, client)
            if client.phase != .closed { client.partial.append(contentsOf: bytes[used...]) }
        } else {
            client.partial.append(contentsOf: receiveBuffer[..<count])
            let whole = client.partial
            let used = whole.withUnsafeBytes { digest($0, client) }
            if client.phase != .closed { client.partial.removeFirst(used) }
        }
    }

    /// - Returns: the size of the complete handshake and frames.
    private func digest(_ bytes: UnsafeRawBufferPointer, _ client: SocketClient) -> Int {
        var used = 0
        if client.phase == .shakingHands {
            switch SocketHandshake.parse(bytes) {
            case .incomplete:
                return 0
            case .refused(let status):
                refusedStatus = status
                lose(client)
                return bytes.count
            case .open(let head):
                client.phase = .open
                openCount += 1
                used = head
            }
        }
        while used < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            switch SocketFrame.parse(rest) {
            case .incomplete:
                return used
            case .broken:
                lose(client)
                return bytes.count
            case .frame(let opcode, let payload):
                used += payload.upperBound
                take(opcode, UnsafeRawBufferPointer(rebasing: rest[payload]), client)
                if client.phase == .closed { return bytes.count }
            }
        }
        return used
    }

    private func take(_ opcode: UInt8, _ payload: UnsafeRawBufferPointer, _ client: SocketClient) {
        switch opcode {
        case SocketFrame.Opcode.text:
            settle(workload.received(payload, on: client.number), client)
        case SocketFrame.Opcode.ping:
            text.removeAll()
            text.put(bytes: payload)
            send(SocketFrame.Opcode.pong, client)
        case SocketFrame.Opcode.pong:
            break
        default:
            lose(client)
        }
    }

    private func settle(_ news: SocketNews, _ client: SocketClient) {
        guard news != .unasked, !client.underWay.isEmpty else {
            report.unasked += 1
            return
        }
        let now = monotonicNanoseconds()
        let sent = client.underWay.removeFirst()
        underWay -= 1
        lastAnswer = now
        if news == .acknowledged {
            report.acknowledged += 1
            report.latency.record(now - sent)
        } else {
            report.refused += 1
        }
        sendNext(client)
    }
}
