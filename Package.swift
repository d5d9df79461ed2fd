// swift-tools-version: 6.2
import PackageDescription

// `Sources/` has a folder for each part of the program: Edge (requests in), Pipeline (from requests
// to rows), Database (PostgreSQL), Apps, Operations, the command, and below them Basics and System.
// A target imports only targets above it. The opening comment of a target's main file says what it
// does.

// `make check` and CI set this. For everybody else a newer compiler's warnings must not break the
// build.
let warningsAreErrors = Context.environment["SLUICE_WARNINGS_AS_ERRORS"] == "1"

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let embedText: [Target.PluginUsage] = [.plugin(name: "EmbedText")]

let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(
    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "sluice",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "sluice", targets: ["sluice"]),
        // The server starts it for each uploaded file. It alone links what reads pictures.
        .executable(name: "sluice-inspect", targets: ["sluice-inspect"]),
        // The next two are for the nested Benchmarks package only.
        .library(
            name: "SluiceCore",
            targets: ["Digests", "Encodings", "Readings", "Scanning", "Postgres", "Spooling"]),
        .library(name: "SluiceLoad", targets: ["Fleet", "Load"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // System libraries: module maps only.
        .systemLibrary(
            name: "CLibpq", path: "Sources/System/CLibpq", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CLZ4", path: "Sources/System/CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CGExiv2", path: "Sources/System/CGExiv2", pkgConfig: "gexiv2",
            providers: [.apt(["libgexiv2-dev"])]),
        .systemLibrary(
            name: "CGD", path: "Sources/System/CGD", pkgConfig: "gdlib",
            providers: [.apt(["libgd-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CEpoll", path: "Sources/System/CEpoll"),

        // Embeds text files of a target in its code: SQL, pages, tables of words.
        .plugin(name: "EmbedText", capability: .buildTool(), path: "Sources/System/EmbedText"),

        // Basics, used by everything: text, dates, tables of words, files, child processes.
        .target(name: "JSONText", path: "Sources/Basics/JSONText", swiftSettings: strict),
        .target(name: "Times", path: "Sources/Basics/Times", swiftSettings: strict),
        .target(name: "Encodings", path: "Sources/Basics/Encodings", swiftSettings: strict),
        .target(name: "TextTables", path: "Sources/Basics/TextTables", swiftSettings: strict),
        .target(
            name: "Digests", dependencies: ["COpenSSL"], path: "Sources/Basics/Digests",
            swiftSettings: strict),
        .target(name: "Files", path: "Sources/Basics/Files", swiftSettings: strict),
        .target(name: "Processes", path: "Sources/Basics/Processes", swiftSettings: strict),

        // Pipeline: from bytes to groups of rows. A batch passes Edge, Scanning, Ingestion and
        // Postgres.
        .target(
            name: "Readings", dependencies: ["Digests", "Times"],
            path: "Sources/Pipeline/Readings", swiftSettings: strict),
        .target(
            name: "Scanning", dependencies: ["JSONText", "Readings", "Times"],
            path: "Sources/Pipeline/Scanning", swiftSettings: strict),
        .target(
            name: "Channels", dependencies: [deques], path: "Sources/Pipeline/Channels",
            swiftSettings: strict),
        .target(
            name: "Spooling", dependencies: ["CLZ4", "CZlib", "Files"],
            path: "Sources/Pipeline/Spooling", swiftSettings: strict),

        // Database: sessions with PostgreSQL, the schema, work after a commit, and notifications of
        // it. The schema is numbered migrations; list a new one in sql/Schema.swift, and its tables
        // in sql/Tables.swift.
        .target(
            name: "Schema", dependencies: ["Readings"], path: "sql",
            exclude: ["README.md", "queries"], swiftSettings: strict, plugins: embedText),
        .target(
            name: "Postgres",
            dependencies: ["CLibpq", "Digests", "Encodings", "Files", "Processes", "Schema"],
            path: "Sources/Database/Postgres", swiftSettings: strict),

        .target(
            name: "Instruments", dependencies: ["JSONText", logging],
            path: "Sources/Operations/Instruments", swiftSettings: strict),
        .target(
            name: "Access",
            dependencies: [
                "COpenSSL", "Digests", "Encodings", "Postgres", "Readings", lifecycle, logging,
            ],
            path: "Sources/Operations/Access", swiftSettings: strict),
        .target(
            name: "Ingestion",
            dependencies: [
                "Access", "Channels", "Instruments", "Postgres", "Readings", "Scanning", "Spooling",
                deques, logging,
            ], path: "Sources/Pipeline/Ingestion", swiftSettings: strict),
        .target(
            name: "Jobs",
            dependencies: ["Instruments", "Postgres", "Readings", lifecycle, logging],
            path: "Sources/Database/Jobs", swiftSettings: strict),
        .target(
            name: "Notices", dependencies: ["Instruments", "Postgres", lifecycle, logging],
            path: "Sources/Database/Notices", swiftSettings: strict),

        // The apps of users.
        .target(
            name: "Captures",
            dependencies: ["Ingestion", "JSONText", "Postgres", "Readings", "Scanning", "Times"],
            path: "Sources/Apps/Captures", swiftSettings: strict),
        .target(
            name: "Gemini", dependencies: ["Times", httpClient, nio, nioHTTP1],
            path: "Sources/Apps/LanguageModels/Gemini", swiftSettings: strict),
        .target(
            name: "Meals",
            dependencies: [
                "Gemini", "Ingestion", "Jobs", "JSONText", "Postgres", "Readings", "Scanning",
                "TextTables",
            ], path: "Sources/Apps/Meals",
            swiftSettings: strict, plugins: embedText),
        // Uploaded files are read in a process of their own, `sluice-inspect`: `Inspecting` is that
        // process, `Inspections` what it and the server say to each other.
        .target(
            name: "Inspections", path: "Sources/Apps/Inspection/Inspections",
            swiftSettings: strict),
        .target(
            name: "Inspecting", dependencies: ["CGD", "CGExiv2", "CZlib", "Inspections", "Times"],
            path: "Sources/Apps/Inspection/Inspecting", swiftSettings: strict),
        .executableTarget(
            name: "sluice-inspect", dependencies: ["Inspecting"], swiftSettings: strict),
        .target(
            name: "Media",
            dependencies: [
                "Access", "Digests", "Encodings", "Files", "Ingestion", "Inspections",
                "Instruments", "Postgres", "Processes", "Times", httpClient, lifecycle, logging,
                nio,
                nioHTTP1,
            ], path: "Sources/Apps/Media", swiftSettings: strict),
        .target(
            name: "Analysis",
            dependencies: [
                "Encodings", "Gemini", "Inspections", "Jobs", "Media", "Postgres", "Readings",
                "TextTables", "Times",
                httpClient, logging, nio, nioHTTP1,
            ], path: "Sources/Apps/Analysis",
            swiftSettings: strict, plugins: embedText),

        // Operations: targets for operators and analysts.
        .target(
            name: "Status", dependencies: ["Instruments", "JSONText", "Readings", lifecycle],
            path: "Sources/Operations/Status", swiftSettings: strict),
        .target(
            name: "Diagnosis", dependencies: ["Analytics", "Postgres", "Readings", "Schema"],
            path: "Sources/Operations/Diagnosis", swiftSettings: strict),
        .target(
            name: "Erasure", dependencies: ["Postgres", "Readings", "Schema"],
            path: "Sources/Operations/Erasure", swiftSettings: strict),
        .target(
            name: "Analytics", dependencies: ["Files", "JSONText", "Postgres", "Readings"],
            path: "Sources/Operations/Analytics", swiftSettings: strict),
        .target(
            name: "Retention",
            dependencies: [
                "CLZ4", "Digests", "Encodings", "Files", "Instruments", "Postgres", "Readings",
                "Schema", "Times", lifecycle, logging,
            ], path: "Sources/Operations/Retention", swiftSettings: strict),

        // `sluice load`: the simulated devices, and the generator that sends their readings.
        .target(
            name: "Fleet", dependencies: ["Readings"], path: "Sources/Operations/Fleet",
            swiftSettings: strict),
        .target(
            name: "Load",
            dependencies: ["CEpoll", "COpenSSL", "Fleet", "Readings", arguments, deques],
            path: "Sources/Operations/Load", swiftSettings: strict),

        // Edge: connections, the ingest path, routes, sockets, the status page. It is here because
        // it uses all of the above.
        .target(
            name: "Edge",
            dependencies: [
                "Access", "Captures", "CLZ4", "CZlib", "Encodings", "Ingestion", "Inspections",
                "Instruments", "JSONText", "Meals", "Media", "Notices", "Postgres", "Readings",
                "Scanning", "Status", "Times", deques, httpTypes, hummingbird, hummingbirdCore,
                lifecycle,
                logging, nio, nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL,
                nioTLS, nioWebSocket,
            ],
            swiftSettings: strict, plugins: embedText),

        // The assembled server, and the command.
        .target(
            name: "SluiceService",
            dependencies: [
                "Access", "Analysis", "Analytics", "Captures", "Diagnosis", "Edge", "Encodings",
                "Erasure", "Files",
                "Gemini", "Ingestion", "Instruments", "Jobs", "JSONText", "Meals", "Media",
                "Notices", "Postgres", "Readings", "Retention", "Scanning", "Spooling", "Status",
                "TextTables", httpClient, lifecycle, logging, nio, nioHTTP1, nioSSL,
            ], path: "Sources/Operations/Service", swiftSettings: strict),
        .executableTarget(
            name: "sluice",
            dependencies: [
                "Access", "Analytics", "Diagnosis", "Edge", "Erasure", "Instruments", "Jobs",
                "Load",
                "Meals", "Media", "Postgres", "Readings", "Retention", "SluiceService", "Spooling",
                "Status", "TextTables", "Times", arguments, logging,
            ], swiftSettings: strict),

        // Tests in the same order, after the modules that they share.
        .target(
            name: "TestSupport",
            dependencies: ["CGD", "COpenSSL", "Digests", "Encodings", "Ingestion", "Postgres"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "ScanningSupport", dependencies: ["Readings", "Scanning"],
            path: "Tests/Pipeline/ScanningSupport", swiftSettings: strict),
        .target(
            name: "SpoolingSupport", dependencies: ["Spooling"],
            path: "Tests/Pipeline/SpoolingSupport", swiftSettings: strict),
        .target(
            name: "GeminiSupport", dependencies: [nio, nioHTTP1, nioPosix],
            path: "Tests/Apps/GeminiSupport", swiftSettings: strict),
        .executableTarget(
            name: "job-worker", dependencies: ["Instruments", "Jobs", "Postgres", logging],
            path: "Tests/Database/JobWorker", swiftSettings: strict),

        // The simulation: the whole core in one process, where a seed decides what happens next.
        .target(
            name: "Simulation",
            dependencies: [
                "Access", "Ingestion", "Instruments", "Postgres", "Readings", "Scanning",
                "ScanningSupport", "Spooling", "SpoolingSupport", logging,
            ], path: "Tests/Simulation/Simulation", swiftSettings: strict),
        .executableTarget(
            name: "sluice-simulate", dependencies: ["ScanningSupport", "Simulation", arguments],
            path: "Tests/Simulation/Simulate", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["ScanningSupport", "Simulation", "sluice-simulate"],
            path: "Tests/Simulation/SimulationTests", swiftSettings: strict),

        .testTarget(
            name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"],
            path: "Tests/Basics/JSONTextTests", swiftSettings: strict),
        .testTarget(
            name: "TextTablesTests", dependencies: ["TextTables"],
            path: "Tests/Basics/TextTablesTests", swiftSettings: strict),
        .testTarget(
            name: "TimesTests", dependencies: ["Times"], path: "Tests/Basics/TimesTests",
            swiftSettings: strict),
        .testTarget(
            name: "ScanningTests", dependencies: ["Readings", "Scanning", "ScanningSupport"],
            path: "Tests/Pipeline/ScanningTests", resources: [.copy("Corpus")],
            swiftSettings: strict),
        .testTarget(
            name: "ScanningDatabaseTests",
            dependencies: ["Postgres", "Readings", "Scanning", "ScanningSupport", "TestSupport"],
            path: "Tests/Pipeline/ScanningDatabaseTests", swiftSettings: strict),
        .testTarget(
            name: "ChannelsTests", dependencies: ["Channels"], path: "Tests/Pipeline/ChannelsTests",
            swiftSettings: strict),
        .testTarget(
            name: "SpoolingTests", dependencies: ["CLZ4", "Spooling", "SpoolingSupport"],
            path: "Tests/Pipeline/SpoolingTests", swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "Readings", "Schema", "TestSupport"],
            path: "Tests/Database/PostgresTests", swiftSettings: strict),
        .testTarget(
            name: "IngestionTests",
            dependencies: [
                "Access", "Ingestion", "Instruments", "Postgres", "Readings", "Scanning", "Schema",
                "ScanningSupport", "Spooling", "SpoolingSupport", "TestSupport", logging,
            ], path: "Tests/Pipeline/IngestionTests", swiftSettings: strict),
        .testTarget(
            name: "JobsTests",
            dependencies: [
                "Instruments", "job-worker", "Jobs", "Postgres", "Readings", "TestSupport",
                lifecycle, logging,
            ], path: "Tests/Database/JobsTests", swiftSettings: strict),
        .testTarget(
            name: "NoticesTests",
            dependencies: [
                "Instruments", "Notices", "Postgres", "TestSupport", lifecycle, logging,
            ], path: "Tests/Database/NoticesTests", swiftSettings: strict),
        .testTarget(
            name: "CapturesTests",
            dependencies: [
                "Captures", "Ingestion", "JSONText", "Postgres", "Readings", "TestSupport",
            ], path: "Tests/Apps/CapturesTests", swiftSettings: strict),
        .testTarget(
            name: "GeminiTests", dependencies: ["Gemini", "GeminiSupport", httpClient, nioHTTP1],
            path: "Tests/Apps/GeminiTests", swiftSettings: strict),
        .testTarget(
            name: "MealsTests",
            dependencies: [
                "Gemini", "GeminiSupport", "Ingestion", "Instruments", "Jobs", "Meals",
                "Notices", "Postgres", "Readings", "TestSupport", "TextTables", httpClient,
                lifecycle, logging, nioHTTP1,
            ], path: "Tests/Apps/MealsTests", exclude: ["Corpora", "Golden", "FoodData"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaTests",
            dependencies: [
                "CGD", "Digests", "Encodings", "Ingestion", "Inspecting", "Inspections", "Media",
                "Postgres", "sluice-inspect", "TestSupport",
                httpClient, logging, nio, nioHTTP1,
            ], path: "Tests/Apps/MediaTests", exclude: ["Journal/Corpus"],
            resources: [.copy("Storage/Corpus")], swiftSettings: strict),
        .testTarget(
            name: "AnalysisTests",
            dependencies: [
                "Analysis", "Gemini", "GeminiSupport", "Inspections", "Instruments", "Jobs",
                "Media",
                "Postgres", "Readings", "sluice-inspect", "TestSupport", "TextTables", httpClient,
                lifecycle, logging,
                nio,
                nioHTTP1, nioPosix,
            ], path: "Tests/Apps/AnalysisTests", exclude: ["Corpora"], swiftSettings: strict),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Access", "Digests", "Encodings", "Postgres", "Readings", "TestSupport", lifecycle,
                logging,
            ], path: "Tests/Operations/AccessTests", swiftSettings: strict),
        .testTarget(
            name: "InstrumentsTests", dependencies: ["Instruments", "TestSupport", logging],
            path: "Tests/Operations/InstrumentsTests", swiftSettings: strict),
        .testTarget(
            name: "StatusTests", dependencies: ["Instruments", "Status", lifecycle, logging],
            path: "Tests/Operations/StatusTests", swiftSettings: strict),
        .testTarget(
            name: "DiagnosisTests",
            dependencies: ["Analytics", "Diagnosis", "Postgres", "Readings", "TestSupport"],
            path: "Tests/Operations/DiagnosisTests", swiftSettings: strict),
        .testTarget(
            name: "ErasureTests", dependencies: ["Erasure", "Postgres", "Schema", "TestSupport"],
            path: "Tests/Operations/ErasureTests", swiftSettings: strict),
        .testTarget(
            name: "AnalyticsTests",
            dependencies: ["Analytics", "Postgres", "Readings", "TestSupport"],
            path: "Tests/Operations/AnalyticsTests", swiftSettings: strict),
        .testTarget(
            name: "RetentionTests",
            dependencies: [
                "Digests", "Encodings", "Instruments", "Postgres", "Readings", "Retention",
                "Schema", "TestSupport", lifecycle, logging,
            ], path: "Tests/Operations/RetentionTests", swiftSettings: strict),
        .testTarget(
            name: "FleetTests", dependencies: ["Fleet", "Readings", "Scanning"],
            path: "Tests/Operations/FleetTests", swiftSettings: strict),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "Fleet", "Load", "Readings", "sluice", "TestSupport", nio, nioHTTP1, nioPosix,
                nioSSL,
            ],
            path: "Tests/Operations/LoadTests", swiftSettings: strict),
        .testTarget(
            name: "EdgeTests",
            dependencies: [
                "Access", "Captures", "CLZ4", "CZlib", "Edge", "Ingestion", "Inspections",
                "Instruments", "Meals", "Media", "Notices", "Postgres", "Readings", "Scanning",
                "sluice", "sluice-inspect", "Status", "TestSupport", httpTypes, hummingbird,
                lifecycle, logging, nio, nioEmbedded,
                nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioWebSocket,
            ], path: "Tests/Edge", swiftSettings: strict),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Analysis", "Captures", "CLZ4", "CZlib", "Edge", "Ingestion", "Instruments",
                "Meals", "Media", "Postgres", "Readings", "Retention", "Schema", "sluice",
                "sluice-inspect", "SluiceService", "Spooling", "TestSupport", logging,
            ], path: "Tests/Operations/ServiceTests", exclude: ["Clients"], swiftSettings: strict),
    ]
)
