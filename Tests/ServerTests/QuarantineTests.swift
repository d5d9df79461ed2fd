import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct QuarantineTests {
    private let old =
        #"{ "t":"2001-02-03T04:05:06Z", "type":"event","label":"ä\"\\", "device_id":"Watch"}"#
    private let wrong = #"{"t":"2001-02-03T04:05:06Z","type":"gps","lat":"x","lon":1}"#

    private func environment() throws -> [String: String] {
        try Fixtures.environment("quarantine", ["SLUICE_READING_AGE_MAX": "30d"]).environment
    }

    /// Posts both faulty readings twice, from a device whose name needs escapes.
    private func fill(_ environment: [String: String]) async throws {
        let server = try await RunningServer.start(environment: environment)
        for _ in 0..<2 {
            let answer = try await server.post(
                #"{"metadata":{"device_id":"Ph\"one\\ü","user_id":"Ann\"\\ü"},"data":[\#(old),\#(wrong)]}"#
            )
            #expect(try answer.number("quarantined") == 2)
        }
        #expect(try await server.end() == 0)
    }

    private struct ListedReading: Decodable {
        let reason: String
        let index: Int
    }

    @Test func `quarantined readings can be listed, shown, requeued and dropped`() async throws {
        var environment = try environment()
        try await fill(environment)

        func run(_ arguments: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["quarantine"] + arguments, environment: environment)
        }
        let list = try await run("list")
        #expect(list.out.contains("t_too_old") && list.out.contains("configured-1"))
        #expect(list.out.hasSuffix("2 in quarantine\n"), "\(list.out)")
        let rows = try JSONDecoder().decode(
            [ListedReading].self, from: Data(try await run("list", "--json").out.utf8))
        #expect(rows.count == 2 && rows.contains { $0.reason == "t_too_old" && $0.index == 0 })
        #expect(try await run("list", "--reason", "lat_invalid").out.contains("0 in quarantine"))
        #expect(try await run("list", "--device", "PH\"ONE\\Ü").out.contains("2 in quarantine"))

        let line = try #require(list.out.split(separator: "\n").first { $0.contains("t_too_old") })
        let ids = list.out.matches(of: #/(?m)^[0-9a-f]{12}/#).map { String($0.output) }
        #expect(ids.count == 2 && line.hasPrefix(ids[0]) || line.hasPrefix(ids[1]))
        let shown = try await Set([run("show", ids[0]).out, run("show", ids[1]).out])
        #expect(shown == [old + "\n", wrong + "\n"])
        #expect(try await run("show", "ffffffffffff").status == 65)

        // With the same limits nothing changes.
        let same = try await run("requeue", "--all")
        #expect(same.status == 0, "\(same.err)")
        #expect(same.out == "0 stored, 0 were stored already\n2 stay: t_too_old\n")
        #expect(same.err == "")
        let typo = try await run("list", "--reason", "no_such")
        #expect(typo.status == 64 && typo.err.contains("t_too_old"), "\(typo)")
        let none = try await run("requeue", "--reason", "val_missing")
        #expect(none.out == "nothing in quarantine matches\n")

        environment["SLUICE_READING_AGE_MAX"] = Fixtures.sampleAge
        let requeued = try await run("requeue", "--reason", "t_too_old")
        #expect(requeued.out == "1 stored, 0 were stored already\n1 stay: lat_invalid\n")
        let event = try await Subprocess.sluice(
            "psql", "-At", "-c", "select device_id, user_id, time, label from analytics.event",
            environment: environment)
        #expect(event.out == "watch|Ann\"\\ü|2001-02-03 04:05:06+00|ä\"\\\n", "\(event.err)")
        #expect(try await run("list").out.hasSuffix("1 in quarantine\n"))
        // One reading of the watch is stored, and none of the phone that sent it.
        func show(_ words: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["device", "show"] + words, environment: environment)
        }
        let device = try await show("WATCH")
        #expect(
            device.out.contains(#/(?m)^readings +1$/#)
                && device.out.hasSuffix("no readings are in quarantine\n"), "\(device.err)")
        #expect(try await show("Watch", "--json").out.contains(#""quarantine" : []"#))
        let phone = try await show("Ph\"one\\ü")
        #expect(phone.out.contains(#/(?m)^t_too_old +1 +20/#), "\(phone.out)\(phone.err)")
        let phoneJSON = try await show("Ph\"one\\ü", "--json").out
        #expect(phoneJSON.contains(#""reason":"t_too_old","readings":1"#), "\(phoneJSON)")
        #expect(try await show("nobody").status == 65)
        #expect(try await show("nobody", "--json").status == 65)

        #expect(try await run("drop").status == 64)
        #expect(try await run("drop", "--reason", "val_missing", "--yes").out == "0 dropped\n")
        let unasked = try await run("drop", "--all")
        #expect(unasked.status == 64 && unasked.err.contains("--yes"))
        #expect(try await run("drop", "--all", "--dry-run").out.hasSuffix("1 in quarantine\n"))
        #expect(try await run("drop", "--all", "-y").out == "1 dropped\n")
        #expect(try await run("list").out == "0 in quarantine\n")
    }

    @Test func `a reading that the database always rejects does not block others`()
        async throws
    {
        var environment = try environment()
        let server = try await RunningServer.start(environment: environment)
        func post(_ labels: [String]) async throws {
            let readings = labels.map {
                #"{"t":"2001-02-03T04:05:06Z","type":"event","label":"\#($0)"}"#
            }
            let answer = try await server.post(
                #"{"metadata":{"device_id":"x"},"data":[\#(readings.joined(separator: ","))]}"#)
            #expect(try answer.number("quarantined") == labels.count)
        }
        try await post(["bad"])
        // More readings than one read returns.
        try await post((0..<250).map { "good \($0)" })
        #expect(try await server.end() == 0)
        let rules = try await Subprocess.sluice(
            "psql", "-v", "ON_ERROR_STOP=1", "-c",
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON sluice.event FOR EACH ROW
            WHEN (new.label = 'bad') EXECUTE FUNCTION refuse();
            CREATE TRIGGER refuse BEFORE INSERT ON sluice.quarantine
            FOR EACH ROW EXECUTE FUNCTION refuse();
            """, environment: environment)
        #expect(rules.status == 0, "\(rules.err)")
        environment["SLUICE_READING_AGE_MAX"] = Fixtures.sampleAge
        let requeued = try await Subprocess.sluice(
            "quarantine", "requeue", "--all", environment: environment)
        #expect(
            requeued.out
                == """
                250 stored, 0 were stored already
                1 stay: the database refuses them (SQLSTATE P0001)

                """)
        #expect(requeued.status == 65 && requeued.err.contains("refuses 1 reading"))
    }

    @Test func `a reading that is already stored is requeued as a duplicate`() async throws {
        var environment = try environment()
        try await fill(environment)
        environment["SLUICE_READING_AGE_MAX"] = Fixtures.sampleAge
        let server = try await RunningServer.start(environment: environment)
        let answer = try await server.post(#"{"metadata":{"device_id":"x"},"data":[\#(old)]}"#)
        #expect(try answer.number("stored") == 1)
        let requeued = try await Subprocess.sluice(
            "quarantine", "requeue", "--all", environment: environment)
        #expect(requeued.out.hasPrefix("0 stored, 1 were stored already"), "\(requeued)")
        #expect(try await server.end() == 0)
    }

    @Test func `ten years of daily values are requeued in steps within the budget of days`()
        async throws
    {
        var environment = try environment()
        environment["SLUICE_READING_AGE_MAX"] = "5000d"
        environment["SLUICE_DAYS_PER_DEVICE_MAX"] = "40"
        #expect(try await Subprocess.sluice("migrate", environment: environment).status == 0)
        func ask(_ sql: String) async throws -> String {
            let answer = try await Subprocess.sluice(
                "psql", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, environment: environment)
            #expect(answer.status == 0, "\(answer.err)")
            return answer.out
        }
        _ = try await ask(
            """
            insert into sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key)
            select 1, 'scale', 't_too_old', convert_to(format(
                '{"t":"%sT12:00:00Z","type":"vital","code":1,"val":70}', current_date - n),
                'UTF8'), 0, 'k'
            from generate_series(1000, 4649) n
            """)
        let start = ContinuousClock.now
        func requeue(_ words: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["quarantine", "requeue", "--all"] + words,
                environment: environment)
        }
        let first = try await requeue()
        #expect(
            first.out
                == """
                40 stored, 0 were stored already
                3610 stay: they need more new days than a run makes

                """)
        #expect(first.status == 75 && first.err.contains("SLUICE_DAYS_PER_DEVICE_MAX=40"))
        // One line: nothing was tried again and again.
        #expect(first.err.split(separator: "\n").count == 1, "\(first.err)")
        let second = try await requeue("--set", "SLUICE_DAYS_PER_DEVICE_MAX=60")
        #expect(second.out.hasPrefix("60 stored, 0 were stored already\n3550 stay"))
        #expect(ContinuousClock.now - start < .seconds(90))
        #expect(
            try await ask("select count(*), count(distinct time) from analytics.vital")
                == "100|100\n")
        #expect(try await ask("select count(*) from sluice.quarantine") == "3550\n")
    }

    @Test func `readings of archived days stay, and it is said why`() async throws {
        var environment = try environment()
        environment["SLUICE_READING_AGE_MAX"] = "5000d"
        #expect(try await Subprocess.sluice("migrate", environment: environment).status == 0)
        let archived = try await Subprocess.sluice(
            "psql", "-v", "ON_ERROR_STOP=1", "-c",
            """
            insert into sluice.archive (kind, day, part, state, rows, file)
                values ('vital', '2020-01-01', 1, 'gone', 1, 'vital_20200101.csv.zst');
            """, environment: environment)
        #expect(archived.status == 0, "\(archived.err)")
        let server = try await RunningServer.start(environment: environment)
        let readings = (1...2).map {
            #"{"t":"2020-01-0\#($0)T12:00:00Z","type":"vital","code":1,"val":70}"#
        }
        let answer = try await server.post(
            #"{"metadata":{"device_id":"scale"},"data":[\#(readings.joined(separator: ","))]}"#)
        #expect(try answer.number("stored") == 1 && answer.number("quarantined") == 1)
        #expect(try await server.end() == 0)
        let requeued = try await Subprocess.sluice(
            "quarantine", "requeue", "--all", environment: environment)
        #expect(
            requeued.out == "0 stored, 0 were stored already\n1 stay: their days are archived\n")
        #expect(
            requeued.status == 75 && requeued.err.contains("sluice archive restore"), "\(requeued)")
        let list = try await Subprocess.sluice("quarantine", "list", environment: environment)
        #expect(list.out.contains(#/t_too_old +- /#), "\(list.out)")
        let id = try #require(list.out.firstMatch(of: #/(?m)^[0-9a-f]{12}/#)).output
        let shown = try await Subprocess.sluice(
            "quarantine", "show", String(id), environment: environment)
        #expect(
            shown.err.contains("index -, key ") && shown.err.contains("its day is not archived"),
            "\(shown)")
    }

    @Test func `a day that can't be made does not keep the other readings in quarantine`()
        async throws
    {
        var environment = try environment()
        environment["SLUICE_READING_AGE_MAX"] = "5000d"
        #expect(try await Subprocess.sluice("migrate", environment: environment).status == 0)
        func ask(_ sql: String) async throws -> String {
            let answer = try await Subprocess.sluice(
                "psql", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, environment: environment)
            #expect(answer.status == 0, "\(answer.err)")
            return answer.out
        }
        // Five days, of which an operator's own partition overlaps the third.
        _ = try await ask(
            """
            create table mine partition of sluice.event
                for values from ('2020-01-03 06:00+00') to ('2020-01-03 07:00+00');
            insert into sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key)
            select 1, 'scale', 't_too_old', convert_to(format(
                '{"t":"2020-01-0%sT12:00:00Z","type":"vital","code":1,"val":70}', n),
                'UTF8'), 0, 'k'
            from generate_series(1, 5) n
            """)
        let requeued = try await Subprocess.sluice(
            "quarantine", "requeue", "--all", environment: environment)
        #expect(
            requeued.out
                == """
                4 stored, 0 were stored already
                1 stay: their days could not be made

                """)
        #expect(requeued.status == 75, "\(requeued.err)")
    }
}
