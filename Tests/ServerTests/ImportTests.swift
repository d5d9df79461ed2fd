import Foundation
import Postgres
import TestSupport
import Testing

/// `sluice import` with a real database.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ImportTests {
    private let directory = TestCluster.freshDirectory()

    init() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = directory + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func run(
        _ arguments: [String], _ environment: [String: String]
    ) async throws -> Subprocess.Outcome {
        try await Subprocess.run(
            Subprocess.sluice, ["import"] + arguments, environment: environment)
    }

    private func query(_ sql: String, _ environment: [String: String]) async throws -> String {
        try await Subprocess.sluice("psql", "-At", "-c", sql, environment: environment).out
    }

    // MARK: What comes back

    @Test func `what was exported comes back, once, in every form`() async throws {
        let (source, _) = try Fixtures.environment("import_from")
        let server = try await RunningServer.start(environment: source)
        _ = try await Poster.post(server.url + "/ingest", Fixtures.sample)
        let odd =
            #"{"metadata":{"device_id":"=d'","user_id":"Ann; -1"},"data":["#
            + #"{"t":"2026-02-10T23:59:59.123456Z","type":"gps","lat":-0.0,"lon":1e-7},"#
            + #"{"t":"2026-02-10T23:59:59.5Z","type":"vital","code":99,"val":0.1},"#
            + #"{"t":"2026-02-10T23:59:59.5Z","type":"event","label":"-a;'@\n\"b\"","val_text":"","#
            + #""metadata":{"a":[1.50,"\u00e4"]}}]}"#
        _ = try await Poster.post(server.url + "/ingest", odd)
        #expect(try await server.end() == 0)
        func export(_ environment: [String: String], _ format: String) async throws -> [String] {
            var texts: [String] = []
            for kind in ["gps", "vital", "event"] {
                let outcome = try await Subprocess.sluice(
                    "export", kind, "--format", format, environment: environment)
                #expect(outcome.status == 0, "\(outcome.err)")
                texts.append(outcome.out)
            }
            return texts
        }
        for format in ["csv", "ndjson"] {
            let texts = try await export(source, format)
            let paths = try texts.enumerated().map { try file("\(format)-\($0)", $1) }
            let (target, _) = try Fixtures.environment("import_to")
            let first = try await run(paths, target)
            #expect(first.status == 0 && first.out.contains("2 readings\n  2 stored"), "\(first)")
            #expect(try await export(target, format) == texts)
            let second = try await run(paths, target)
            #expect(
                second.status == 0 && second.out.contains("0 stored, 2 were stored already"),
                "\(second)")
        }
    }

    @Test func `GPX that was exported has the same positions, whatever fields they have`()
        async throws
    {
        let (environment, _) = try Fixtures.environment("import_own_gpx")
        let server = try await RunningServer.start(environment: environment)
        let fields = [
            #""alt":-0.0"#, #""acc":1e-7"#, #""vacc":4.25"#, #""speed":0"#, #""course":359.999999"#,
        ]
        let positions = (0..<32).map { set in
            let known = fields.indices.filter { set >> $0 & 1 == 1 }.map { "," + fields[$0] }
            return #"{"t":"2026-02-10T10:00:00.\#(100_000 + set)Z","type":"gps","lat":-0.0,"#
                + #""lon":\#(set == 0 ? "-180" : "1e-7")\#(known.joined())}"#
        }
        let posted = try await server.post(
            #"{"metadata":{"device_id":"d & <é>","user_id":"Ann's"},"data":["#
                + positions.joined(separator: ",") + "]}")
        #expect(try posted.number("quarantined") == 0)
        #expect(try await server.end() == 0)
        let path = directory + "/own.gpx"
        let exported = try await Subprocess.sluice(
            "export", "tracks", "-o", path, environment: environment)
        #expect(exported.status == 0, "\(exported)")
        let outcome = try await run([path], environment)
        #expect(
            outcome.out == "\(path): 32 readings\n  0 stored, 32 were stored already\n",
            "\(outcome)")
    }

    @Test func `GPX, Apple's Health and a zip of both`() async throws {
        let (environment, _) = try Fixtures.environment("import_zip")
        let inside = directory + "/apple_health_export"
        try FileManager.default.createDirectory(
            atPath: inside + "/workout-routes", withIntermediateDirectories: true)
        let health = """
            <HealthData><Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" \
            unit="count/min" startDate="2026-02-10 14:57:02 +0100" value="72"/></HealthData>
            """
        let route = """
            <gpx><trk><trkpt lat="1" lon="2"><time>2026-02-10T14:57:07Z</time></trkpt></trk></gpx>
            """
        _ = try file("apple_health_export/export.xml", health)
        _ = try file("apple_health_export/export_cda.xml", "<ClinicalDocument/>")
        _ = try file("apple_health_export/workout-routes/route.gpx", route)
        let zip = directory + "/export.zip"
        let made = try await Subprocess.run(
            "/bin/sh",
            ["-c", "cd '\(directory)' && python3 -m zipfile -c export.zip apple_health_export"])
        #expect(made.status == 0, "\(made.err)")
        let unnamed = try await run([zip], environment)
        #expect(unnamed.status == 65 && unnamed.err.contains("--device"), "\(unnamed)")
        let outcome = try await run(["--device", "ann", zip], environment)
        #expect(outcome.status == 0 && outcome.out.contains("2 stored, 0 were"), "\(outcome)")
        #expect(outcome.out.hasSuffix("  note: \(zip): 1 other file in the zip not read\n"))
        #expect(
            try await query(
                """
                select device_id, user_id, to_char(time at time zone 'UTC', 'HH24:MI:SS'), metric, value
                from analytics.vital
                """, environment) == "ann-watch|ann|13:57:02|heart_rate|72\n")
        #expect(
            try await query("select device_id, user_id from analytics.gps", environment)
                == "ann|ann\n")
        let half = try Data(contentsOf: URL(fileURLWithPath: zip)).prefix(200)
        try half.write(to: URL(fileURLWithPath: zip))
        let cut = try await run(["--device", "ann", zip], environment)
        #expect(cut.status == 65 && cut.err.contains("the zip is damaged"), "\(cut)")
    }

    @Test func `standard input is a file, also as a pipe, and also a zip`() async throws {
        let (environment, _) = try Fixtures.environment("import_input")
        let route = """
            <gpx><trk><trkpt lat="1" lon="2"><time>2026-02-10T14:57:07Z</time></trkpt></trk></gpx>
            """
        _ = try file("route.gpx", route)
        func pipe(_ command: String) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                "/bin/sh",
                [
                    "-c",
                    "cd '\(directory)' && \(command) | '\(Subprocess.sluice)' import --device ann -",
                ],
                environment: environment)
        }
        let first = try await pipe("cat route.gpx")
        #expect(
            first.status == 0 && first.out == "-: 1 readings\n  1 stored, 0 were stored already\n")
        let zipped = try await pipe("python3 -m zipfile -c route.zip route.gpx && cat route.zip")
        #expect(zipped.status == 0 && zipped.out.contains("0 stored, 1 were"), "\(zipped)")
        let garbage = try await pipe("printf '\\000'")
        #expect(garbage.status == 65 && garbage.err.contains("-: is neither CSV"), "\(garbage)")
        #expect(try await run(["-", "-"], environment).status == 64)
    }

    @Test func `files of another database's archive, and of a newer form`() async throws {
        var source = try Fixtures.environment("import_archive").environment
        let (target, settings) = try Fixtures.environment("import_archived")
        let day = String(
            Date(timeIntervalSinceNow: -40 * 86_400).formatted(.iso8601).prefix(10))
        func post(_ readings: String, _ environment: [String: String]) async throws {
            let server = try await RunningServer.start(environment: environment)
            let body = #"{"metadata":{"device_id":"d","user_id":"u"},"data":[\#(readings)]}"#
            #expect(try await server.post(body).number("quarantined") == 0)
            #expect(try await server.end() == 0)
        }
        let new = #"{"t":"\#(Fixtures.yesterday)T00:00:00Z","type":"vital","code":1,"val":60}"#
        let old =
            #"{"t":"\#(day)T10:00:00.25Z","type":"event","label":"a\tb\\","metadata":{"x":"\n"}}"#
        try await post(new + "," + old, source)
        source["SLUICE_RETENTION_DAYS"] = "30"
        source["SLUICE_ARCHIVE_DIRECTORY"] = directory
        let archived = try await Subprocess.sluice("archive", "run", environment: source)
        #expect(archived.status == 0, "\(archived.err)")
        let path = directory + "/event_\(day.replacing("-", with: "")).csv.zst"
        let own = try await run([path], source)
        #expect(own.status == 64 && own.err.contains("sluice archive restore"), "\(own)")
        let outcome = try await run([path], target)
        #expect(outcome.status == 0 && outcome.out.contains("1 stored"), "\(outcome)")
        #expect(
            try await query("select user_id, label, metadata from analytics.event", target)
                == "u|a\tb\\|{\"x\": \"\\n\"}\n")
        let manifest = path.replacing(".csv.zst", with: ".json")
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try Data(text.replacing("\"format\" : 1", with: "\"format\" : 2").utf8)
            .write(to: URL(fileURLWithPath: manifest))
        let newer = try await run([path], target)
        #expect(newer.status == 65 && newer.err.contains("is of format 2"), "\(newer)")
        #expect(try Fixtures.count("sluice.event", settings) == 1)
    }

    @Test func `a metric with a new name gets a code and its unit, once`() async throws {
        let (environment, settings) = try Fixtures.environment("import_metric")
        func record(_ type: String, _ unit: String, _ second: Int, _ value: String) -> String {
            #"<Record type="HKQuantityTypeIdentifier\#(type)" unit="\#(unit)" value="\#(value)" "#
                + #"startDate="2026-02-10 14:57:0\#(second) +0100"/>\#n"#
        }
        let health = try file(
            "export.xml",
            "<HealthData>" + record("OxygenSaturation", "%", 1, "0.97")
                + record("BodyMass", "lb", 1, "154") + record("BodyMass", "lb", 2, "155")
                + record("BodyMass", "kg", 3, "70") + record("BodyMass", "m", 4, "2")
                + "</HealthData>")
        for stored in [4, 0] {
            let outcome = try await run(["--device", "ann", health], environment)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.out.contains("  \(stored) stored, \(4 - stored) were"), "\(outcome)")
            #expect(outcome.out.contains("1 (line 5) quarantined: val_invalid"), "\(outcome)")
            #expect(outcome.err.contains("sluice quarantine list"), "\(outcome)")
        }
        #expect(
            try await query(
                "select reading_index, body from analytics.quarantine", environment
            )
            .contains(#""val":"2 m""#))
        #expect(
            try await query(
                """
                select metric, unit, round(value::numeric, 3), code >= 1000 from analytics.vital
                order by 1, 3
                """, environment)
                == "body_mass|lb|154.000|t\nbody_mass|lb|154.324|t\nbody_mass|lb|155.000|t\n"
                + "oxygen_saturation|%|97.000|t\n")
        // As many names as a file may bring are used up; known ones are not concerned.
        _ = try await query(
            """
            insert into sluice.metric_name (name, code, named_by)
            select 'n' || g, 2000 + g, 'import of names.csv' from generate_series(1, 1000) g
            """, environment)
        let names = try file(
            "names.csv",
            "device_id,time,metric,value\nd,2026-02-10T10:00:00Z,new,1\n"
                + "d,2026-02-10T10:00:00Z,n7,2\nd,2026-02-10T10:00:00Z,body_mass,3\n")
        let full = try await run([names], environment)
        #expect(full.out.contains("2 stored") && full.out.contains("metric_too_many"), "\(full)")
        #expect(try Fixtures.count("sluice.vital where code = 2007", settings) == 1)
        #expect(
            try await query("select body from analytics.quarantine", environment)
                .contains(#""metric":"new""#))
        let route = try file(
            "route.gpx", "<gpx><rte><rtept lat=\"1\" lon=\"2\"/></rte></gpx>")
        let plan = try await run(["--device", "ann", route], environment)
        #expect(plan.status == 65 && plan.out.contains("points of routes"), "\(plan)")
    }

    @Test func `an exported name counts, not the code that another database gave it`() async throws
    {
        let (source, _) = try Fixtures.environment("import_codes_from")
        let (target, _) = try Fixtures.environment("import_codes_to")
        func rows(_ name: String, _ value: Int) -> String {
            "device_id,time,metric,value\nd,2026-02-10T10:00:00Z,\(name),\(value)\n"
        }
        #expect(try await run([try file("a.csv", rows("glucose", 5))], source).status == 0)
        #expect(try await run([try file("b.csv", rows("weight", 70))], target).status == 0)
        let codes = "select metric, value, code from analytics.vital order by 1"
        #expect(try await query(codes, source) == "glucose|5|1000\n")
        for format in ["csv", "ndjson"] {
            let exported = try await Subprocess.sluice(
                "export", "vital", "--format", format, environment: source)
            let outcome = try await run([try file("c.\(format)", exported.out)], target)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try await query(codes, target) == "glucose|5|1001\nweight|70|1000\n")
        }
    }

    // MARK: What is wrong

    @Test func `a CSV that was cut in its last number is stored, with a note`() async throws {
        let (environment, _) = try Fixtures.environment("import_cut")
        let path = try file(
            "cut.csv", "time,code,value\n2026-11-20T10:00:00Z,1,70\n2026-11-20T10:01:00Z,1,12")
        let outcome = try await run(["--device", "d", path], environment)
        #expect(
            outcome.status == 0 && outcome.out.contains("2 stored")
                && outcome.out.contains("  note: \(path):3: the last line has no line break; "),
            "\(outcome)")
    }

    @Test func `GeoJSON is an error that says what to do`() async throws {
        let (environment, _) = try Fixtures.environment("import_geojson")
        let path = try file("t.geojson", #"{"type":"FeatureCollection","features":[\#n]}"#)
        let outcome = try await run([path], environment)
        #expect(
            outcome.status == 65
                && outcome.err.contains("\(path): is GeoJSON, which an import does not read")
                && outcome.err.contains("export the positions as GPX, CSV or NDJSON"),
            "\(outcome)")
    }

    @Test
    func `bad readings are quarantined with their line, and a bad file keeps what was before`()
        async throws
    {
        let (environment, _) = try Fixtures.environment("import_bad")
        let bad = try file(
            "bad.csv",
            """
            device_id,time,latitude,longitude
            d,2026-02-10T10:00:00Z,1,2
            d,2026-02-10T10:00:01Z,91,2
            d,2026-02-10T10:00:02Z,1,2
            d,2026-02-10T10:00:03Z,1

            """)
        let outcome = try await run([bad], environment)
        #expect(
            outcome.status == 65 && outcome.err.contains("\(bad):5: 3 cells instead of 4"),
            "\(outcome)")
        #expect(outcome.out.contains("2 stored, 0 were"), "\(outcome.out)")
        #expect(outcome.out.contains("1 (line 3) quarantined: lat_out_of_range"), "\(outcome.out)")
        #expect(
            try await query(
                "select reason, reading_index, api_key from analytics.quarantine", environment)
                == "lat_out_of_range|3|import of bad.csv\n")
        // Corrected and imported again.
        let text = try String(contentsOfFile: bad, encoding: .utf8)
        try Data(text.replacing(":03Z,1\n", with: ":03Z,1,2\n").utf8)
            .write(to: URL(fileURLWithPath: bad))
        let again = try await run([bad], environment)
        #expect(again.status == 65 && again.out.contains("1 stored, 2 were"), "\(again)")
        #expect(
            try await query("select count(*) from sluice.quarantine", environment) == "1\n")
        let missing = try await run([directory + "/none"], environment)
        #expect(missing.status == 66 && missing.err.contains("none: open failed"), "\(missing)")
    }

    @Test func `a wrong file does not keep the others from being imported, and each is named`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("import_several")
        func rows(_ second: Int) -> String {
            "device_id,time,latitude,longitude\nd,2026-02-10T10:00:0\(second)Z,1,2\n"
        }
        let good = [try file("a.csv", rows(1)), try file("e.csv", rows(2))]
        let cut = try file("b.csv", rows(3) + "d,2026-02-10T10:00:04Z,1\n")
        let unknown = try file("c.csv", "\u{1}\u{2}")
        let none = directory + "/none"
        let outcome = try await run([good[0], none, cut, unknown, good[1]], environment)
        #expect(outcome.status == 65, "\(outcome)")
        #expect(try Fixtures.count("sluice.gps", settings) == 3)
        #expect(outcome.err.contains("\(cut):3: 3 cells instead of 4"), "\(outcome.err)")
        #expect(outcome.err.contains("\(none): open failed"), "\(outcome.err)")
        #expect(outcome.err.contains("\(unknown): is neither"), "\(outcome.err)")
        #expect(
            outcome.err.hasSuffix(
                "3 of 5 files could not be imported to their end: \(none), \(cut), \(unknown)\n"),
            "\(outcome.err)")
        let two = try await run([none, none], environment)
        #expect(two.status == 66 && two.err.contains("2 of 2 files"), "\(two)")
    }

    @Test func `a file that is compressed by gzip, in one part or several, whole or damaged`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("import_gzip")
        var text = ""
        for second in 0..<3000 {
            let time = Date(timeIntervalSince1970: 1_770_800_000 + Double(second)).formatted(
                .iso8601)
            text += #"{"device_id":"d","t":"\#(time)","type":"vital","code":1,"val":1}"# + "\n"
        }
        _ = try file("many.ndjson", text)
        let made = try await Subprocess.run(
            "/bin/sh",
            [
                "-c",
                """
                cd '\(directory)' && head -c 100000 many.ndjson | gzip > parts.gz &&
                tail -c +100001 many.ndjson | gzip >> parts.gz && gzip -c many.ndjson > whole.gz &&
                head -c $(($(stat -c %s whole.gz) / 2)) whole.gz > cut.gz && gzip -c whole.gz > twice.gz &&
                cp whole.gz wrong.gz && printf x | dd of=wrong.gz bs=1 conv=notrunc \
                    seek=$(($(stat -c %s wrong.gz) - 8)) 2> dd.log
                """,
            ])
        #expect(made.status == 0, "\(made.err)")
        func run(_ name: String) async throws -> Subprocess.Outcome {
            try await self.run([directory + "/" + name], environment)
        }
        let cut = try await run("cut.gz")
        #expect(cut.status == 65, "\(cut)")
        let before = try Fixtures.count("sluice.vital", settings)
        #expect(
            cut.err.contains(
                "cut.gz:\(before + 1): the gzip file is damaged or truncated (unexpected end"),
            "\(cut)")
        #expect((1..<3000).contains(before))
        let parts = try await run("parts.gz")
        #expect(parts.status == 0, "\(parts)")
        #expect(
            parts.out.contains("\(3000 - before) stored, \(before) were stored already"), "\(parts)"
        )
        let wrong = try await run("wrong.gz")
        #expect(wrong.status == 65 && wrong.err.contains("incorrect data check"), "\(wrong)")
        let whole = try await run("whole.gz")
        #expect(whole.status == 0 && whole.out.contains("0 stored, 3000 were"), "\(whole)")
        let twice = try await run("twice.gz")
        #expect(twice.status == 65 && twice.err.contains("is neither"), "\(twice)")
        #expect(try Fixtures.count("sluice.vital", settings) == 3000)
    }

    @Test func `readings that are too old or need too many days stay in the file`() async throws {
        var (environment, settings) = try Fixtures.environment("import_days")
        let rows = (0..<10).map { day in
            let time = Date(timeIntervalSinceNow: -86_400 * Double(100 + day)).formatted(.iso8601)
            return "d,\(time),heart_rate,60\n"
        }
        let path = try file("days.csv", "device_id,time,metric,value\n" + rows.joined())
        func set(_ age: String, _ days: Int) async throws -> Subprocess.Outcome {
            environment["SLUICE_READING_AGE_MAX"] = age
            environment["SLUICE_DAYS_PER_DEVICE_MAX"] = "\(days)"
            return try await run([path], environment)
        }
        let few = try await set("105d", 2)
        #expect(few.status == 75 && few.out.contains("2 stored"), "\(few)")
        #expect(few.out.contains("3 (line 4 first) left out: they need more new days"), "\(few)")
        #expect(few.out.contains("5 (line 7 first) left out: older"), "\(few)")
        #expect(try Fixtures.count("sluice.vital", settings) == 2)
        #expect(try Fixtures.count("sluice.quarantine", settings) == 0)
        let all = try await set("200d", 100)
        #expect(all.status == 0 && all.out.contains("8 stored, 2 were"), "\(all)")
        #expect(try Fixtures.count("sluice.vital", settings) == 10)
    }

    // MARK: Crashes and size

    /// Kills an import with a signal when a part is stored, and imports again.
    @Test(arguments: [SIGINT, SIGKILL])
    func `an import that ended goes on where it was, in little memory`(number: Int32) async throws {
        let (environment, settings) = try Fixtures.environment("import_size")
        let count = 60_000
        var text = ""
        for second in 0..<count {
            let (minute, hour) = (second / 60 % 60, second / 3600 % 24)
            text +=
                #"{"device_id":"d\#(second % 3)","t":"2026-02-\#(10 + second / 86_400)T"#
                + String(format: "%02d:%02d:%02dZ", hour, minute, second % 60)
                + "\",\"type\":\"vital\",\"metric\":\"m\(second % 2)\",\"val\":\(second)}\n"
        }
        let path = try file("many.ndjson", text)
        let peak = directory + "/peak"
        let stopped = try await importUntilBusy(
            path, watching: peak, number, environment, settings)
        #expect(stopped.status == 128 + number, "\(stopped)")
        let stored = try Fixtures.count("sluice.vital", settings)
        #expect(stored < count)
        let second = try await run([path], environment)
        #expect(second.status == 0, "\(second)")
        #expect(try Fixtures.count("sluice.vital", settings) == count)
        #expect(
            try Fixtures.count("(select distinct device_key, t from sluice.vital) v", settings)
                == count)
        #expect(try Fixtures.count("sluice.metric where code >= 1000", settings) == 2)
        if number == SIGINT {
            #expect(second.out.contains("of them in an earlier run"), "\(second.out)")
            #expect(second.out.contains("0 were stored already"), "\(second.out)")
        }
        let kilobytes = try String(contentsOfFile: peak, encoding: .utf8).matches(of: #/(\d+) kB/#)
            .compactMap { Int($0.1) }.max()
        let most = try #require(kilobytes)
        #expect(most < 64 * 1024, "\(most) KiB")
    }

    @Test func `an import that ended comes back to what it left out`() async throws {
        var (environment, settings) = try Fixtures.environment("import_left")
        let count = 40_000
        func line(_ time: String, _ value: Int) -> String {
            #"{"device_id":"d","t":"\#(time)","type":"vital","code":1,"val":\#(value)}"# + "\n"
        }
        let old = Date(timeIntervalSinceNow: -86_400 * 100).formatted(.iso8601)
        let start = Date(timeIntervalSinceNow: -86_400 * 3).timeIntervalSince1970.rounded()
        var text = line(old, 0)
        for second in 0..<count {
            text += line(
                Date(timeIntervalSince1970: start + Double(second)).formatted(.iso8601), second)
        }
        let path = try file("left.ndjson", text)
        environment["SLUICE_READING_AGE_MAX"] = "50d"
        let stopped = try await importUntilBusy(
            path, watching: directory + "/left", SIGINT, environment, settings)
        #expect(stopped.status == 128 + SIGINT, "\(stopped)")
        #expect(stopped.out.contains("1 (line 1) left out: older"), "\(stopped)")
        #expect(try Fixtures.count("sluice.vital", settings) < count)
        let same = try await run([path], environment)
        #expect(same.status == 75 && same.out.contains("1 (line 1) left out: older"), "\(same)")
        environment["SLUICE_READING_AGE_MAX"] = "200d"
        let raised = try await run([path], environment)
        #expect(raised.status == 0 && raised.out.contains("1 stored, \(count) were"), "\(raised)")
    }

    /// Ends an import with a signal when a part is stored.
    ///
    /// - Parameter peak: a file that gets its highest memory, in the lines of /proc.
    private func importUntilBusy(
        _ path: String, watching peak: String, _ number: Int32, _ environment: [String: String],
        _ settings: ConnectionSettings
    ) async throws -> Subprocess.Outcome {
        // Writes the process id: until the process ends, its memory is watched.
        let script = """
            "$0" import "$1" & echo $! > "$2.id"
            while kill -0 $! 2>/dev/null; do
                grep VmHWM /proc/$!/status >> "$2" 2>/dev/null; sleep 0.1
            done
            wait $!
            """
        async let first = Subprocess.run(
            "/bin/sh", ["-c", script, Subprocess.sluice, path, peak], environment: environment)
        let isBusy = try await eventually(every: .milliseconds(20)) {
            let stored = try Fixtures.count("sluice.vital", settings)
            return stored > 5_000
        }
        #expect(isBusy)
        let id = try String(contentsOfFile: peak + ".id", encoding: .utf8).prefix { $0.isNumber }
        kill(try #require(pid_t(id)), number)
        return try await first
    }
}
