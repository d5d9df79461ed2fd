// swift-tools-version: 6.2
import PackageDescription

// `ARCHITECTURE.md` says what each folder of `Sources/` is for. A target imports only targets above
// it.
// The opening comment of a target's main file says what it does.

// `make check` and CI set this. For everybody else a newer compiler's warnings must not break the
// build.
let warningsAreErrors = Context.environment["SLUICE_WARNINGS_AS_ERRORS"] == "1"

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// For what tests run millions of times: optimised in debug builds, too, with all its assertions.
let strictAndFast =
    strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// `make package` sets it: the commit that the programs are built from.
let commit = Context.environment["SLUICE_COMMIT"] ?? ""

let embedText: [Target.PluginUsage] = [.plugin(name: "EmbedText")]

let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
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
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "sluice",
    // The server is for Linux; SluiceClient alone is for phones too.
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .executable(name: "sluice", targets: ["sluice"]),
        // `sluice` without the apps. CI builds it to see that the core stands alone.
        .executable(name: "sluice-ingest", targets: ["sluice-ingest"]),
        // The server starts it for each uploaded file. It alone links what reads pictures.
        .executable(name: "sluice-inspect", targets: ["sluice-inspect"]),
        // For apps that send readings. Foundation only, and zlib on Linux.
        .library(name: "SluiceClient", targets: ["SluiceClient"]),
        // The next two are for the nested Benchmarks package only.
        .library(
            name: "SluiceCore",
            targets: ["Encodings", "Readings", "Scanner", "Postgres", "SpoolLog"]),
        .library(name: "SluiceLoad", targets: ["Fleet", "Load", "Oracle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "CRelease", path: "Sources/Core/System/CRelease",
            cSettings: commit.isEmpty ? [] : [.define("SLUICE_COMMIT", to: "\"\(commit)\"")]),
        // System libraries: module maps only.
        .systemLibrary(
            name: "CLibpq", path: "Sources/Core/System/CLibpq", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CLZ4", path: "Sources/Core/System/CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/Core/System/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/Core/System/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/Core/System/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(
            name: "CGExiv2", path: "Sources/Apps/Inspection/CGExiv2", pkgConfig: "gexiv2",
            providers: [.apt(["libgexiv2-dev"])]),
        .systemLibrary(
            name: "CGD", path: "Sources/Apps/Inspection/CGD", pkgConfig: "gdlib",
            providers: [.apt(["libgd-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Tools/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CExpat", path: "Sources/Core/System/CExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CZip", path: "Sources/Core/System/CZip", pkgConfig: "libzip",
            providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CEpoll", path: "Sources/Core/System/CEpoll"),

        // Embeds text files of a target in its code: SQL, pages, tables of words.
        .plugin(name: "EmbedText", capability: .buildTool(), path: "Sources/Core/System/EmbedText"),

        // Support, used by everything: text, dates, tables of words, files, child processes.
        .target(name: "JSONText", path: "Sources/Core/Support/JSONText", swiftSettings: strict),
        .target(
            name: "SeparatedValues", path: "Sources/Core/Support/SeparatedValues",
            swiftSettings: strict),
        .target(name: "Times", path: "Sources/Core/Support/Times", swiftSettings: strictAndFast),
        .target(name: "Encodings", path: "Sources/Core/Support/Encodings", swiftSettings: strict),
        .target(
            name: "OperatorErrors", path: "Sources/Core/Support/OperatorErrors",
            swiftSettings: strict),
        .target(
            name: "TextTables", dependencies: ["OperatorErrors"],
            path: "Sources/Core/Support/TextTables", swiftSettings: strict),
        .target(
            name: "Files", dependencies: ["OperatorErrors"], path: "Sources/Core/Support/Files",
            swiftSettings: strict),
        .target(
            name: "Repetition", dependencies: [lifecycle], path: "Sources/Core/Support/Repetition",
            swiftSettings: strict),
        .target(name: "Processes", path: "Sources/Core/Support/Processes", swiftSettings: strict),

        // From bytes to groups of rows. A batch passes HTTP, Scanner, Ingest and Postgres.
        .target(
            name: "Readings", dependencies: ["Times", crypto],
            path: "Sources/Core/Readings", swiftSettings: strictAndFast),
        .target(
            name: "Scanner", dependencies: ["JSONText", "Readings", "Times"],
            path: "Sources/Core/Scanner", swiftSettings: strictAndFast),
        .target(
            name: "Channels", dependencies: [deques], path: "Sources/Core/Channels",
            swiftSettings: strict),
        .target(
            name: "SpoolLog", dependencies: ["CLZ4", "CZlib", "Files", "OperatorErrors"],
            path: "Sources/Core/SpoolLog", swiftSettings: strictAndFast),

        // The client of servers that speak S3, for archives and for apps' files.
        .target(
            name: "S3", dependencies: ["Encodings", "Times", crypto, httpClient, nio, nioHTTP1],
            path: "Sources/Core/S3", swiftSettings: strict),

        // Sessions with PostgreSQL, and the schema: numbered migrations; sql/README.md says how to
        // add one.
        .target(
            name: "Schema", dependencies: ["Readings"], path: "sql",
            exclude: ["README.md", "queries"], swiftSettings: strict, plugins: embedText),
        .target(
            name: "Postgres",
            dependencies: [
                "CLibpq", "Encodings", "Files", "OperatorErrors", "Processes", "Schema", crypto,
            ],
            path: "Sources/Core/Postgres", swiftSettings: strict),

        .target(
            name: "Instruments", dependencies: ["JSONText", logging],
            path: "Sources/Core/Instruments", swiftSettings: strict),
        .target(
            name: "Auth",
            dependencies: [
                "Encodings", "OperatorErrors", "Postgres", "Readings", "Repetition", crypto,
                cryptoExtras, lifecycle, logging,
            ],
            path: "Sources/Core/Auth", swiftSettings: strict),
        .target(
            name: "Ingest",
            dependencies: [
                "Auth", "Channels", "Instruments", "Postgres", "Readings", "Scanner", "SpoolLog",
                crypto, deques, logging,
            ], path: "Sources/Core/Ingest", swiftSettings: strictAndFast),
        .target(
            name: "Jobs",
            dependencies: [
                "Instruments", "Postgres", "Readings", "Repetition", lifecycle, logging,
            ],
            path: "Sources/Apps/Jobs", swiftSettings: strict),
        .target(
            name: "Notices", dependencies: ["Instruments", "Postgres", lifecycle, logging],
            path: "Sources/Apps/Notices", exclude: ["Sockets"], swiftSettings: strict),
        .target(
            name: "NewsSockets", dependencies: ["HTTP", "Notices", "Postgres", deques, nio],
            path: "Sources/Apps/Notices/Sockets", swiftSettings: strict),

        // The apps of users.
        .target(
            name: "Captures",
            dependencies: ["Ingest", "JSONText", "Postgres", "Readings", "Scanner", "Times"],
            path: "Sources/Apps/Captures", exclude: ["Routes"], swiftSettings: strict),
        .target(
            name: "CaptureRoutes",
            dependencies: [
                "Auth", "Captures", "Encodings", "HTTP", "Ingest", "Inspections", "JSONText",
                "Media", "NewsSockets", "Postgres", "Readings", "Uploads", deques, httpTypes,
                hummingbird, nio,
            ], path: "Sources/Apps/Captures/Routes", swiftSettings: strict),
        .target(
            name: "Gemini", dependencies: ["Times", httpClient, nio, nioHTTP1],
            path: "Sources/Apps/LanguageModels/Gemini", swiftSettings: strict),
        .target(
            name: "Meals",
            dependencies: [
                "Gemini", "Ingest", "Jobs", "JSONText", "OperatorErrors", "Postgres", "Readings",
                "Scanner", "SeparatedValues", "TextTables",
            ], path: "Sources/Apps/Meals", exclude: ["Routes"],
            swiftSettings: strict, plugins: embedText),
        .target(
            name: "MealRoutes",
            dependencies: [
                "Auth", "Encodings", "HTTP", "Ingest", "JSONText", "Meals", "NewsSockets",
                "Postgres", "Readings", httpTypes, hummingbird, nio,
            ], path: "Sources/Apps/Meals/Routes", swiftSettings: strict),
        // Uploaded files are read in a process of their own, `sluice-inspect`: `Inspecting` is that
        // process, `Inspections` what it and the server say to each other.
        .target(
            name: "Inspections", path: "Sources/Apps/Inspection/Inspections",
            swiftSettings: strict),
        .target(
            name: "Inspecting", dependencies: ["CGD", "CGExiv2", "CZlib", "Inspections", "Times"],
            path: "Sources/Apps/Inspection/Inspecting", swiftSettings: strict),
        .executableTarget(
            name: "sluice-inspect", dependencies: ["Inspecting"],
            path: "Sources/Apps/Inspection/sluice-inspect", swiftSettings: strict),
        .target(
            name: "Media",
            dependencies: [
                "Auth", "Encodings", "Files", "Ingest", "Inspections", "Instruments", "JSONText",
                "Postgres", "Processes", "Readings", "S3", "Scanner", "Times", crypto,
                httpClient, lifecycle, logging, nio, nioHTTP1,
            ], path: "Sources/Apps/Media", exclude: ["JournalRoutes", "Uploads"],
            swiftSettings: strict),
        .target(
            name: "Uploads",
            dependencies: [
                "Auth", "HTTP", "Instruments", "Media", httpTypes, hummingbird, nio,
            ], path: "Sources/Apps/Media/Uploads", swiftSettings: strict),
        .target(
            name: "JournalRoutes",
            dependencies: [
                "Auth", "Encodings", "HTTP", "Ingest", "Inspections", "JSONText", "Media",
                "Uploads", httpTypes, hummingbird, nio, nioHTTP1,
            ], path: "Sources/Apps/Media/JournalRoutes", swiftSettings: strict),
        .target(
            name: "Analysis",
            dependencies: [
                "Captures", "Encodings", "Gemini", "Inspections", "Jobs", "Media", "Postgres",
                "Readings",
                "TextTables", "Times",
                httpClient, logging, nio, nioHTTP1,
            ], path: "Sources/Apps/Analysis",
            swiftSettings: strict, plugins: embedText),

        // For operators and analysts.
        .target(
            name: "Status", dependencies: ["Instruments", "JSONText", "Readings", lifecycle],
            path: "Sources/Core/Status", swiftSettings: strict),
        .target(
            name: "Doctor",
            dependencies: ["Analysts", "JSONText", "Postgres", "Readings", "Schema"],
            path: "Sources/Core/Doctor", swiftSettings: strict),
        .target(
            name: "Erasure", dependencies: ["Postgres", "Readings", "Schema"],
            path: "Sources/Core/Erasure", swiftSettings: strict),
        .target(
            name: "Analysts",
            dependencies: ["Files", "JSONText", "OperatorErrors", "Postgres", "Readings"],
            path: "Sources/Core/Analysts", swiftSettings: strict),
        .target(
            name: "Retention",
            dependencies: [
                "CLZ4", "CZstd", "Encodings", "Files", "Instruments", "OperatorErrors",
                "Postgres", "Readings", "Repetition", "S3", "Schema", "Times", crypto, lifecycle,
                logging, nio,
            ], path: "Sources/Core/Retention", swiftSettings: strict),
        .target(
            name: "Imports",
            dependencies: [
                "CExpat", "CZip", "CZlib", "Files", "JSONText", "OperatorErrors", "Readings",
                "Retention", "SeparatedValues",
            ], path: "Sources/Core/Imports", swiftSettings: strict),

        // `sluice load`: the simulated devices, and the generator that sends their readings.
        .target(
            name: "Fleet", dependencies: ["Readings"], path: "Sources/Tools/Fleet",
            swiftSettings: strict),
        .target(
            name: "Load",
            dependencies: [
                "CEpoll", "COpenSSL", "Fleet", "OperatorErrors", "Readings", arguments, deques,
            ],
            path: "Sources/Tools/Load", swiftSettings: strict),
        // Reads back what a fleet has sent.
        .target(
            name: "Oracle", dependencies: ["CLibpq", "Fleet", "Load", "Readings"],
            path: "Sources/Tools/Oracle", swiftSettings: strict),

        // For apps that send readings: a queue on the disk, and its delivery.
        .target(
            name: "SluiceClient",
            dependencies: [.target(name: "CZlib", condition: .when(platforms: [.linux]))],
            path: "Sources/Client/Swift", swiftSettings: strict),

        // Connections, the ingest path, the router, sockets, the status page.
        .target(
            name: "HTTP",
            dependencies: [
                "Auth", "CLZ4", "CZlib", "CZstd", "Encodings", "Files", "Ingest", "Instruments",
                "JSONText",
                "OperatorErrors", "Postgres", "Readings", "Repetition", "Scanner", "Status",
                "Times", deques, httpTypes, hummingbird, hummingbirdCore, lifecycle, logging, nio,
                nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL, nioTLS,
                nioWebSocket,
            ], path: "Sources/Core/HTTP",
            swiftSettings: strict, plugins: embedText),

        // The server without any app, its commands, and the program of both.
        .target(
            name: "Server",
            dependencies: [
                "Analysts", "Auth", "Doctor", "Encodings", "Erasure", "Files", "HTTP", "Imports",
                "Ingest", "Instruments", "JSONText", "OperatorErrors", "Postgres", "Readings",
                "Repetition",
                "Retention", "S3", "Scanner", "Schema", "SpoolLog", "Status", "TextTables", crypto,
                httpClient, lifecycle, logging, nio, nioHTTP1, nioSSL,
            ], path: "Sources/Core/Server", swiftSettings: strict),
        .target(
            name: "Commands",
            dependencies: [
                "Analysts", "Auth", "CQREncode", "CRelease", "Doctor", "Erasure", "HTTP", "Imports",
                "Instruments",
                "JSONText", "OperatorErrors", "Postgres", "Readings", "Retention", "Server",
                "SpoolLog",
                "Status", "TextTables", "Times", arguments, logging,
            ], path: "Sources/Core/Commands", swiftSettings: strict),
        .executableTarget(
            name: "sluice-ingest", dependencies: ["Commands", arguments],
            path: "Sources/Core/sluice-ingest", swiftSettings: strict),

        // What programs that exist post, as readings.
        .target(
            name: "Formats",
            dependencies: [
                "Auth", "Encodings", "HTTP", "Ingest", "Instruments", "JSONText", "Readings",
                "Server", httpTypes, nio, protobuf,
            ], path: "Sources/Apps/Formats", exclude: ["OTLP/OTLPWire.proto"],
            swiftSettings: strict),

        // The server with all apps, and the command.
        .target(
            name: "Assembly",
            dependencies: [
                "Analysis", "Auth", "CaptureRoutes", "Captures", "Doctor", "Erasure", "Formats",
                "Gemini", "HTTP", "Ingest", "Inspections", "Instruments", "Jobs", "JournalRoutes",
                "MealRoutes", "Meals", "Media", "NewsSockets", "Notices", "Postgres", "Readings",
                "Repetition", "S3", "Server", "TextTables", "Uploads", httpClient, lifecycle,
                logging,
                nio,
            ], path: "Sources/Tools/Assembly", swiftSettings: strict, plugins: embedText),
        .executableTarget(
            name: "sluice",
            dependencies: [
                "Assembly", "Commands", "Fleet", "Jobs", "Load", "Meals", "OperatorErrors",
                "Oracle", "Postgres", "Readings", "Server", "TextTables", arguments,
            ], path: "Sources/Tools/sluice", swiftSettings: strict),

        // Tests in the same order, after the modules that they share.
        .target(
            name: "TestSupport",
            dependencies: ["CGD", "COpenSSL", "Encodings", "Ingest", "Postgres", crypto],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "ScannerSupport", dependencies: ["Readings", "Scanner"],
            path: "Tests/Core/ScannerSupport", swiftSettings: strictAndFast),
        .target(
            name: "SpoolLogSupport", dependencies: ["SpoolLog"],
            path: "Tests/Core/SpoolLogSupport", swiftSettings: strictAndFast),
        .target(
            name: "S3Support",
            dependencies: ["Encodings", "S3", "TestSupport", httpClient, nio, nioHTTP1],
            path: "Tests/Core/S3Support", swiftSettings: strict),
        .target(
            name: "GeminiSupport", dependencies: [nio, nioHTTP1, nioPosix],
            path: "Tests/Apps/GeminiSupport", swiftSettings: strict),
        .target(
            name: "HTTPSupport",
            dependencies: [
                "Auth", "CLZ4", "CZlib", "CZstd", "HTTP", "Ingest", "Instruments", "Postgres",
                "Readings",
                "Scanner", "Status", "TestSupport", lifecycle, logging, nio, nioEmbedded, nioHTTP1,
                nioPosix, nioWebSocket,
            ], path: "Tests/HTTPSupport", swiftSettings: strict),
        .executableTarget(
            name: "job-worker", dependencies: ["Instruments", "Jobs", "Postgres", logging],
            path: "Tests/Apps/JobWorker", swiftSettings: strict),

        // The simulation: the whole core in one process, where a seed decides what happens next.
        .target(
            name: "Simulation",
            dependencies: [
                "Auth", "Ingest", "Instruments", "Postgres", "Readings", "Scanner",
                "ScannerSupport", "SpoolLog", "SpoolLogSupport", logging,
            ], path: "Tests/Simulation/Simulation", swiftSettings: strictAndFast),
        .executableTarget(
            name: "sluice-simulate", dependencies: ["ScannerSupport", "Simulation", arguments],
            path: "Tests/Simulation/Simulate", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["ScannerSupport", "Simulation", "sluice-simulate"],
            path: "Tests/Simulation/SimulationTests", swiftSettings: strict),

        .testTarget(
            name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"],
            path: "Tests/Core/Support/JSONTextTests", swiftSettings: strict),
        .testTarget(
            name: "SeparatedValuesTests", dependencies: ["SeparatedValues"],
            path: "Tests/Core/Support/SeparatedValuesTests", swiftSettings: strict),
        .testTarget(
            name: "TextTablesTests", dependencies: ["TextTables"],
            path: "Tests/Core/Support/TextTablesTests", swiftSettings: strict),
        .testTarget(
            name: "TimesTests", dependencies: ["Times"], path: "Tests/Core/Support/TimesTests",
            swiftSettings: strict),
        .testTarget(
            name: "ScannerTests", dependencies: ["Readings", "Scanner", "ScannerSupport"],
            path: "Tests/Core/ScannerTests", resources: [.copy("Corpus")],
            swiftSettings: strict),
        .testTarget(
            name: "ScannerDatabaseTests",
            dependencies: ["Postgres", "Readings", "Scanner", "ScannerSupport", "TestSupport"],
            path: "Tests/Core/ScannerDatabaseTests", swiftSettings: strict),
        .testTarget(
            name: "ChannelsTests", dependencies: ["Channels"], path: "Tests/Core/ChannelsTests",
            swiftSettings: strict),
        .testTarget(
            name: "SpoolLogTests", dependencies: ["CLZ4", "SpoolLog", "SpoolLogSupport"],
            path: "Tests/Core/SpoolLogTests", swiftSettings: strict),
        .testTarget(
            name: "S3Tests",
            dependencies: ["Encodings", "S3", "S3Support", "TestSupport", crypto, nio],
            path: "Tests/Core/S3Tests", swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "Readings", "Schema", "TestSupport"],
            path: "Tests/Core/PostgresTests", swiftSettings: strict),
        .testTarget(
            name: "IngestTests",
            dependencies: [
                "Auth", "Ingest", "Instruments", "Postgres", "Readings", "Scanner", "Schema",
                "ScannerSupport", "Simulation", "SpoolLog", "SpoolLogSupport", "TestSupport",
                logging,
            ], path: "Tests/Core/IngestTests", swiftSettings: strict),
        .testTarget(
            name: "JobsTests",
            dependencies: [
                "Instruments", "job-worker", "Jobs", "Postgres", "Readings", "TestSupport",
                lifecycle, logging,
            ], path: "Tests/Apps/JobsTests", swiftSettings: strict),
        .testTarget(
            name: "NoticesTests",
            dependencies: [
                "Instruments", "Notices", "Postgres", "TestSupport", lifecycle, logging,
            ], path: "Tests/Apps/NoticesTests", swiftSettings: strict),
        .testTarget(
            name: "CapturesTests",
            dependencies: [
                "Captures", "Ingest", "JSONText", "Postgres", "Readings", "TestSupport",
            ], path: "Tests/Apps/CapturesTests", swiftSettings: strict),
        .testTarget(
            name: "GeminiTests", dependencies: ["Gemini", "GeminiSupport", httpClient, nioHTTP1],
            path: "Tests/Apps/GeminiTests", swiftSettings: strict),
        .testTarget(
            name: "MealsTests",
            dependencies: [
                "Gemini", "GeminiSupport", "Ingest", "Instruments", "Jobs", "Meals",
                "Notices", "Postgres", "Readings", "TestSupport", "TextTables", httpClient,
                lifecycle, logging, nioHTTP1,
            ], path: "Tests/Apps/MealsTests", exclude: ["Corpora", "Golden", "FoodData"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaTests",
            dependencies: [
                "CGD", "Encodings", "Ingest", "Inspecting", "Inspections", "Media",
                "Postgres", "S3", "S3Support", "sluice-inspect", "TestSupport",
                crypto, httpClient, logging, nio, nioHTTP1,
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
            ], path: "Tests/Apps/AnalysisTests", exclude: ["Corpora", "Golden/cases.json"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthTests",
            dependencies: [
                "Auth", "Encodings", "Postgres", "Readings", "TestSupport", crypto, lifecycle,
                logging,
            ], path: "Tests/Core/AuthTests", swiftSettings: strict),
        .testTarget(
            name: "InstrumentsTests", dependencies: ["Instruments", "TestSupport", logging],
            path: "Tests/Core/InstrumentsTests", swiftSettings: strict),
        .testTarget(
            name: "StatusTests", dependencies: ["Instruments", "Status", lifecycle, logging],
            path: "Tests/Core/StatusTests", swiftSettings: strict),
        .testTarget(
            name: "DoctorTests",
            dependencies: ["Analysts", "Doctor", "Postgres", "Readings", "TestSupport"],
            path: "Tests/Core/DoctorTests", swiftSettings: strict),
        .testTarget(
            name: "ErasureTests", dependencies: ["Erasure", "Postgres", "Schema", "TestSupport"],
            path: "Tests/Core/ErasureTests", swiftSettings: strict),
        .testTarget(
            name: "AnalystsTests",
            dependencies: ["Analysts", "Postgres", "Readings", "TestSupport"],
            path: "Tests/Core/AnalystsTests", swiftSettings: strict),
        .testTarget(
            name: "ImportsTests", dependencies: ["Imports"], path: "Tests/Core/ImportsTests",
            swiftSettings: strict),
        .testTarget(
            name: "RetentionTests",
            dependencies: [
                "Encodings", "Instruments", "Postgres", "Readings", "Retention", "S3", "S3Support",
                "Schema", "TestSupport", lifecycle, logging, nio,
            ], path: "Tests/Core/RetentionTests", swiftSettings: strict),
        .testTarget(
            name: "FleetTests", dependencies: ["Fleet", "Readings", "Scanner"],
            path: "Tests/Tools/FleetTests", swiftSettings: strict),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "Fleet", "Load", "Readings", "sluice", "TestSupport", nio, nioHTTP1, nioPosix,
                nioSSL,
            ],
            path: "Tests/Tools/LoadTests", swiftSettings: strict),
        .testTarget(
            name: "OracleTests", dependencies: ["Fleet", "Load", "Oracle", "Postgres", "Readings"],
            path: "Tests/Tools/OracleTests", swiftSettings: strict),
        .executableTarget(
            name: "client-worker", dependencies: ["SluiceClient"],
            path: "Tests/Client/ClientWorker", swiftSettings: strict),
        .testTarget(
            name: "ClientTests", dependencies: ["SluiceClient", "TestSupport"],
            path: "Tests/Client/ClientTests", exclude: ["client_tests.py", "Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPTests",
            dependencies: [
                "Auth", "CLZ4", "CZlib", "CZstd", "HTTP", "HTTPSupport", "Ingest", "Instruments",
                "Postgres", "Readings", "Scanner", "Status", "TestSupport", httpTypes, hummingbird,
                lifecycle, logging, nio, nioEmbedded, nioHTTP1, nioHTTP2, nioPosix, nioSSL,
                nioWebSocket,
            ], path: "Tests/HTTPTests", swiftSettings: strict),
        .testTarget(
            name: "FormatsTests",
            dependencies: [
                "Auth", "Formats", "HTTP", "HTTPSupport", "Ingest", "Instruments", "JSONText",
                "Readings", "Scanner", "ScannerSupport", httpTypes, nio, nioHTTP1, protobuf,
            ], path: "Tests/Apps/FormatsTests", resources: [.copy("Fixtures")],
            swiftSettings: strict),
        .testTarget(
            name: "RoutesTests",
            dependencies: [
                "Assembly", "Auth", "CaptureRoutes", "Captures", "Formats", "HTTP", "HTTPSupport",
                "Ingest", "Inspections", "Instruments", "JournalRoutes", "MealRoutes", "Meals",
                "Media",
                "NewsSockets", "Notices", "Postgres", "Readings", "sluice-inspect", "TestSupport",
                "Uploads", httpTypes, hummingbird, logging, nio,
            ], path: "Tests/Apps/RoutesTests", swiftSettings: strict),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Assembly", "Auth", "Analysis", "Captures", "client-worker", "CLZ4", "Commands",
                "CZlib", "CZstd", "Formats", "HTTP",
                "Ingest",
                "Inspections", "Instruments", "JSONText", "Meals", "Media", "Postgres", "Readings",
                "Retention", "Scanner", "Schema", "sluice", "sluice-ingest", "sluice-inspect",
                "Server",
                "SluiceClient", "SpoolLog", "TestSupport", "Uploads", logging,
            ], path: "Tests/ServerTests", exclude: ["Clients"], swiftSettings: strict),
    ]
)
