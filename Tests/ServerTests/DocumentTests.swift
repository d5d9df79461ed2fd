import Foundation
import Postgres
import TestSupport
import Testing

/// The code in the documents works as it stands there, but for the address and the key.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DocumentTests {
    /// The blocks that are run here, by the file and the beginning of the first line.
    enum Example: String, CaseIterable, Sendable {
        case start = "README.md: curl -X POST"
        case python = "README.md: import gzip"
        case swift = "README.md: import Foundation"
        case queries = "README.md: select device_id"
        case views = "sql/README.md: -- all devices"
        case watch = "deploy/README.md: sluice top"
        case archive = "deploy/README.md: sluice archive run"
        case days = "deploy/README.md: sluice days"
        case captures = "deploy/applications.md: curl -F file=@photo.jpg"
        case meals = "deploy/applications.md: curl -X POST"
        case journal = "deploy/applications.md: curl -F mood=happy"
        case grants = "deploy/failover.md: GRANT pg_monitor"

        func block() throws -> CodeBlock {
            let parts = rawValue.split(separator: ": ", maxSplits: 1)
            return try CodeBlock.named(String(parts[0]), String(parts[1]))
        }
    }

    /// The blocks that are not, and why. Their syntax and the files that they name are checked.
    private static let others = [
        "README.md: sudo apt install": "Tests/Scripts/run Package does it in a Debian of its own",
        "sql/README.md: sluice analyst create": "AnalystTests and ExportTests run these commands",
        "deploy/formats.md: sluice keys create": "KeysTests runs it",
        "deploy/agents.md: data_dir": "AgentTests sends what Vector does",
        "deploy/agents.md: service": "AgentTests sends what Fluent Bit does",
        "deploy/agents.md: [agent]": "AgentTests sends what Telegraf does",
        "deploy/agents.md: input": "AgentTests sends what Redpanda Connect does",
        "deploy/agents.md: exporters": "AgentTests sends what an SDK of OpenTelemetry does",
        "deploy/agents.md: BackgroundGeolocation": "AgentTests sends what the library does",
        "deploy/clients.md: import Foundation": "AdoptionTests compiles and runs it",
        "deploy/clients.md: import time": "DeviceQueueTests runs it",
        "deploy/clients.md: export SLUICE_KEY": "DeviceQueueTests runs it",
        "deploy/README.md: make package":
            "Tests/Scripts/run Package does it in a Debian of its own",
        "deploy/README.md: runuser": "Tests/Scripts/run Package does it in a Debian of its own",
        "deploy/README.md: sluice import": "ImportTests runs this command",
        "deploy/README.md: import duckdb": "ArchiveBucketTests runs it",
        "deploy/README.md: install": "changes the machine; the Deploy suite runs the unit",
        "deploy/README.md: docker":
            "there is no container engine; the Deploy suite reads the files",
        "deploy/README.md: kubectl": "there is no cluster; the Deploy suite reads the manifests",
        "deploy/failover.md: # on b": "takes two machines",
        "deploy/backup/README.md: echo BACKUP_DIRECTORY":
            "Tests/Scripts/run Package does it in a Debian of its own",
        "deploy/backup/README.md: deploy/backup/upgrade-postgres":
            "Tests/Scripts/run Upgrade does it in other directories",
        "deploy/backup/README.md: pg_dumpall":
            "Tests/Scripts/run Upgrade does it with other servers",
        "deploy/backup/README.md: install": "Tests/Scripts/run Backup does it in other directories",
        "deploy/backup/README.md: deploy/backup/back-up":
            "Tests/Scripts/run Backup does it in other directories",
        "deploy/backup/README.md: deploy/backup/restore":
            "Tests/Scripts/run Backup does it in other directories",
        "deploy/backup/README.md: PGAPPNAME=receiver":
            "Tests/Scripts/run Backup does it in other directories",
        "deploy/backup/README.md: export PGHOST":
            "Tests/Scripts/run Backup does it in other directories",
        "deploy/backup/README.md: data=": "takes the data directory of a stopped server",
    ]

    @Test func `each block is run here or listed with the reason why not`() {
        let names = Example.allCases.map(\.rawValue) + Self.others.keys
        var used: Set<String> = []
        for block in CodeBlock.all where !block.language.isEmpty {
            let found = names.filter { block.testDescription.hasPrefix($0) }
            #expect(found.count == 1, "\(block.testDescription)")
            used.formUnion(found)
        }
        #expect(Set(names).subtracting(used).sorted() == [], "there are no such blocks")
    }

    @Test(arguments: CodeBlock.all.filter { $0.language == "sh" })
    func `each block for the shell is understood by it and names files that exist`(
        _ block: CodeBlock
    ) async throws {
        let commands = block.steps.map(\.command).joined(separator: "\n")
        let outcome = try await Subprocess.run("/bin/bash", ["-n", "-c", commands])
        #expect(outcome.status == 0 && outcome.err == "", "\(outcome.err)")
        for match in commands.matches(of: #/(?:^|[\s"'=])((?:deploy|sql)\/[\w.\/-]+)/#) {
            let path = Project.file(String(match.1)).path()
            #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
        }
    }

    @Test(arguments: Example.allCases) func `a block does what is said`(
        _ example: Example
    ) async throws {
        let block = try example.block()
        switch example {
        case .start: try await start(block)
        case .python: try await python(block)
        case .swift: try await swift(block)
        case .queries, .views: try await query(block)
        case .watch: try await watch(block)
        case .archive: try await archive(block)
        case .days: try await days(block)
        case .captures: try await captures(block)
        case .meals, .journal: try await transcript(block)
        case .grants: try grant(block)
        }
    }

    // MARK: README

    private func start(_ block: CodeBlock) async throws {
        let (environment, _) = try Fixtures.environment("start")
        let place = try Place(environment)
        let server = try await RunningServer.start(environment: environment)
        let steps = block.steps
        let commands = steps.map(\.command).joined(separator: "\n")
        let outcome = try await place.run(
            commands.replacing("sudo ", with: "").replacing("/var/lib/sluice/", with: "var/"),
            server)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out.hasPrefix(steps[0].printed), "\(outcome)")
        #expect(!steps[0].printed.isEmpty && outcome.out.contains(" watch-7 "), "\(outcome)")
        #expect(try await server.end() == 0)
    }

    /// The rest is in ``ReadmeTests``.
    private func python(_ block: CodeBlock) async throws {
        guard let python = CaptureClient.python else { return }
        let (environment, settings) = try Fixtures.environment("python")
        let server = try await RunningServer.start(environment: environment)
        let program =
            block.text + """
                reading = {"t": "2026-02-10T14:57:07Z", "type": "vital", "code": 1}
                data = [reading | {"val": value} for value in (float("nan"), 72, float("-inf"))]
                batch = {"metadata": {"device_id": "d"}, "data": data}
                print(send("\(server.url)", "test-key", batch))
                """
        let outcome = try await Subprocess.run(python, ["-c", program])
        #expect(
            outcome.out.contains("'stored': 1, 'duplicates': 0, 'quarantined': 2"), "\(outcome)")
        #expect(outcome.out.contains("'reason': 'val_invalid', 'expected': 'val is 0 or a number"))
        #expect(try Fixtures.count("sluice.vital", settings) == 1)
        #expect(
            try Fixtures.count(
                "analytics.quarantine where body like '%\"val\": NaN}' or body like '%: -Infinity}'",
                settings) == 2)
        #expect(try await server.end() == 0)
    }

    private func swift(_ block: CodeBlock) async throws {
        let (environment, settings) = try Fixtures.environment("swift")
        let place = try Place(environment)
        let server = try await RunningServer.start(environment: environment)
        let program =
            block.text + """
                let url = URL(string: "\(server.url)")!
                let batch = Data(#"\(Fixtures.sample)"#.utf8)
                for _ in 0..<2 { try await send(batch, to: url, key: "test-key") }
                do {
                    try await send(batch, to: url, key: "wrong")
                } catch {
                    print("rejected")
                }
                """
        try Data(program.utf8).write(to: place.file("main.swift"))
        let outcome = try await place.run(
            "swiftc -swift-version 6 -warnings-as-errors main.swift -o client && ./client", server)
        #expect(outcome.status == 0 && outcome.out == "rejected\n", "\(outcome)")
        for table in ["gps", "vital", "event"] {
            #expect(try Fixtures.count("sluice.\(table)", settings) == 1)
        }
        #expect(try await server.end() == 0)
    }

    private func query(_ block: CodeBlock) async throws {
        let (environment, _) = try Fixtures.environment("queries")
        let server = try await RunningServer.start(environment: environment)
        #expect(try await server.post(Fixtures.sample).status == 200)
        let outcome = try await Subprocess.run(
            Subprocess.sluice, ["psql", "-v", "ON_ERROR_STOP=1", "-f", "-"],
            environment: environment, input: block.text)
        #expect(outcome.status == 0, "\(outcome)")
        let statements = block.text.split(separator: "\n").count { $0.contains(";") }
        #expect(outcome.out.matches(of: #/\(\d+ rows?\)/#).count == statements, "\(outcome.out)")
        #expect(outcome.out.contains("11111111-1111-1111-1111-111111111111"))
        #expect(try await server.end() == 0)
    }

    // MARK: deploy

    private func watch(_ block: CodeBlock) async throws {
        var (environment, _) = try Fixtures.environment("watch")
        let server = try await RunningServer.start(environment: environment)
        environment["SLUICE_PORT"] = server.url.split(separator: ":").last.map(String.init)
        let place = try Place(environment)
        for step in block.steps {
            let outcome = try await place.run(step.command, server)
            #expect((0...2).contains(outcome.status), "\(outcome)")
            #expect(
                outcome.out.split(separator: "\n").count > 5 && outcome.err.isEmpty, "\(outcome)")
        }
        #expect(try await server.end() == 0)
    }

    private func archive(_ block: CodeBlock) async throws {
        guard let python = CaptureClient.python else { return }
        var (environment, _) = try Fixtures.environment("archive-block")
        let place = try Place(environment)
        let server = try await RunningServer.start(environment: environment)
        for time in ["2026-01-01T10:00:00Z", "\(Fixtures.yesterday)T00:00:00Z"] {
            let reading = #"{"t":"\#(time)","type":"gps","lat":1,"lon":2}"#
            let answer = try await server.post(
                #"{"metadata":{"device_id":"watch"},"data":[\#(reading)]}"#)
            #expect(try answer.number("stored") == 1)
        }
        environment["SLUICE_RETENTION_DAYS"] = "30"
        environment["SLUICE_ARCHIVE_DIRECTORY"] = place.directory.path()
        try place.use(environment)
        let commands = block.steps.map(\.command).joined(separator: "\n")
            .replacing("| less", with: "| cat").replacing("python3", with: python)
        let outcome = try await place.run("set -e -o pipefail\n" + commands, server)
        #expect(outcome.status == 0, "\(outcome)")
        for part in [
            "archived", "gps_20260101.csv.zst", "1 files are whole", "restored",
            "2026-01-01 10:00", "('watch', 1, 2)", "device_id: string",
        ] {
            #expect(outcome.out.contains(part), "\(part): \(outcome)")
        }
        #expect(try await server.end() == 0)
    }

    private func days(_ block: CodeBlock) async throws {
        let (environment, settings) = try Fixtures.environment("days-block")
        let place = try Place(environment)
        let server = try await RunningServer.start(environment: environment)
        let readings = (0..<100).map {
            #"{"t":"2026-02-10T10:\#(10 + $0 % 50):0\#($0 / 50)Z","type":"gps","lat":1.5,"lon":2}"#
        }.joined(separator: ",")
        let body = #"{"metadata":{"device_id":"watch"},"data":[\#(readings)]}"#
        #expect(try await server.post(body).number("stored") == 100)
        let steps = block.steps.map(\.command)
        var forms: [Bool] = []
        for step in [steps[0], steps[1], steps[0], steps[2], steps[0]] {
            let outcome = try await place.run(step, server)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try Fixtures.count("sluice.gps", settings) == 100)
            if step == steps[0] { forms.append(outcome.out.contains("sealed")) }
        }
        #expect(forms == [false, true, false])
        // What is stored already is found in the packed form.
        #expect(try await place.run(steps[1], server).status == 0)
        #expect(try await server.post(body).number("duplicates") == 100)
        #expect(try await place.run(steps[3], server).out == "3 sealed days are whole\n")
        #expect(try await server.end() == 0)
    }

    private func captures(_ block: CodeBlock) async throws { try await transcript(block) }

    /// Runs the commands one after the other. What the document shows must be among what they
    /// print; news may come with a later connection.
    private func transcript(_ block: CodeBlock) async throws {
        guard let python = CaptureClient.python else { return }
        let (environment, _) = try Fixtures.environment("transcript")
        let place = try Place(environment)
        let server = try await RunningServer.start(environment: environment)
        /// By the ids that the document shows, those that the server gave.
        var ids: [String: String] = [:]
        for step in block.steps {
            var command = step.command.replacing("python3", with: python)
            for (shown, id) in ids { command = command.replacing(shown, with: id) }
            var said = ""
            let isGood = try await eventually(every: .seconds(1)) {
                let input = step.input.map { "printf '%s\\n' '\($0)'; " }.joined()
                let isSocket = !step.output.isEmpty
                let outcome = try await place.run(
                    isSocket ? "(\(input)sleep 5) | \(command)" : command + " -sS --fail", server)
                said += outcome.out
                return outcome.status == 0
                    && step.output.allSatisfy {
                        CodeBlock.shows(place.local($0, server), in: said)
                    }
                    && CodeBlock.shows(place.local(step.printed, server), in: said)
            }
            #expect(isGood, "\(step.command): \(said)")
            for match in step.printed.matches(of: #/files\/([0-9a-f]{8}…)/#) {
                let id = try #require(said.firstMatch(of: #/files\/([0-9a-f]{32})/#))
                ids[String(match.1)] = String(id.1)
            }
        }
        #expect(try await server.end() == 0)
    }

    private func grant(_ block: CodeBlock) throws {
        let server = try TestServer()
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        try connection.execute(
            "CREATE ROLE plain; " + block.text.replacing("TO writer", with: "TO plain"))
        let can = try connection.query(
            "SELECT pg_has_role('plain', 'pg_monitor', 'member') "
                + "AND has_parameter_privilege('plain', 'sluice.accepted', 'SET')")
        #expect(can.bool(0, 0))
    }

    /// A directory where somebody works: with the programs, a photo and the key of the server.
    private struct Place {
        let directory: URL
        private let environment: Environment

        private final class Environment: @unchecked Sendable {
            // Only one test uses it.
            var variables: [String: String] = [:]
        }

        init(_ variables: [String: String]) throws {
            directory = URL(filePath: TestCluster.freshDirectory(), directoryHint: .isDirectory)
            environment = Environment()
            for path in ["bin", "var"] {
                try FileManager.default.createDirectory(
                    at: file(path), withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(
                atPath: file("bin/sluice").path(), withDestinationPath: Subprocess.sluice)
            try Data("test-key".utf8).write(to: file("var/ingest.key"))
            try Data(HostilePicture.jpeg(width: 640, height: 480)).write(to: file("photo.jpg"))
            try use(variables)
        }

        func use(_ variables: [String: String]) throws {
            let path = Subprocess.bareEnvironment["PATH"] ?? ""
            environment.variables = variables.merging(["PATH": "\(file("bin").path()):\(path)"]) {
                $1
            }
        }

        func file(_ path: String) -> URL { directory.appending(path: path) }

        /// The same text with the server's address in the place of the default one.
        func local(_ text: String, _ server: RunningServer) -> String {
            text.replacing("127.0.0.1:8080", with: server.url.replacing("http://", with: ""))
        }

        /// Runs a script there, against that server.
        func run(_ script: String, _ server: RunningServer) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                "/bin/bash", ["-c", "cd '\(directory.path())' && \(local(script, server))"],
                environment: environment.variables)
        }
    }
}
