import Testing

@testable import Load

@Suite struct AnswerParserTests {
    private func parse(_ text: String) -> AnswerParser.Result {
        Array(text.utf8).withUnsafeBytes { AnswerParser.parse($0) }
    }

    private static let answer =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nRetry-After: 7\r\n"
        + "CONTENT-LENGTH:  15\r\nConnection: close\r\n\r\n{\"detail\":\"no\"}"

    @Test func `status, length, retry and closing are found`() {
        guard
            case .answer(let status, let retry, let head, let body, let closes) =
                parse(Self.answer + "HTTP/1.1 200 OK")
        else {
            Issue.record("no answer")
            return
        }
        #expect(status == 503)
        #expect(retry == 7)
        #expect(head + body == Self.answer.utf8.count)
        #expect(closes)
    }

    @Test func `every prefix is incomplete`() {
        for length in 0..<Self.answer.utf8.count {
            guard
                case .incomplete = parse(
                    String(decoding: Self.answer.utf8.prefix(length), as: UTF8.self))
            else {
                Issue.record("\(length) bytes are no whole answer")
                return
            }
        }
    }

    @Test func `an interim 100 Continue is no answer`() {
        guard case .proceed(let bytes) = parse("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2") else {
            Issue.record("not seen")
            return
        }
        #expect(bytes == 25)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1 Debian\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: none\r\n\r\n",
    ])
    func `an answer that can't be parsed is broken`(text: String) {
        guard case .broken = parse(text) else {
            Issue.record("taken for an answer")
            return
        }
    }
}

@Suite struct ScheduleTests {
    @Test(arguments: LoadPlan.Arrival.allCases)
    func `a schedule keeps its rate`(arrival: LoadPlan.Arrival) {
        var schedule = Schedule(
            curve: RateCurve(constant: 1000), arrival: arrival, start: 0, seed: 3)
        var count = 0
        var last: UInt64 = 0
        while schedule.due < 100_000_000_000 {
            #expect(schedule.due >= last)
            last = schedule.due
            schedule.advance()
            count += 1
        }
        #expect((98_000...102_000).contains(count))
    }

    @Test func `pending retries are returned in order of time, and never early`() {
        var waiting = Waiting()
        for due in [50, 10, 40, 30, 20] as [UInt64] { waiting.insert(due * 100, due: due) }
        #expect(waiting.removeDue(at: 9) == nil)
        var order: [UInt64] = []
        while let (due, ticket) = waiting.removeDue(at: 40) {
            #expect(ticket == due * 100)
            order.append(due)
        }
        #expect(order == [10, 20, 30, 40])
        #expect(waiting.soonest == 50)
    }
}

@Suite struct TargetTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "/ingest", 8080, true),
        ("http://127.1.2.3:81/", "/ingest", 81, true),
        ("http://[::1]:9000/a/b", "/a/b", 9000, true),
        ("http://192.0.2.7:80/ingest", "/ingest", 80, false),
        ("https://127.0.0.1", "/ingest", 443, true),
    ])
    func `a target knows whether it is on this machine`(
        url: String, path: String, port: UInt16, isLoopback: Bool
    ) throws {
        let target = try Target(url: url)
        #expect(target.path == path)
        #expect(target.port == port)
        #expect(target.isLoopback == isLoopback)
        #expect(target.isSecure == url.hasPrefix("https"))
    }

    @Test(arguments: [
        "ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://127.0.0.1:99999",
        "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
    ])
    func `other URLs are rejected`(url: String) {
        #expect(throws: Target.Fault.self) { try Target(url: url) }
    }
}
