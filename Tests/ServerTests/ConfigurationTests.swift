import Analysis
import HTTP
import Foundation
import Ingest
import Instruments
import Media
import Retention
import TestSupport
import Testing
import Uploads

@testable import Assembly
@testable import Server

@Suite struct ConfigurationTests {
    private func problems(_ sources: ConfigurationSources) -> [String] {
        do throws(ConfigurationProblems) {
            _ = try sources.read()
            return []
        } catch {
            return error.problems.map { "\($0.key): \($0.rule) \($0.found ?? "-")" }
        }
    }

    @Test func `the command line overrides environment, file and default`() throws {
        let file = (path: "f", text: "SLUICE_LANES=3\nSLUICE_PORT=3\nSLUICE_HOST=file\n")
        let environment = ["SLUICE_LANES": "2", "SLUICE_PORT": "2"]
        let configuration = try ConfigurationSources(
            apps: Product.apps,
            commandLine: [("SLUICE_LANES", "9"), ("SLUICE_LANES", "1")], environment: environment,
            file: file
        ).read()
        #expect(configuration.ingestion.lanes == 1)
        #expect(configuration.edge.port == 2)
        #expect(configuration.edge.host == "file")
        #expect(configuration.dataDirectory == "./var")
    }

    @Test func `a blank value counts as not set`() throws {
        let configuration = try ConfigurationSources(
            apps: Product.apps,
            environment: ["SLUICE_PORT": "  ", "INGEST_API_KEY": "", "DATABASE_URL": ""],
            file: ("f", "SLUICE_PORT=7000\nINGEST_API_KEY=k")
        ).read()
        #expect(configuration.edge.port == 7000)
        #expect(configuration.databaseURL == nil)
        #expect(configuration.ingestKeys?.revealed() == "k")
    }

    @Test(arguments: [
        ("MEDIA_STORE", "s3:/ann:s3cret@host/bucket"),
        ("MEDIA_STORE", "s3//ann:s3cret@host"), ("MEDIA_STORE", "ann:s3cret@host?x=1@2"),
        ("GEMINI_BASE_URL", "ftp://ann:s3c@ret@host/v1"), ("GEMINI_BASE_URL", "host?key=s3cret"),
        ("SLUICE_PUBLIC_URL", "ann:s3cret@host?token=s3cret"),
        ("GEMINI_BASE_URL", "ftp://host/x#s3cret"), ("MEDIA_STORE", "s3:/ann:s3c?r#et@host#s3c"),
    ])
    func `a refused URL is shown without its credentials`(key: String, value: String) {
        let found = problems(ConfigurationSources(apps: Product.apps, environment: [key: value]))
            .joined()
        #expect(found.hasPrefix("\(key): "))
        #expect(found.contains("(hidden)") && !found.contains("s3c"), "\(found)")
    }

    @Test func `all problems are reported at once, with key and rule, and no secret`() {
        let found = problems(
            ConfigurationSources(
                apps: Product.apps,
                commandLine: [("SLUICE_NONE", "1")],
                environment: [
                    "SLUICE_PORT": "http", "SLUICE_LANES": "-1", "SLUICE_PATIENCE": "5",
                    "SLUICE_BODY_BYTES_MAX": "1GiB", "SLUICE_LOG_LEVEL": "loud",
                    "DATABASE_URL": "s3cret", "INGEST_API_KEY": "s3cret\u{7F}",
                ],
                file: ("conf", "# a\n\nSLUICE_HSOT=x\nnonsense\nSLUICE_HOST=a\nSLUICE_HOST=b")))
        #expect(
            Set(found.map { $0.split(separator: " ")[0] }) == [
                "SLUICE_NONE:", "conf:3:", "conf:4:", "conf:6:", "SLUICE_PORT:", "DATABASE_URL:",
                "INGEST_API_KEY:", "SLUICE_PATIENCE:", "SLUICE_LANES:", "SLUICE_LOG_LEVEL:",
                "SLUICE_IN_FLIGHT_BYTES_MAX:",
            ])
        #expect(found.contains("SLUICE_PORT: must be a whole number from 0 to 65535 http"))
        #expect(!found.joined().contains("s3cret"))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `a file has the line breaks of any system, and quotes around whole values`(
        lineBreak: String
    ) throws {
        let lines = [
            "# A comment", "", "SLUICE_LANES=3", #"SLUICE_DATA_DIR="/srv/x y""#,
            "SLUICE_HOST = 'a' ", #"SLUICE_PORT="""#, #"SLUICE_INGEST_API_KEY=k"y"#, "",
        ]
        let configuration = try ConfigurationSources(
            apps: Product.apps, file: ("f", lines.joined(separator: lineBreak))
        ).read()
        #expect(configuration.ingestion.lanes == 3)
        #expect(configuration.dataDirectory == "/srv/x y")
        #expect(configuration.edge.host == "a" && configuration.edge.port == 8080)
        #expect(configuration.ingestKeys?.revealed() == "k\"y")
    }

    @Test(arguments: [#""s3cret"#, "'s3cret", "\"", #""s3cret" # c"#, #""s3"cret""#, #"'s3cret""#])
    func `a lone quote is a fault, with its line, and the value is not shown`(value: String) {
        let text = "SLUICE_LANES=3\nSLUICE_INGEST_API_KEY=\(value)\n"
        let found = problems(ConfigurationSources(apps: Product.apps, file: ("f", text)))
        #expect(
            found == [
                "f:2: SLUICE_INGEST_API_KEY: must end with the quote that it begins with -"
            ])
    }

    @Test func `a wrong value in a file is reported with its line`() {
        let text = "SLUICE_LANES=3\n\nSLUICE_PORT=http\nSLUICE_JWT_SECRET_FILE=/nowhere/s\n"
        let found = problems(ConfigurationSources(apps: Product.apps, file: ("f", text)))
        #expect(found.count == 2)
        #expect(
            found.first == "f:3: SLUICE_PORT: must be a whole number from 0 to 65535 http")
        #expect(
            found.last?.hasPrefix("f:4: SLUICE_JWT_SECRET_FILE: must be a readable file") == true)
    }

    @Test func `unknown names with our prefix in the environment are noticed, others are not`() {
        let sources = ConfigurationSources(
            apps: Product.apps,
            environment: [
                "SLUICE_HSOT": "x", "SLUICE_CONFIG": "y", "PATH": "z", "SLUICE_PORT": "1",
            ])
        #expect(
            sources.unknownEnvironmentKeys.map { "\($0.key): \($0.fault)" } == [
                "SLUICE_HSOT: there is no such setting; did you mean SLUICE_HOST?"
            ])
        #expect(problems(sources).isEmpty)
    }

    @Test func `the values in force are shown with their source, and secrets are hidden`() throws {
        let found = try ConfigurationSources(
            apps: Product.apps,
            commandLine: [("SLUICE_PORT", "1"), ("SLUICE_HOST", " ")],
            environment: ["SLUICE_PORT": "2", "SLUICE_LANES": "3", "INGEST_API_KEY": "s3cret"],
            file: ("conf", "SLUICE_HOST=a\nSLUICE_LANES=4")
        ).inForce().filter { $0.origin != .byDefault }
        #expect(
            found.map { "\($0.setting.key) \($0.text) \($0.origin)" } == [
                #"SLUICE_HOST a file(path: "conf")"#, "SLUICE_PORT 1 commandLine",
                "SLUICE_INGEST_API_KEY (hidden) environment", "SLUICE_LANES 3 environment",
            ])
    }

    @Test func `every setting begins with the program's name, and lists no time without a unit`() {
        for setting in Product.settings.all {
            #expect(setting.key.hasPrefix("SLUICE_"))
            #expect(!setting.key.hasSuffix("_DAYS") && !setting.key.hasSuffix("_SECONDS"))
        }
    }

    @Test func `former names are read, and said to be former`() throws {
        let sources = ConfigurationSources(
            apps: Product.apps,
            environment: ["INGEST_API_KEY": "k", "MEAL_PARSER": "local"],
            file: (
                "f",
                "SLUICE_RETENTION_DAYS=30\nSLUICE_ARCHIVE_DIRECTORY=none\nSLUICE_QUARANTINE_DAYS=7d"
            ))
        let configuration = try sources.read()
        #expect(configuration.ingestKeys?.revealed() == "k")
        #expect(configuration.retention.readingDays == 30)
        #expect(configuration.retention.quarantineDays == 7)
        #expect(
            sources.formerKeys.map { "\($0.key) \($0.fault)" } == [
                "INGEST_API_KEY is now called SLUICE_INGEST_API_KEY",
                "SLUICE_RETENTION_DAYS is now called SLUICE_RETENTION, and takes a unit: 90d",
                "SLUICE_QUARANTINE_DAYS is now called SLUICE_QUARANTINE_RETENTION, and takes a "
                    + "unit: 90d",
                "MEAL_PARSER is now called SLUICE_MEAL_PARSER",
            ])
        let both = ConfigurationSources(
            apps: Product.apps,
            environment: ["INGEST_API_KEY": "another program's", "SLUICE_INGEST_API_KEY": "new"])
        #expect(try both.read().ingestKeys?.revealed() == "new" && both.formerKeys.isEmpty)
    }

    @Test func `a secret may be in a file or a credential, and no other setting`() throws {
        let directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func file(_ name: String, _ text: String) throws -> String {
            let url = directory.appendingPathComponent(name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let secret = String(repeating: "s3", count: 16)
        let environment = ["CREDENTIALS_DIRECTORY": directory.path]
        _ = try file("SLUICE_JWT_SECRET", secret + "\n")
        _ = try file("SLUICE_PORT", "1")
        let key = try file("key", "from a file\n".replacing(" ", with: "-"))
        let configuration = try ConfigurationSources(
            apps: Product.apps, environment: environment,
            file: ("f", "SLUICE_INGEST_API_KEY_FILE=\(key)\nSLUICE_JWT_SECRET=weaker")
        ).read()
        #expect(configuration.callers.tokenSecret?.revealed() == secret)
        #expect(configuration.ingestKeys?.revealed() == "from-a-file")
        #expect(configuration.edge.port == 8080)
        let found = problems(
            ConfigurationSources(
                apps: Product.apps,
                environment: [
                    "SLUICE_INGEST_API_KEY_FILE": key, "SLUICE_INGEST_API_KEY": "s3cret",
                    "SLUICE_APP_KEYS_FILE": directory.path + "/none",
                    "SLUICE_JWT_SECRET_FILE": try file("short", "s3cret"),
                ], file: ("f", "SLUICE_PORT_FILE=\(key)")))
        #expect(
            Set(found.map { $0.split(separator: " ")[0] }) == [
                "SLUICE_INGEST_API_KEY_FILE:", "SLUICE_APP_KEYS_FILE:", "SLUICE_JWT_SECRET_FILE:",
                "f:1:",
            ], "\(found)")
        #expect(!found.joined().contains("s3cret"))
    }

    @Test func `for a misspelt word only a similar one is suggested`() {
        func nearest(_ word: String) -> String? {
            Suggestion.nearest(to: word, among: ["serve", "spool", "keys", "top"])
        }
        #expect(nearest("sreve") == "serve" && nearest("sevre") == "serve")
        #expect(nearest("spol") == "spool" && nearest("key") == "keys")
        #expect(nearest("pot") == nil && nearest("") == nil && nearest("inspect") == nil)
    }

    @Test func `days are sealed by default where the database has all that it needs`() throws {
        let given = ["SLUICE_DATABASE_URL": "postgresql://x/y"]
        for (environment, days) in [
            ([:], 2), (given, 0), (given.merging(["SLUICE_SEAL_AFTER": "3d"]) { $1 }, 3),
            (["SLUICE_SEAL_AFTER": "0d"], 0), (["SLUICE_SEAL_AFTER": " "], 2),
        ] as [([String: String], Int)] {
            let sources = ConfigurationSources(apps: Product.apps, environment: environment)
            #expect(try sources.read().fittingRetention.sealAfterDays == days)
            let shown = try sources.inForce().first { $0.setting.key == "SLUICE_SEAL_AFTER" }
            #expect(shown?.text == "\(days)d")
        }
        for text in ["2", "-1d", "36501d", "1h"] {
            let sources = ConfigurationSources(
                apps: Product.apps, environment: ["SLUICE_SEAL_AFTER": text])
            #expect(throws: ConfigurationProblems.self, "\(text)") { try sources.read() }
        }
    }

    @Test func `every default satisfies its own rule`() throws {
        let defaults = Product.settings.all.filter { !$0.defaultText.isEmpty }
        let configuration = try ConfigurationSources(
            apps: Product.apps,
            commandLine: defaults.map { ($0.key, $0.defaultText) }
        ).read()
        #expect(configuration.edge.faults.isEmpty)
        for setting in defaults {
            var again = configuration
            #expect(setting.apply(setting.defaultText, &again), "\(setting.key)")
        }
    }

    @Test func `retention needs an archive directory`() throws {
        func found(_ directory: String) -> [String] {
            problems(
                ConfigurationSources(
                    apps: Product.apps,
                    environment: [
                        "SLUICE_RETENTION_DAYS": "30", "SLUICE_ARCHIVE_DIRECTORY": directory,
                    ]))
        }
        #expect(found("").count == 1)
        #expect(found("").joined().contains("SLUICE_ARCHIVE_DIRECTORY"))
        #expect(found("none").isEmpty && found("/var/lib/archive").isEmpty)
        // A bucket needs its keys.
        #expect(found("s3://bucket/a?endpoint=http://127.0.0.1:1").count == 2)
        for text in ["s3:/bucket", "s3://b", "file:archive"] {
            #expect(found(text).joined().contains("a directory, s3://bucket/prefix"), "\(text)")
        }
    }

    @Test func `answers that wait for standbys need a spool`() {
        for key in ["SLUICE_SPOOL_BYTES_MAX", "SLUICE_UNREPLICATED_BYTES_MAX"] {
            let found = problems(
                ConfigurationSources(
                    apps: Product.apps,
                    environment: ["SLUICE_DURABILITY": "replicated", key: "0"]))
            #expect(found.count == 1 && found.joined().contains(key), "\(found)")
        }
    }

    @Test func `a spool that is switched off is said to keep no commits for standbys`() throws {
        func cautions(_ environment: [String: String]) throws -> [String] {
            Settings.cautions(
                of: try ConfigurationSources(apps: Product.apps, environment: environment)
                    .configuration()
            )
            .map { "\($0.key) \($0.rule)" }
        }
        let url = "postgres://db.example/telemetry"
        let found = try cautions(["SLUICE_SPOOL_BYTES_MAX": "0", "DATABASE_URL": url])
        #expect(
            found.count == 1 && found.joined().contains("turns SLUICE_UNREPLICATED_BYTES_MAX off"))
        #expect(try cautions(["DATABASE_URL": url]).isEmpty)
        let both = [
            "SLUICE_SPOOL_BYTES_MAX": "0", "SLUICE_UNREPLICATED_BYTES_MAX": "0",
            "DATABASE_URL": url,
        ]
        #expect(try cautions(both).isEmpty)
    }

    @Test func `every field of the configurations has its key`() throws {
        // Labels of the structs that settings fill. Fields that are no settings are listed here.
        let fixed: Set<String> = [
            "deviceIDCharactersMax", "attributeCharactersMax", "labelBytesMax", "valueTextBytesMax",
            "metadataBytesMax", "given", "metadataExponentMax", "metadataGrowthMax",
            "renameWaitMax",
            "detachWaitMax", "quietDaysMax", "droppedDaysMax", "surplusMax", "downloadsMax",
            "narrowAfter", "apps", "groups",
        ]
        // Fields that are set through `applications`, or from other fields.
        let derived: Set<String> = [
            "tls", "publicURL", "trustedProxies", "mediaBase", "photoHosts", "key", "credentials",
        ]
        // Structs that are checked on their own.
        let nested: Set<String> = [
            "edge", "ingestion", "limits", "spool", "callers", "sockets", "gemini", "retention",
        ]
        let configuration = ServiceConfiguration(apps: Product.apps)
        func labels(_ value: Any) -> [String] {
            Mirror(reflecting: value).children.compactMap(\.label)
        }
        let structs: [Any] = [
            configuration, configuration.edge, configuration.edge.sockets,
            configuration.routes, configuration.ingestion, configuration.limits,
            configuration.spool, configuration.jobs, configuration.analysis,
            configuration.retention,
        ]
        let outer = structs.flatMap(labels) + (try Self.geminiVariables())
        let fields =
            outer.filter { !fixed.union(derived).union(nested).contains($0) }
            + labels(configuration.applications) + labels(configuration.callers)
            // The only field of the inspector's that is a setting.
            + labels(configuration.inspector).filter { $0 == "secondsPerHour" }
        #expect(Set(outer).isSuperset(of: nested.union(derived)), "one of them is gone")
        #expect(fields.count == Product.settings.all.count, "\(fields)")
        #expect(Set(Product.settings.all.map(\.key)).count == Product.settings.all.count)
    }

    /// The struct hides its fields from mirrors because of the key, so they are read from its
    /// source.
    private static func geminiVariables() throws -> [String] {
        let path = Project.file("Sources/Apps/LanguageModels/Gemini/GeminiConfiguration.swift")
        let source = try String(contentsOf: path, encoding: .utf8)
        return source.matches(of: #/(?m)^    public var (\w+) =|^    public var (\w+): \w+ =/#)
            .compactMap { ($0.1 ?? $0.2).map(String.init) }
    }

    @Test func `no value that its rule allows is a fault later`() throws {
        var tried = 0
        for setting in Product.settings.all {
            guard let range = setting.rule.firstMatch(of: #/from (\S+) to (\S+)$/#) else {
                continue
            }
            for bound in [range.1, range.2] {
                var configuration = ServiceConfiguration(apps: Product.apps)
                #expect(setting.apply(String(bound), &configuration), "\(setting.key)=\(bound)")
                guard Settings.contradictions(of: configuration).isEmpty else { continue }
                #expect(configuration.fittingEdge.faults.isEmpty, "\(setting.key)=\(bound)")
                #expect(configuration.fittingRoutes.faults.isEmpty, "\(setting.key)=\(bound)")
                tried += 1
            }
        }
        #expect(tried > 150)
    }

    @Test(arguments: [
        ("SLUICE_PUBLIC_URL", "https://"), ("SLUICE_PUBLIC_URL", "http://a b"),
        ("SLUICE_PUBLIC_URL", "ftp://a"), ("SLUICE_PUBLIC_URL", "https://a?b"),
        ("SLUICE_PUBLIC_URL", "https://a:port"), ("SLUICE_PUBLIC_URL", "https://a:65536"),
        ("SLUICE_PUBLIC_URL", "https://a:"), ("SLUICE_PUBLIC_URL", "https://:80"),
        ("SLUICE_PUBLIC_URL", "https://a:+80"), ("SLUICE_PUBLIC_URL", "https://[::1"),
        ("SLUICE_PUBLIC_URL", "https://a:1:2"), ("SLUICE_PUBLIC_URL", "https://::1"),
        ("GEMINI_BASE_URL", "generativelanguage"), ("GEMINI_MODEL", "../x"),
        ("MEDIA_STORE", "s3:x"), ("SLUICE_PHOTO_HOSTS", "a/b"),
        ("SLUICE_JWT_SECRET", "too short a secret"), ("SLUICE_TLS_CERT", "a.pem"),
        ("SLUICE_TLS_KEY", "a.pem"), ("SLUICE_ANALYSER", "gemini"), ("MEAL_PARSER", "gemini"),
        ("SLUICE_JOB_PAUSE_MIN", "2h"), ("SLUICE_ANALYSIS_RETRY_DELAY", "12h"),
    ])
    func `an unusable value is a problem of the configuration`(_ key: String, _ value: String) {
        #expect(
            !problems(ConfigurationSources(apps: Product.apps, environment: [key: value])).isEmpty)
    }

    @Test func `a public URL is accepted with a path and without its last slash`() throws {
        let configuration = try ConfigurationSources(
            apps: Product.apps,
            environment: ["SLUICE_PUBLIC_URL": "HTTPS://a.example:8443/sluice/"]
        ).read()
        #expect(configuration.fittingRoutes.faults.isEmpty)
        #expect(configuration.fittingAnalysis.mediaBase == "HTTPS://a.example:8443/sluice/media/")
    }

    @Test func `the example file has every key with its default, and sets nothing`() throws {
        let path = Project.file("deploy/sluice.conf.example").path()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for setting in Product.settings.all {
            #expect(
                text.contains("\n#\(setting.key)=\(setting.defaultText)\n"), "\(setting.key)")
        }
        #expect(text == Product.settings.exampleFile, "write it anew: sluice config >\(path)")
        let configuration = try ConfigurationSources(apps: Product.apps, file: (path, text)).read()
        #expect(configuration.edge.port == 8080)
        // With the comment sign before every key removed, the file is still valid.
        let active = text.replacing(#/(?m)^#(?=[A-Z_]+=)/#, with: "")
        #expect(
            try ConfigurationSources(apps: Product.apps, file: (path, active)).read().logFormat
                == .logfmt)
    }

    @Test func `secrets are never shown`() throws {
        let secrets = Product.settings.all.filter(\.isSecret).map(\.key)
        #expect(secrets.count >= 8)
        var environment = Dictionary(
            uniqueKeysWithValues: secrets.map { ($0, "s3cret of more than thirty-two bytes") })
        environment["SLUICE_INGEST_API_KEY"] = "s3cret"
        environment["SLUICE_DATABASE_URL"] = "postgresql://u:s3cret@h/d"
        environment["SLUICE_COORDINATOR_URL"] = "postgresql://u:s3cret@h/d"
        environment["SLUICE_MEDIA_STORE"] = "s3://bucket?endpoint=http://127.0.0.1:1"
        let configuration = try ConfigurationSources(apps: Product.apps, environment: environment)
            .read()
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(configuration.access, to: &dumped)
        dump(configuration.fittingAnalysis, to: &dumped)
        let media = configuration.media(in: DataDirectory("x"))
        dump(media, to: &dumped)
        dumped += "\(media) \(configuration.fittingAnalysis) \(configuration.access)"
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("s3cret"))
        }
        #expect(configuration.ingestKeys?.revealed() == "s3cret")
    }

    @Test func `config show prints values with their sources, hides secrets and warns of typos`()
        async throws
    {
        let shown = try await Subprocess.sluice(
            "config", "show", "--changed", "--set", "SLUICE_LANES=3",
            environment: ["SLUICE_PROT": "1", "SLUICE_INGEST_API_KEY": "s3cret"])
        #expect(shown.status == 0)
        #expect(
            shown.err
                == "sluice: SLUICE_PROT: there is no such setting; did you mean SLUICE_PORT?\n")
        let rows = shown.out.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
        let lanes = rows.first { $0.first == "SLUICE_LANES" }
        #expect(lanes.map { $0[1] == "3" && $0[2].hasSuffix("command line") } == true)
        #expect(shown.out.contains("INGEST_API_KEY") && !shown.out.contains("s3cret"))
    }
}
