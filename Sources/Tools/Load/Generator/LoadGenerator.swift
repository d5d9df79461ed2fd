import CEpoll
import Fleet
import Glibc

/// Runs one ``LoadPlan`` against one ``Workload``. Use it once, on one thread.
public final class LoadGenerator {
    let plan: LoadPlan
    let workload: any Workload
    var connections: [Connection]
    var epoll: Int32 = -1
    /// Connections that can take a request, longest idle first.
    private var idle: [Int] = []
    private var firstIdle = 0
    private var isIdle: [Bool]
    private var waiting = Waiting()
    private var schedule: Schedule?
    var report = LoadReport()
    /// Head and body of the next request; reused.
    var head = ByteWriter(capacity: 1024)
    var body = ByteWriter(capacity: 1 << 20)
    let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 64)
    /// The head up to the length of the body, for each target.
    private let headsBeforeLength: [[UInt8]]

    private static let sentAtOnceMax = 8
    private static let eventsAtOnceMax = 32

    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var isExhausted = false
    private var underWay = 0
    /// Greetings without an answer yet.
    var greetingsDue = 0
    private var nextProgress: UInt64 = 0
    /// The time of the last answer, which ends the measured time.
    private var lastAnswer: UInt64 = 0

    /// Called about four times a second, and once at the end.
    public var onProgress: ((_ elapsedNanoseconds: UInt64, _ report: LoadReport) -> Void)?
    /// Called about 20 times a second; true ends the run as if its time were over.
    public var shouldEnd: (() -> Bool)?

    /// Does not connect yet.
    public init(plan: LoadPlan, workload: any Workload) {
        precondition(plan.connections > 0, "BUG: connections=\(plan.connections)")
        precondition(plan.outstanding > 0, "BUG: outstanding=\(plan.outstanding)")
        self.plan = plan
        self.workload = workload
        precondition(!plan.targets.isEmpty, "BUG: no target")
        connections = (0..<plan.connections).map {
            Connection(number: $0, target: $0 % plan.targets.count)
        }
        isIdle = Array(repeating: false, count: plan.connections)
        headsBeforeLength = plan.targets.map {
            Array(
                ("POST \($0.path) HTTP/1.1\r\nHost: \($0.authority)\r\n" + plan.headLines
                    + (plan.expectsContinue ? "Expect: 100-continue\r\n" : "")
                    + "Content-Length: ").utf8)
        }
        report.targets = plan.targets.map { _ in TargetReport() }
        report.series = LoadSeries(durationNanoseconds: plan.durationNanoseconds)
    }

    deinit {
        receiveBuffer.deallocate()
        for connection in connections { _ = connection.close() }
        if epoll >= 0 { close(epoll) }
    }

    /// Returns when every request is answered, lost or given up.
    public func run() -> LoadReport {
        precondition(start == 0, "BUG: run() twice")
        epoll = epoll_create1(0)
        precondition(epoll >= 0, "BUG: errno=\(errno)")
        connectAll()
        let processorStart = threadProcessorNanoseconds()
        start = monotonicNanoseconds()
        end = start + plan.durationNanoseconds
        schedule = makeSchedule()
        if report.distrust == nil { loop() }
        // The time until the last answer; without any answer, the whole time.
        report.elapsedNanoseconds = max(lastAnswer, start + 1) - start
        if lastAnswer == 0 { report.elapsedNanoseconds = monotonicNanoseconds() - start }
        report.processorNanoseconds = threadProcessorNanoseconds() - processorStart
        report.neverSent = isExhausted ? 0 : schedule?.count(before: end) ?? 0
        report.series.finish()
        onProgress?(report.elapsedNanoseconds, report)
        return report
    }

    private func makeSchedule() -> Schedule? {
        guard let curve = plan.pace.curve else { return nil }
        switch plan.pace {
        case .closed: return nil
        case .open(_, let arrival), .stages(_, _, let arrival):
            return Schedule(curve: curve, arrival: arrival, start: start, seed: plan.seed)
        }
    }

    /// Opens all connections before the clock starts, and gives the server a moment to accept them:
    /// a fleet's devices don't all connect at once.
    private func connectAll() {
        let begun = monotonicNanoseconds()
        for connection in connections { open(connection, now: begun) }
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while connections.contains(where: \.isConnecting),
            monotonicNanoseconds() < begun + 2_000_000_000
        {
            let count = epoll_wait(epoll, &events, Int32(events.count), 10)
            for index in 0..<max(0, Int(count)) {
                handle(connections[Int(events[index].data.u64)], events[index].events)
            }
        }
        usleep(50_000)
        if plan.greets { greetAll(&events) }
    }

    private func loop() {
        let hardEnd = end + plan.answerNanosecondsMax + 5_000_000_000
        var events = [epoll_event](repeating: epoll_event(), count: Self.eventsAtOnceMax)
        var nextSweep = start
        while true {
            let now = monotonicNanoseconds()
            feed(now: now)
            if now >= nextSweep {
                sweep(now: now)
                nextSweep = now + 50_000_000
            }
            if now >= hardEnd || report.distrust != nil { return giveUpAll() }
            let isSending = now < end && !isExhausted
            if !isSending, underWay == 0, waiting.isEmpty || now >= end { return }
            var wait = timespec(tv_sec: 0, tv_nsec: Int(waitNanoseconds(now: now)))
            let count = epoll_pwait2(epoll, &events, Int32(events.count), &wait, nil)
            for index in 0..<max(0, Int(count)) {
                handle(connections[Int(events[index].data.u64)], events[index].events)
            }
        }
    }

    private func waitNanoseconds(now: UInt64) -> UInt64 {
        var until = now + 50_000_000
        if hasIdle {
            if let due = waiting.soonest { until = min(until, due) }
            if now < end, !isExhausted { until = min(until, schedule?.due ?? now) }
        }
        return until > now ? until - now : 0
    }

    // MARK: - Sending

    private var hasIdle: Bool { firstIdle < idle.count }

    func markIdle(_ connection: Connection) {
        guard !isIdle[connection.number], connection.socket >= 0, !connection.isConnecting,
            connection.pendingCount < plan.outstanding, connection.unsent.count == 0,
            connection.withheld == nil
        else { return }
        isIdle[connection.number] = true
        idle.append(connection.number)
    }

    private func takeIdle() -> Connection? {
        while firstIdle < idle.count {
            let number = idle[firstIdle]
            firstIdle += 1
            if firstIdle > 4096, firstIdle * 2 > idle.count {
                idle.removeFirst(firstIdle)
                firstIdle = 0
            }
            isIdle[number] = false
            // It may have been closed since.
            if connections[number].socket >= 0, !connections[number].isConnecting {
                return connections[number]
            }
        }
        idle.removeAll(keepingCapacity: true)
        firstIdle = 0
        return nil
    }

    /// Sends requests that are due while connections are idle, but only a few at a time: an answer
    /// that waits behind many large bodies would look slow.
    private func feed(now: UInt64) {
        var sent = 0
        while hasIdle, sent < Self.sentAtOnceMax {
            sent += 1
            let ticket: UInt64
            var intended = now
            if let due = waiting.removeDue(at: now) {
                ticket = due.ticket
                intended = schedule == nil ? now : due.due
            } else {
                guard now < end, !isExhausted else { return }
                if let schedule {
                    guard schedule.due <= now, schedule.due < end else { return }
                    intended = schedule.due
                }
                guard let next = workload.next() else {
                    isExhausted = true
                    return
                }
                schedule?.advance()
                ticket = next
            }
            guard let connection = takeIdle() else {
                waiting.insert(ticket, due: intended)
                return
            }
            send(ticket, intended: intended, on: connection, now: now)
            markIdle(connection)
        }
    }

    private func send(_ ticket: UInt64, intended: UInt64, on connection: Connection, now: UInt64) {
        body.removeAll()
        let prepared = workload.preparedBody(ticket)
        let known = plan.expectsContinue ? workload.bodyBytes(ticket) : nil
        if prepared == nil, known == nil { workload.render(ticket, into: &body) }
        let bodyBytes = prepared?.count ?? known ?? body.count
        putHead(of: connection, bodyBytes: bodyBytes, lines: workload.headLines(ticket))
        workload.left(ticket, intended: intended)
        connection.append(
            .init(ticket: ticket, intended: intended, sent: now, bodyBytes: bodyBytes))
        underWay += 1
        report.series.advance(to: now - start)
        report.series.sent()
        if plan.expectsContinue {
            connection.withheld = ticket
            body.removeAll()
        }
        transmit(on: connection, prepared: plan.expectsContinue ? nil : prepared)
    }

    func putHead(of connection: Connection, bodyBytes: Int, lines: [UInt8] = []) {
        head.removeAll()
        head.put(bytes: headsBeforeLength[connection.target])
        head.put(text: String(bodyBytes))
        head.put("\r\n")
        head.put(bytes: lines)
        head.put("\r\n")
    }

    // MARK: - Answers

    func settle(
        _ pending: Connection.Pending, answer: borrowing Answer, from target: Int, now: UInt64
    ) {
        underWay -= 1
        lastAnswer = now
        report.statuses[answer.status, default: 0] += 1
        report.targets[target].statuses[answer.status, default: 0] += 1
        report.bytesSent += pending.bodyBytes
        report.series.advance(to: now - start)
        let (latency, serviceTime) = (now - pending.intended, now - pending.sent)
        if (200..<300).contains(answer.status) {
            report.accepted.record(latency)
            report.acceptedFromSend.record(serviceTime)
            report.targets[target].accepted.record(latency)
            report.series.accepted(after: latency)
        } else {
            report.refused.record(latency)
            report.refusedFromSend.record(serviceTime)
            report.series.refused()
        }
        carryOut(workload.answered(pending.ticket, answer), pending, now: now)
    }

    func lose(_ connection: Connection, now: UInt64) {
        for pending in connection.close() {
            if pending.isGreeting {
                greetingsDue -= 1
                continue
            }
            note(lost: pending, of: connection, now: now)
            carryOut(workload.lost(pending.ticket), pending, now: now)
        }
        if now < end || underWay > 0 || !waiting.isEmpty { open(connection, now: now) }
    }

    private func note(lost pending: Connection.Pending, of connection: Connection, now: UInt64) {
        underWay -= 1
        report.lost += 1
        report.targets[connection.target].lost += 1
        report.series.advance(to: now - start)
        report.series.lost()
    }

    private func carryOut(_ verdict: Verdict, _ pending: Connection.Pending, now: UInt64) {
        switch verdict {
        case .done: break
        case .again(let after):
            report.retries += 1
            waiting.insert(pending.ticket, due: now + after)
        }
    }

    // MARK: - Housekeeping

    private func sweep(now: UInt64) {
        for connection in connections {
            if connection.socket < 0, now >= connection.reconnectAt {
                open(connection, now: now)
            } else if let oldest = connection.oldest, oldest.sent + plan.answerNanosecondsMax < now
            {
                lose(connection, now: now)
            }
        }
        if now >= nextProgress {
            nextProgress = now + 250_000_000
            report.series.advance(to: now - start)
            onProgress?(now - start, report)
        }
        if now < end, shouldEnd?() == true {
            end = now
        }
    }

    private func giveUpAll() {
        let now = monotonicNanoseconds()
        for connection in connections {
            for pending in connection.close() where !pending.isGreeting {
                note(lost: pending, of: connection, now: now)
                _ = workload.lost(pending.ticket)
            }
        }
    }
}
