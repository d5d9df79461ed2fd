import Foundation
import Instruments
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Notices

@Suite(.timeLimit(.minutes(10)))
struct NoticeBoardTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "notices")
        connection = try Connection.open(settings, deadline: .now + .seconds(600))
    }

    /// A subscriber that remembers its notices.
    private final class Memory: Sendable {
        private let state = Mutex<[Notice]>([])

        var notices: [Notice] { state.withLock { $0 } }
        var payloads: [String] { notices.map(\.payload) }

        func deliver(_ notice: Notice) { state.withLock { $0.append(notice) } }

        func holds(_ count: Int) async throws -> Bool {
            try await eventually { notices.count >= count }
        }
    }

    private func board(
        _ memory: Memory, _ configuration: NoticeConfiguration = NoticeConfiguration(),
        _ registry: Registry = Registry()
    ) -> NoticeBoard {
        var settings = settings
        settings.applicationName = "board"
        let board = NoticeBoard(
            settings: settings, configuration: configuration, registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        board.subscribe { memory.deliver($0) }
        return board
    }

    /// Runs the board during `body`.
    private func running(_ board: NoticeBoard, _ body: () async throws -> Void) async throws {
        let task = Task { try await board.run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        try await task.value
    }

    private func post(_ payload: String, on connection: Connection) throws {
        try NoticeBoard.post(topic: "capture", userID: "ann", payload: payload, on: connection)
    }

    /// Waits until the board listens.
    private func listens(_ registry: Registry) async throws {
        #expect(
            try await eventually { registry.render().contains("sluice_notices_listening 1") })
    }

    @Test func `a notice reaches every board once, with all of its fields`() async throws {
        let (first, second) = (Memory(), Memory())
        try await running(board(first)) {
            try await running(board(second)) {
                try post("one", on: connection)
                #expect(try await first.holds(1))
                #expect(try await second.holds(1))
                try connection.transaction {
                    try post("two", on: connection)
                    try post("three", on: connection)
                }
                #expect(try await first.holds(3))
                #expect(try await second.holds(3))
            }
        }
        #expect(first.payloads == ["one", "two", "three"])
        #expect(second.notices == first.notices)
        #expect(first.notices[0].topic == "capture")
        #expect(first.notices[0].userID == "ann")
    }

    @Test func `a notice that is rolled back is never delivered`() async throws {
        let memory = Memory()
        try await running(board(memory)) {
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try post("lost", on: connection)
                    throw Stop()
                }
            }
            try post("kept", on: connection)
            #expect(try await memory.holds(1))
        }
        #expect(memory.payloads == ["kept"])
    }

    @Test
    func `notices from before the board are not delivered, those posted while it connects are`()
        async throws
    {
        let memory = Memory()
        try post("before", on: connection)
        // Longer ago than the first look may take.
        try connection.execute(
            "UPDATE sluice.notice SET posted_at = posted_at - interval '10 minutes'")
        let board = board(memory)
        try await Task.sleep(for: .milliseconds(20))
        try post("between", on: connection)
        try await running(board) {
            #expect(try await memory.holds(1))
            try post("after", on: connection)
            #expect(try await memory.holds(2))
        }
        #expect(memory.payloads == ["between", "after"])
    }

    @Test func `a notice that is posted during the first look is delivered`() async throws {
        let looking = try Connection.open(settings, deadline: .now + .seconds(600))
        let process = looking.backendID
        let memory = Memory()
        var reader = NoticeReader(now: .now)
        try #require(process > 1 && kill(process, SIGSTOP) == 0)
        let settings = settings
        Thread {
            defer { kill(process, SIGCONT) }
            Thread.sleep(forTimeInterval: 0.3)
            guard let poster = try? Connection.open(settings, deadline: .now + .seconds(600)) else {
                return
            }
            try? NoticeBoard.post(
                topic: "capture", userID: "ann", payload: "meanwhile", on: poster)
            Thread.sleep(forTimeInterval: 0.3)
        }.start()
        try reader.look(looking) { memory.deliver($0) }
        // Visible to the first look or, if that was quicker, to the second.
        try reader.look(looking) { memory.deliver($0) }
        #expect(memory.payloads == ["meanwhile"])
    }

    @Test func `notices of transactions that commit out of order are all delivered`() async throws {
        let memory = Memory()
        let slow = try Connection.open(settings, deadline: .now + .seconds(600))
        let idle = try Connection.open(settings, deadline: .now + .seconds(600))
        try await running(board(memory)) {
            try slow.execute("BEGIN")
            try post("first id, last commit", on: slow)
            // An open transaction with an id that posts nothing. It must not delay anything.
            try idle.execute("BEGIN; SELECT pg_current_xact_id()")
            for number in 1...3 { try post("\(number)", on: connection) }
            #expect(try await memory.holds(3))
            try post("first id, last commit", on: slow)
            try slow.commit()
            #expect(try await memory.holds(5))
            try post("4", on: connection)
            #expect(try await memory.holds(6))
            try idle.commit()
        }
        #expect(
            memory.payloads
                == ["1", "2", "3", "first id, last commit", "first id, last commit", "4"])
        #expect(Set(memory.notices.map(\.id)).count == 6)
    }

    @Test func `more notices than one page are all delivered`() async throws {
        let memory = Memory()
        let count = NoticeReader.pageMax * 2 + 7
        let registry = Registry()
        try await running(board(memory, NoticeConfiguration(), registry)) {
            try await listens(registry)
            try connection.execute(
                """
                select sluice.post_notice('capture', 'ann', n::text)
                from generate_series(1, \(count)) n
                """)
            #expect(try await memory.holds(count))
        }
        #expect(memory.payloads == (1...count).map { "\($0)" })
    }

    @Test func `sessions that are terminated again and again lose no notice and repeat none`()
        async throws
    {
        let memory = Memory()
        let (posters, each) = (3, 300)
        let settings = settings
        let registry = Registry()
        try await running(board(memory, NoticeConfiguration(), registry)) {
            try await listens(registry)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for poster in 0..<posters {
                    group.addTask {
                        try await Database(settings).withConnection { connection in
                            for number in 0..<each {
                                try connection.execute("BEGIN")
                                try NoticeBoard.post(
                                    topic: "capture", userID: "u\(poster)", payload: "\(number)",
                                    on: connection)
                                // Ids become visible out of order.
                                try connection.execute(
                                    "select pg_sleep(\(Double.random(in: 0...0.01)))")
                                try connection.commit()
                            }
                        }
                    }
                }
                group.addTask {
                    let admin = try Connection.open(settings, deadline: .now + .seconds(600))
                    for _ in 0..<25 {
                        try await Task.sleep(for: .milliseconds(Int.random(in: 10...120)))
                        try admin.execute(
                            """
                            select pg_terminate_backend(pid) from pg_stat_activity
                            where datname = current_database() and application_name = 'board'
                            """)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await memory.holds(posters * each))
            // A notice that is delivered twice would be delivered before the next one.
            try post("last", on: connection)
            #expect(try await memory.holds(posters * each + 1))
        }
        #expect(memory.payloads.last == "last")
        #expect(memory.notices.count == posters * each + 1)
        #expect(Set(memory.notices.map(\.id)).count == posters * each + 1)
        for poster in 0..<posters {
            let told = memory.notices.filter { $0.userID == "u\(poster)" }
            #expect(Set(told.map(\.payload)).count == each)
        }
        #expect(!registry.render().contains("sluice_notices_sessions_lost_total 0"))
    }

    @Test func `old notices are swept, new ones stay`() async throws {
        let memory = Memory()
        try connection.execute(
            """
            insert into sluice.notice (topic, user_id, payload, posted_at)
            select 't', 'u', n::text, now() - interval '1 hour 1 second'
            from generate_series(1, 10050) n;
            insert into sluice.notice (topic, user_id, payload, posted_at)
            values ('t', 'u', 'young', now() - interval '59 minutes')
            """)
        var configuration = NoticeConfiguration()
        configuration.sweepInterval = .zero
        configuration.lookInterval = .milliseconds(20)
        try await running(board(memory, configuration)) {
            let isSwept = try await eventually {
                try connection.query("select from sluice.notice").count == 1
            }
            #expect(isSwept)
        }
        let rows = try connection.query("select payload from sluice.notice")
        #expect(rows.count == 1)
        #expect(rows.string(0, 0) == "young")
    }
}

extension NoticeBoard {
    /// Posts a notice to all nodes when the transaction commits.
    fileprivate static func post(
        topic: String, userID: String, payload: String, on connection: Connection
    ) throws(PostgresError) {
        var parameters = Parameters()
        for text in [topic, userID, payload] { parameters.append(text: text) }
        try connection.query("select sluice.post_notice($1, $2, $3)", parameters)
    }
}
