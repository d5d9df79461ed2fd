import Fleet
import Glibc
import Testing

@testable import Load

/// Sends the bodies `body-0`, `body-1`… and records their outcomes.
private final class CountedWorkload: Workload {
    let count: Int
    /// Also ends the run.
    var isEnough: () -> Bool = { false }
    var sent: UInt64 = 0
    var answers: [UInt64: [Int]] = [:]
    var retryAfter: [Int] = []
    var lostCount = 0
    var knowsLengths = false
    var rendered = 0
    var hasOwnLines = false
    var intended: [UInt64] = []

    init(count: Int) {
        self.count = count
    }

    func next() -> UInt64? {
        guard sent < count, !isEnough() else { return nil }
        sent += 1
        return sent - 1
    }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        rendered += 1
        body.put(text: "body-\(ticket)")
    }

    func bodyBytes(_ ticket: UInt64) -> Int? { knowsLengths ? "body-\(ticket)".utf8.count : nil }

    func headLines(_ ticket: UInt64) -> [UInt8] {
        hasOwnLines ? Array("X-Number: \(ticket)\r\n".utf8) : []
    }

    func left(_ ticket: UInt64, intended moment: UInt64) {
        intended.append(moment)
    }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        answers[ticket, default: []].append(answer.status)
        guard let seconds = answer.retryAfterSeconds else { return .done }
        retryAfter.append(seconds)
        return .again(afterNanoseconds: UInt64(seconds) * 1_000_000)
    }

    func lost(_ ticket: UInt64) -> Verdict {
        lostCount += 1
        return .again(afterNanoseconds: 1_000_000)
    }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct LoadGeneratorTests {
    private func run(
        _ workload: CountedWorkload, _ change: (inout LoadPlan) -> Void = { _ in },
        reply: @escaping @Sendable (Int, String) -> StubServer.Reply
    ) throws -> (LoadReport, [String]) {
        let server = StubServer(reply: reply)
        server.start()
        defer { server.stop() }
        var plan = LoadPlan(target: try Target(url: "http://127.0.0.1:\(server.port)"))
        plan.connections = 1
        plan.durationNanoseconds = 60_000_000_000
        plan.answerNanosecondsMax = 60_000_000_000
        change(&plan)
        let report = LoadGenerator(plan: plan, workload: workload).run()
        return (report, server.received)
    }

    @Test(arguments: [1, 4])
    func `every request is sent once and answered in order`(outstanding: Int) throws {
        let workload = CountedWorkload(count: 20)
        let (report, received) = try run(workload) {
            $0.outstanding = outstanding
        } reply: { number, _ in
            .answer(StubServer.answer(number == 7 ? 422 : 200, "ok"))
        }
        #expect(received == (0..<20).map { "body-\($0)" })
        #expect(report.statuses == [200: 19, 422: 1])
        #expect(workload.answers[7] == [422])
        #expect(report.accepted.totalCount == 19)
        #expect(report.refused.totalCount == 1)
    }

    @Test func `an answer in pieces is one answer`() throws {
        let workload = CountedWorkload(count: 2)
        let (report, _) = try run(workload) { _, _ in
            .pieces(["HTTP/1.1 200 OK\r\nConte", "nt-Length: 4\r\n\r", "\nab", "cd"])
        }
        #expect(report.statuses == [200: 2])
    }

    @Test func `a rejected request is sent again when it may be`() throws {
        let workload = CountedWorkload(count: 3)
        let (report, received) = try run(workload) { number, _ in
            number == 1
                ? .answer(StubServer.answer(503, "{}", fields: "Retry-After: 3\r\n"))
                : .answer(StubServer.answer(200, "ok"))
        }
        #expect(workload.answers[1] == [503, 200])
        #expect(workload.retryAfter == [3])
        #expect(report.retries == 1)
        #expect(received.count == 4)
    }

    @Test func `a request whose connection breaks is lost and sent again`() throws {
        let workload = CountedWorkload(count: 5)
        let (report, received) = try run(workload) { number, _ in
            number == 2 ? .hangUp : .answer(StubServer.answer(200, "ok"))
        }
        #expect(workload.lostCount == 1)
        #expect(report.lost == 1)
        #expect(report.statuses == [200: 5])
        #expect(received.count == 6)
    }

    @Test func `a request without an answer times out`() throws {
        let workload = CountedWorkload(count: 2)
        let (report, _) = try run(workload) {
            $0.answerNanosecondsMax = 1_000_000_000
        } reply: { number, _ in
            number == 0 ? .pieces([]) : .answer(StubServer.answer(200, "ok"))
        }
        #expect(report.lost == 1)
        #expect(report.statuses == [200: 2])
    }

    @Test func `a body is withheld until the server asks for it`() throws {
        let workload = CountedWorkload(count: 4)
        let (report, received) = try run(workload) {
            $0.expectsContinue = true
        } reply: { _, head in
            head.contains("Expect: 100-continue")
                ? .answer(StubServer.answer(200, "ok")) : .hangUp
        }
        #expect(received == (0..<4).map { "body-\($0)" })
        #expect(report.statuses == [200: 4])
    }

    @Test func `a withheld body is rendered once if its length is known`() throws {
        let workload = CountedWorkload(count: 9)
        workload.knowsLengths = true
        let (report, received) = try run(workload) {
            $0.expectsContinue = true
        } reply: { _, _ in
            .answer(StubServer.answer(200, "ok"))
        }
        #expect(received == (0..<9).map { "body-\($0)" })
        #expect(report.statuses == [200: 9])
        #expect(workload.rendered == 9)
    }

    @Test func `an open loop counts latency from the intended start`() throws {
        let workload = CountedWorkload(count: 20)
        // 100 requests a second are due, but each takes 20 ms: the last one is about 200 ms late.
        let (report, _) = try run(workload) {
            $0.pace = .open(requestsPerSecond: 100, arrival: .even)
        } reply: { _, _ in
            .pieces([StubServer.answer(200, "ok")])
        }
        #expect(report.statuses == [200: 20])
        #expect(milliseconds(report.accepted, at: 100) > 100)
        // The delays add up, so this holds at any speed.
        #expect(
            milliseconds(report.acceptedFromSend, at: 50) < milliseconds(report.accepted, at: 50))
    }

    @Test func `a request has its own head lines, and its workload gets its intended start`() throws
    {
        let workload = CountedWorkload(count: 10)
        workload.hasOwnLines = true
        let start = monotonicNanoseconds()
        // Each request takes four times as long as the interval between two.
        let (report, received) = try run(workload) {
            $0.pace = .open(requestsPerSecond: 200, arrival: .even)
        } reply: { number, head in
            head.contains("\r\nX-Number: \(number)\r\n")
                ? .pieces([StubServer.answer(200, "ok")]) : .hangUp
        }
        #expect(received == (0..<10).map { "body-\($0)" })
        #expect(report.statuses == [200: 10])
        #expect(workload.intended.first.map { $0 > start } == true)
        let gaps = zip(workload.intended.dropFirst(), workload.intended).map { $0 - $1 }
        #expect(gaps.allSatisfy { (4_999_000...5_001_000).contains($0) }, "\(gaps)")
    }

    /// More connections than the generator handles in one pass.
    @Test func `connections are used again in turn after their answers`() throws {
        let server = StubServer { _, _ in
            usleep(2000)
            return .answer(StubServer.answer(200, "ok"))
        }
        server.start()
        defer { server.stop() }
        var plan = LoadPlan(target: try Target(url: "http://127.0.0.1:\(server.port)"))
        plan.connections = 48
        plan.durationNanoseconds = 60_000_000_000
        let workload = CountedWorkload(count: .max)
        workload.isEnough = {
            let counts = server.requestsByConnection
            return counts.count == 48 && counts.allSatisfy { $0 > 5 }
        }
        let report = LoadGenerator(plan: plan, workload: workload).run()
        let counts = server.requestsByConnection
        #expect(counts.count == 48)
        #expect(report.statuses == [200: counts.reduce(0, +)])
        #expect(counts.allSatisfy { $0 > 5 }, "\(counts)")
    }

    @Test func `a greeting is sent on every connection and is not counted`() throws {
        let workload = CountedWorkload(count: 6)
        let (report, received) = try run(workload) {
            $0.connections = 4
            $0.greets = true
        } reply: { number, _ in
            .answer(StubServer.answer(number < 4 ? 400 : 200, "ok"))
        }
        #expect(received.prefix(4) == ["", "", "", ""])
        #expect(Set(received.dropFirst(4)) == Set((0..<6).map { "body-\($0)" }))
        #expect(report.statuses == [200: 6])
        #expect(report.lost == 0)
    }

    @Test func `a prepared body is sent unchanged`() throws {
        let workload = PreparedWorkload()
        let server = StubServer { _, _ in .answer(StubServer.answer(200, "ok")) }
        server.start()
        defer { server.stop() }
        var plan = LoadPlan(target: try Target(url: "http://127.0.0.1:\(server.port)"))
        plan.connections = 1
        let report = LoadGenerator(plan: plan, workload: workload).run()
        #expect(report.statuses == [200: 3])
        #expect(
            server.received == (0..<3).map { String(decoding: workload.bodies[$0], as: UTF8.self) })
    }
}

/// Prepared bodies; the last one is larger than a socket accepts at once.
private final class PreparedWorkload: Workload {
    let bodies = [10, 1, 4_000_000].map { [UInt8](repeating: UInt8(ascii: "x"), count: $0) }
    private var sent: UInt64 = 0

    func next() -> UInt64? {
        guard sent < bodies.count else { return nil }
        sent += 1
        return sent - 1
    }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        Issue.record("a body that lies ready was rendered")
    }

    func preparedBody(_ ticket: UInt64) -> [UInt8]? { bodies[Int(ticket)] }
    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict { .done }
    func lost(_ ticket: UInt64) -> Verdict { .done }
}
