import CEpoll
import Fleet
import Glibc
import Load

/// Many WebSockets on one thread with one epoll: opens them, keeps `outstanding` texts pending on
/// each, and counts the answers. Use it once, on one thread.
///
/// Closed loop only: it measures the rate of acknowledgements. A socket that breaks is not
/// reopened; its texts count as lost.
final class SocketGenerator {
    /// Why a run can't start.
    enum Fault: Error, Equatable {
        /// That many sockets could not be opened; the status of the last refusal, or 0.
        case notOpened(sockets: Int, status: Int)
    }

    private let plan: SocketPlan
    private let workload: any SocketWorkload
    private let clients: [SocketClient]
    private let epoll: Int32
    private let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 64 * 1024, alignment: 64)
    private var frame: [UInt8] = []
    /// Makes the masks.
    private var random = SeededGenerator(seed: 1)
    private var report = SocketReport()
    private var openCount = 0
    private var refusedStatus = 0
    private var isSending = false
    private var underWay = 0
    private var lastAnswer: UInt64 = 0

    private static let eventsAtOnceMax = 64
    /// Pending handshakes: fewer than a listener's backlog.
    private static let openedAtOnce = 64
    private static let openNanosecondsMax: UInt64 = 30_000_000_000

    /// Does not open sockets yet.
    init(plan: SocketPlan, workload: any SocketWorkload) {
        precondition(plan.sockets > 0, "BUG: sockets=\(plan.sockets)")
        self.plan = plan
        self.workload = workload
        clients = (0..<plan.sockets).map(SocketClient.init(number:))
        epoll = epoll_create1(0)
        precondition(epoll >= 0, "BUG: errno=\(errno)")
    }

    deinit {
        for client in clients { _ = client.close() }
        close(epoll)
        receiveBuffer.deallocate()
    }

    /// Opens all sockets, ``openedAtOnce`` at a time.
    func open() throws(Fault) {
        let end = monotonicNanoseconds() + Self.openNanosecondsMax
        var next = 0
        var isHopeless = false
        while openCount < clients.count, !isHopeless, monotonicNanoseconds() < end {
            while next < clients.count, next - openCount < Self.openedAtOnce {
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
    func idle(seconds: Double) {
        let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
        while monotonicNanoseconds() < end { waitForEvents(milliseconds: 20) }
    }

    /// Sends until the time is over or the workload ends, then waits for the last answers.
    func run() -> SocketReport {
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
        report.lost += underWay
        return report
    }

    // MARK: Sockets

    private func connect(_ client: SocketClient) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(plan.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        client.descriptor = socket(AF_INET, type, 0)
        guard client.descriptor >= 0 else { return false }
        var one: Int32 = 1
        setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        let descriptor = client.descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
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
        if client.phase == .connecting || !client.unsent.isEmpty {
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
                path: workload.path(of: client.number), port: plan.port,
                headLines: plan.headLines)
            _ = client.send(Array(request.utf8))
            watch(client)
        case .shakingHands, .open:
            if events & EPOLLOUT.rawValue != 0, !client.unsent.isEmpty, client.pump() {
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
        guard isSending, client.phase == .open, let text = workload.next(of: client.number)
        else { return }
        client.underWay.append(monotonicNanoseconds())
        underWay += 1
        send(Array(text.utf8), opcode: SocketFrame.Opcode.text, client)
    }

    private func send(_ payload: [UInt8], opcode: UInt8, _ client: SocketClient) {
        frame.removeAll(keepingCapacity: true)
        let mask = UInt32(truncatingIfNeeded: random.next())
        SocketFrame.put(payload, opcode: opcode, mask: mask, into: &frame)
        if !client.send(frame) { watch(client) }
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
            send(Array(payload), opcode: SocketFrame.Opcode.pong, client)
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

/// The number of WebSockets, and the duration of a run.
struct SocketPlan {
    /// Of a server on this machine.
    let port: Int
    /// Head lines of the handshake, each ending in CR LF.
    var headLines = ""
    /// WebSockets, all open at once.
    var sockets = 1000
    /// Pending texts per socket.
    var outstanding = 1
    /// No new text is sent after this.
    var durationNanoseconds: UInt64 = 5_000_000_000
    /// How long to wait for answers after that.
    var answerNanosecondsMax: UInt64 = 15_000_000_000
}

/// The result of a run over WebSockets.
struct SocketReport {
    /// From the first text to the last answer.
    var elapsedNanoseconds: UInt64 = 0
    /// Texts that were acknowledged.
    var acknowledged = 0
    /// Texts that were rejected.
    var refused = 0
    /// Texts from the server that answer nothing.
    var unasked = 0
    /// Texts without an answer: the socket broke, or the timeout passed.
    var lost = 0
    /// Sockets that were refused or closed, or that received an invalid frame.
    var socketsLost = 0
    /// From sending a text to its acknowledgement, in nanoseconds.
    var latency = LatencyHistogram()

    /// The average rate over the whole run.
    var acknowledgedPerSecond: Double {
        Double(acknowledged) / max(Double(elapsedNanoseconds) * 1e-9, 1e-9)
    }
}
