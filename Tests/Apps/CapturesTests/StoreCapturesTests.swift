import Captures
import Ingest
import Postgres
import Readings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreCapturesTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "captures")
        connection = try Connection.open(settings, deadline: .now + .seconds(60))
    }

    private static func payload(
        _ id: String, user: String = "ann", text: String? = "hello", second: Int = 0
    ) throws -> String {
        let transcription = text.map { ",\"transcription\":\"\($0)\"" } ?? ""
        let capture = try CaptureFrame.decode(
            """
            {"type":"memory_capture","id":"\(id)","timestamp":"2026-01-23T14:30:00.25Z",\
            "photoURL":"https://example.org/\(id).jpg"\(transcription)}
            """
        ).get()
        let receivedAt = Timestamp(unixSeconds: 1_769_178_600 + Int64(second))
        return capture.unit(user: user, receivedAt: receivedAt).payload
    }

    /// Calls the function as a lane of an older version does.
    private func store(_ payloads: [String]) throws -> [String] {
        var parameters = Parameters()
        parameters.append(texts: payloads)
        let rows = try connection.query(
            "SELECT place, result FROM sluice.store_captures($1)", parameters)
        var results = [String](repeating: "", count: payloads.count)
        for row in 0..<rows.count { results[Int(rows.int32(row, 0)) - 1] = rows.string(row, 1) }
        #expect(rows.count == payloads.count)
        return results
    }

    /// One version of a capture.
    private struct Form {
        let id: String
        let user: String
        let text: String
        /// In seconds.
        let stamp: Int
        let isLate: Bool

        init(
            _ id: String, _ text: String, at stamp: Int, isLate: Bool = false, user: String = "ann"
        ) {
            (self.id, self.text, self.stamp, self.isLate) = (id, text, stamp, isLate)
            self.user = user
        }
    }

    /// Calls the function as a lane of this version does.
    private func store(forms: [Form]) throws -> [String] {
        var parameters = Parameters()
        // The payload's time is from a clock that the outcome must not depend on.
        parameters.append(
            texts: try forms.map {
                try Self.payload($0.id, user: $0.user, text: $0.text, second: -$0.stamp)
            })
        parameters.append(timestamptzs: forms.map { Int64($0.stamp) * 1_000_000 })
        parameters.append(bools: forms.map(\.isLate))
        let rows = try connection.query(kept: Capture.unitKind.statement, parameters)
        var results = [String](repeating: "", count: forms.count)
        for row in 0..<rows.count { results[Int(rows.int32(row, 0)) - 1] = rows.string(row, 1) }
        #expect(rows.count == forms.count)
        return results
    }

    private func strings(_ sql: String) throws -> [String] {
        let rows = try connection.query(sql)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `a capture is stored once with its job, however often it is sent`() throws {
        #expect(try store([Self.payload("a")]) == ["stored"])
        #expect(try store([Self.payload("a", second: 5)]) == ["same"])
        #expect(try store([]) == [])
        #expect(
            try strings(
                """
                select concat_ws('|', capture_id, user_id, captured_at::text, photo_url,
                    coalesce(audio_url, '-'), transcription, revision)
                from sluice.capture
                """)
                == ["a|ann|2026-01-23 14:30:00.25+00|https://example.org/a.jpg|-|hello|1"])
        #expect(
            try strings("select kind || ' ' || key || ' ' || attempts from sluice.job")
                == ["capture.analyse a 0"])
        #expect(
            try strings("select (payload::jsonb)::text from sluice.job")
                == [#"{"user": "ann", "capture": "a"}"#])
        #expect(
            try strings(
                "select user_id || ' ' || coalesce(time_zone, '-') from sluice.app_user")
                == ["ann -"])
    }

    @Test func `other content replaces the old and is analysed again`() throws {
        #expect(try store([Self.payload("a")]) == ["stored"])
        try connection.execute("delete from sluice.job")
        #expect(try store([Self.payload("a", text: "other", second: 1)]) == ["replaced"])
        #expect(try strings("select key from sluice.job") == ["a"])
        #expect(
            try strings("select transcription || revision from sluice.capture") == ["other2"])
        try connection.execute("delete from sluice.job")
        #expect(try store([Self.payload("a", text: nil, second: 2)]) == ["replaced"])
        #expect(try store([Self.payload("a", text: nil, second: 3)]) == ["same"])
        #expect(try strings("select revision::text from sluice.capture") == ["3"])
    }

    @Test func `an older version that arrives late changes nothing`() throws {
        #expect(try store([Self.payload("a", text: "new", second: 9)]) == ["stored"])
        #expect(try store([Self.payload("a", text: "old", second: 3)]) == ["same"])
        #expect(try strings("select transcription from sluice.capture") == ["new"])
    }

    private static let rows = """
        select concat_ws(' ', user_id, split_part(capture_id, '~', 1), transcription, revision)
        from sluice.capture order by 1
        """

    @Test func `two users have the same id, and each has a capture of their own`() throws {
        #expect(try store([Self.payload("a")]) == ["stored"])
        let own = try Self.payload("a", user: "bob", text: "mine", second: 5)
        #expect(try store([own, Self.payload("b", user: "bob")]) == ["stored", "stored"])
        #expect(try strings(Self.rows) == ["ann a hello 1", "bob a mine 1", "bob b hello 1"])
        #expect(
            try strings(
                "select payload::jsonb->>'user' || ' ' || split_part(key, '~', 1) from sluice.job "
                    + "order by 1") == ["ann a", "bob a", "bob b"])
        // Sent again it is still the same capture, even after the first user's is deleted.
        #expect(try store([own]) == ["same"])
        try connection.execute("delete from sluice.capture where user_id = 'ann'")
        #expect(try store([own]) == ["same"])
        #expect(
            try store([Self.payload("a", user: "bob", text: "other", second: 6)]) == ["replaced"])
        #expect(try strings(Self.rows) == ["bob a other 2", "bob b hello 1"])
    }

    @Test func `two users who send one new id at the same time both have it`() throws {
        let results = try store([
            Self.payload("n", text: "one", second: 1),
            Self.payload("n", user: "bob", text: "two", second: 2),
            Self.payload("n", user: "bob", text: "three", second: 3),
            Self.payload("n", user: "eve", text: "four", second: 4),
        ])
        #expect(results[0] == "stored" && results[3] == "stored")
        #expect(!results.contains("foreign"))
        #expect(try strings(Self.rows) == ["ann n one 1", "bob n three 2", "eve n four 1"])
    }

    @Test func `a file without an owner belongs to the first user whose capture names it`() throws {
        func file(_ path: String, _ user: String? = nil) throws {
            var parameters = Parameters()
            parameters.append(text: path)
            parameters.append(text: user)
            _ = try connection.query(
                """
                select sluice.store_media_file($1, encode(sha256($1::bytea), 'hex'),
                    sha256($1::bytea), 1, 'image/jpeg', $2)
                """, parameters)
        }
        func payload(_ user: String, _ path: String) throws -> String {
            let capture = try CaptureFrame.decode(
                """
                {"type":"memory_capture","id":"a","timestamp":"2026-01-23T14:30:00Z",\
                "photoURL":"https://x.example/media/\(path)"}
                """
            ).get()
            return capture.unit(user: user, receivedAt: Timestamp(unixSeconds: 1)).payload
        }
        let (first, second) = ("memories/a/photo.jpg", "memories/a~1/photo.jpg")
        try file(first)
        try file(second)
        try file("memories/o/photo.jpg", "eve")
        #expect(try store([payload("ann", first)]) == ["stored"])
        #expect(try store([payload("bob", second)]) == ["stored"])
        #expect(try store([payload("eve", first)]) == ["stored"])
        #expect(try store([payload("mia", "memories/o/photo.jpg")]) == ["stored"])
        let owners = "select path || ' ' || user_id from sluice.media_file order by 1"
        #expect(
            try strings(owners) == [
                first + " ann", second + " bob", "memories/o/photo.jpg eve",
            ])
    }

    @Test func `several versions of one id in a group are settled as if sent one by one`() throws {
        #expect(try store([Self.payload("k", text: "first", second: 1)]) == ["stored"])
        let results = try store([
            Self.payload("n", text: "one", second: 2),
            Self.payload("n", text: "three", second: 4),
            Self.payload("n", text: "two", second: 3),
            Self.payload("n", user: "bob", text: "stolen", second: 5),
            Self.payload("k", user: "bob", text: "stolen", second: 0),
            Self.payload("k", text: "second", second: 6),
            Self.payload("k", text: "second", second: 6),
        ])
        #expect(results[0] == "stored")
        #expect(results[3...4] == ["stored", "stored"])
        #expect(results[1] == "replaced")
        #expect(results[5...6] == ["replaced", "same"])
        #expect(
            try strings(
                "select user_id || ' ' || transcription || ' ' || revision from sluice.capture "
                    + "order by capture_id")
                == ["ann second 2", "bob stolen 1", "ann three 2", "bob stolen 1"])
        #expect(
            try strings("select distinct split_part(key, '~', 1) from sluice.job order by 1")
                == ["k", "n"])
    }

    @Test func `a capture that changes while it is analysed is analysed again`() throws {
        _ = try store([Self.payload("a")])
        try connection.execute(
            "update sluice.job set lease = 7, due_at = now() + interval '1 minute', attempts = 1")
        _ = try store([Self.payload("a", text: "other", second: 1)])
        #expect(
            try strings("select (again_at <= now())::text || lease from sluice.job") == ["true7"])
        #expect(try strings("select sluice.finish_job(id, 7)::text from sluice.job") == ["true"])
        #expect(
            try strings(
                "select (lease is null and due_at <= now())::text || attempts from sluice.job")
                == ["true0"])
    }

    @Test(arguments: [
        ("0001-01-01T00:00:00.000001Z", "0001-01-01 00:00:00.000001+00"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31 23:59:59.999999+00"),
        ("2026-03-08T02:30:00-05:00", "2026-03-08 07:30:00+00"),
    ])
    func `times are stored to the microsecond, whatever the session's time zone`(
        sent: String, stored: String
    ) throws {
        let capture = try CaptureFrame.decode(
            #"{"type":"memory_capture","id":"a","timestamp":"\#(sent)","transcription":"\"\\ 😀"}"#
        ).get()
        try connection.execute("set timezone = 'Asia/Kathmandu'")
        let unit = capture.unit(user: "a \"b\" 用户", receivedAt: Timestamp(microseconds: 0))
        #expect(try store([unit.payload]) == ["stored"])
        try connection.execute("set timezone = 'UTC'")
        #expect(
            try strings("select captured_at::text || '|' || user_id from sluice.capture")
                == [#"\#(stored)|a "b" 用户"#])
        #expect(try strings("select transcription from sluice.capture") == [#""\ 😀"#])
    }

    @Test func `a capture whose job outlived it is analysed when it is sent again`() throws {
        _ = try store([Self.payload("a")])
        try connection.execute("delete from sluice.capture")
        try connection.execute("update sluice.job set lease = 7, attempts = 1")
        #expect(try store([Self.payload("a"), Self.payload("b")]) == ["stored", "stored"])
        #expect(
            try strings(
                "select key || coalesce(lease::text, '') || (again_at is not null) from sluice.job "
                    + "order by key") == ["a7true", "bfalse"])
    }

    @Test func `a known capture among new ones costs none of them anything`() throws {
        #expect(try store([Self.payload("m")]) == ["stored"])
        let results = try store((0..<20).map { try Self.payload($0 == 9 ? "m" : "c\($0)") })
        #expect(results == (0..<20).map { $0 == 9 ? "same" : "stored" })
        #expect(try strings("select count(*)::text from sluice.capture") == ["20"])
        #expect(try strings("select count(*)::text from sluice.job") == ["20"])
        #expect(try strings("select user_id from sluice.app_user") == ["ann"])
    }

    @Test func `a group makes one notification`() throws {
        let listener = try Connection.open(settings, deadline: .now + .seconds(30))
        try listener.execute("LISTEN sluice_job")
        _ = try store([Self.payload("a"), Self.payload("b")])
        _ = try store([Self.payload("a"), Self.payload("b")])
        #expect(try listener.waitForNotifications(until: .now + .seconds(5)) == 1)
        #expect(try listener.waitForNotifications(until: .now + .milliseconds(50)) == 0)
    }

    /// Whether all captures of a group are new or one is known.
    @Test(arguments: [["b"], ["a", "b"]])
    func `a group does not wait for a change of its user`(ids: [String]) throws {
        #expect(try store([Self.payload("a")]) == ["stored"])
        let other = try Connection.open(settings, deadline: .now + .seconds(30))
        try other.execute("begin; update sluice.app_user set time_zone = 'Europe/Berlin'")
        try connection.execute("set lock_timeout = '300ms'")
        let results = try store(ids.map { try Self.payload($0, text: "other", second: 1) })
        #expect(results == ids.map { $0 == "a" ? "replaced" : "stored" })
        try other.commit()
        #expect(
            try strings("select user_id || ' ' || time_zone from sluice.app_user")
                == ["ann Europe/Berlin"])
    }

    @Test func `groups with the same ids in another order do not deadlock`() async throws {
        let settings = settings
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    try await Database(settings).withConnection { connection in
                        for round in 0..<50 {
                            var payloads = try (0..<20).map {
                                try Self.payload("c\($0)", text: "\(lane) \(round)", second: round)
                            }
                            payloads.shuffle()
                            var parameters = Parameters()
                            parameters.append(texts: payloads)
                            parameters.append(timestamptzs: payloads.map { _ in Int64(round) })
                            parameters.append(bools: payloads.map { _ in lane % 2 == 0 })
                            try connection.query(kept: Capture.unitKind.statement, parameters)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try strings("select count(*)::text from sluice.capture") == ["20"])
        #expect(try strings("select count(*)::text from sluice.job") == ["20"])
    }

    @Test func `a live version replaces the stored one, whatever the clocks say`() throws {
        #expect(try store(forms: [Form("a", "1", at: 9)]) == ["stored"])
        try connection.execute("delete from sluice.job")
        #expect(try store(forms: [Form("a", "2", at: 3)]) == ["replaced"])
        #expect(try strings("select key from sluice.job") == ["a"])
        // A version received before the newest of them is too late.
        #expect(try store(forms: [Form("a", "3", at: 9, isLate: true)]) == ["same"])
        #expect(try strings("select transcription from sluice.capture") == ["2"])
        #expect(try store(forms: [Form("a", "4", at: 10, isLate: true)]) == ["replaced"])
        #expect(try strings("select transcription || revision from sluice.capture") == ["43"])
    }

    @Test func `a version that is sent again unchanged is not undone by an older one`() throws {
        #expect(try store(forms: [Form("a", "x", at: 1)]) == ["stored"])
        try connection.execute("delete from sluice.job")
        #expect(try store(forms: [Form("a", "x", at: 3)]) == ["same"])
        #expect(try store(forms: [Form("a", "y", at: 2, isLate: true)]) == ["same"])
        #expect(try strings("select transcription || revision from sluice.capture") == ["x1"])
        #expect(try strings("select key from sluice.job") == [])
    }

    /// Any grouping leaves the same result as single versions, where late versions of a group come
    /// first.
    @Test(arguments: 1...8) func `of all versions the right one stays`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        func below(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }
        var expected: [String: (text: String, stamp: Int)] = [:]
        for _ in 0..<60 {
            var stamps = (0..<1 + below(6)).map { _ in below(40) }
            stamps.sort()
            let forms = stamps.map { stamp in
                Form(
                    ["a", "b", "c"][below(3)], ["x", "y", "z"][below(3)], at: stamp,
                    isLate: below(2) == 0, user: below(6) == 0 ? "bob" : "ann")
            }
            let before = expected
            for form in forms.filter(\.isLate) + forms.filter({ !$0.isLate }) {
                let key = form.id + " " + form.user
                let known = expected[key] ?? ("", -1)
                guard !form.isLate || known.stamp < form.stamp else { continue }
                expected[key] = (form.text, max(known.stamp, form.stamp))
            }
            let results = try store(forms: forms)
            #expect(!results.contains("foreign"))
            for key in Set(forms.map { $0.id + " " + $0.user }) {
                let isTold = zip(forms, results).contains {
                    $0.id + " " + $0.user == key && ["stored", "replaced"].contains($1)
                }
                #expect(isTold || before[key]?.text == expected[key]?.text, "\(forms)")
            }
            let rows = expected.map { "\($0) \($1.text) \($1.stamp)" }.sorted()
            #expect(
                try strings(
                    """
                    select concat_ws(' ', split_part(capture_id, '~', 1), user_id, transcription,
                        extract(epoch from received_at - '2000-01-01 00:00Z')::integer)
                    from sluice.capture order by 1
                    """) == rows, "\(forms)")
        }
    }
}
