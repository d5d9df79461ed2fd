import Load
import Testing

@testable import sluice_bench

@Suite(.timeLimit(.minutes(1))) struct SocketGeneratorTests {
    /// Sends a number of texts on each socket; an answer is the text after `ok `.
    private final class Talk: SocketWorkload {
        let texts: Int
        var sent: [Int]

        init(sockets: Int, texts: Int) {
            self.texts = texts
            sent = Array(repeating: 0, count: sockets)
        }

        func path(of socket: Int) -> String { "/ws/\(socket)" }

        func next(of socket: Int) -> String? {
            guard sent[socket] < texts else { return nil }
            defer { sent[socket] += 1 }
            return "text \(sent[socket]) of \(socket)"
        }

        func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews {
            let text = String(decoding: text, as: UTF8.self)
            if text == "news" { return .unasked }
            return text.hasPrefix("ok text ") && text.hasSuffix(" of \(socket)")
                ? .acknowledged : .refused
        }
    }

    private func run(
        _ server: StubSocketServer, sockets: Int, texts: Int, outstanding: Int
    ) throws -> SocketReport {
        var plan = SocketPlan(port: Int(server.port))
        plan.sockets = sockets
        plan.outstanding = outstanding
        plan.answerNanosecondsMax = 300_000_000
        let generator = SocketGenerator(
            plan: plan, workload: Talk(sockets: sockets, texts: texts))
        try generator.open()
        return generator.run()
    }

    @Test func `every text of every socket is answered once`() throws {
        let server = StubSocketServer()
        server.start()
        defer { server.stop() }
        let report = try run(server, sockets: 5, texts: 40, outstanding: 3)
        #expect(report.acknowledged == 200)
        #expect(report.latency.totalCount == 200)
        #expect(report.refused == 0 && report.lost == 0 && report.socketsLost == 0)
        #expect(report.unasked == 5)
    }

    @Test func `texts are lost when a server stops answering, and the run ends`() throws {
        let server = StubSocketServer(answersMax: 3)
        server.start()
        defer { server.stop() }
        let report = try run(server, sockets: 2, texts: 10, outstanding: 2)
        #expect(report.acknowledged == 6)
        #expect(report.lost == 4)
    }

    @Test func `a rejected handshake is reported with its status`() throws {
        let server = StubSocketServer(refuses: true)
        server.start()
        defer { server.stop() }
        let generator = SocketGenerator(
            plan: SocketPlan(port: Int(server.port)), workload: Talk(sockets: 1000, texts: 1))
        do {
            try generator.open()
            Issue.record("it opened")
        } catch {
            guard case .notOpened(_, let status) = error else { return }
            #expect(status == 403)
        }
    }
}
