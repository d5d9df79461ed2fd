// swift-tools-version: 6.2
import PackageDescription

// The target list is the way of a batch: each module imports only modules above it.
// What each one does stands in its main file's opening comment.

// `make check` sets this; for everybody else a newer compiler's warning is no obstacle.
let warningsAreErrors = Context.environment["SLUICE_WARNINGS_AS_ERRORS"] == "1"

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "sluice",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "sluice", targets: ["sluice"]),
        // For the nested Benchmarks package only.
        .library(name: "SluiceCore", targets: ["Readings", "Scanning", "Postgres", "Spooling"]),
        .library(name: "SluiceMeals", targets: ["Meals", "MealsSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
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
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.0"),
    ],
    targets: [
        // System libraries: module maps only.
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CGExiv2", pkgConfig: "gexiv2", providers: [.apt(["libgexiv2-dev"])]),
        .systemLibrary(name: "CGD", pkgConfig: "gdlib", providers: [.apt(["libgd-dev"])]),
        .systemLibrary(
            name: "CAVFormat", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        .target(name: "Readings", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "JSONText", swiftSettings: strict),
        .target(name: "Scanning", dependencies: ["JSONText", "Readings"], swiftSettings: strict),
        .target(
            name: "Channels",
            dependencies: [.product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: strict),
        // The numbered migrations, embedded: a new one is listed here and in sql/Schema.swift.
        .target(
            name: "Schema", path: "sql", exclude: ["queries"],
            resources: [
                .embedInCode("0001_tables.sql"),
                .embedInCode("0002_partitions.sql"),
                .embedInCode("0003_quarantine_and_keys.sql"),
                .embedInCode("0004_analytics.sql"),
                .embedInCode("0005_spool.sql"),
                .embedInCode("0006_key_quotas.sql"),
                .embedInCode("0007_captures.sql"),
                .embedInCode("0008_units.sql"),
                .embedInCode("0009_foods.sql"),
                .embedInCode("0010_meals.sql"),
                .embedInCode("0011_rollups.sql"),
                .embedInCode("0012_journal.sql"),
                .embedInCode("0013_analysts.sql"),
                .embedInCode("0014_retention.sql"),
                .embedInCode("0015_erasure.sql"),
                .embedInCode("0016_rollup_rows.sql"),
                .embedInCode("0017_turns.sql"),
                .embedInCode("0018_capture_order.sql"),
                .embedInCode("0019_news.sql"),
                .embedInCode("0020_more_foods.sql"),
                .embedInCode("0021_capture_ids.sql"),
                .embedInCode("citus.sql"),
            ],
            swiftSettings: strict),
        // Child processes that inherit nothing.
        .target(name: "Processes", swiftSettings: strict),
        .target(
            name: "Postgres", dependencies: ["CLibpq", "COpenSSL", "Processes", "Schema"],
            swiftSettings: strict),
        .target(
            name: "Access",
            dependencies: [
                "COpenSSL", "Postgres", "Readings",
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // What operators ask for: what is wrong, and one user's data gone.
        .target(name: "Diagnosis", dependencies: ["Postgres", "Schema"], swiftSettings: strict),
        .target(name: "Erasure", dependencies: ["Postgres"], swiftSettings: strict),
        // Roles for people who read, and what they take home.
        .target(name: "Analysts", dependencies: ["Postgres", "Readings"], swiftSettings: strict),
        .target(
            name: "Export", dependencies: ["JSONText", "Postgres", "Readings"],
            swiftSettings: strict),
        .target(
            name: "Instruments",
            dependencies: ["JSONText", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "Spooling", dependencies: ["CLZ4", "CZlib"], swiftSettings: strict),
        .target(
            name: "Ingestion",
            dependencies: [
                "Readings", "Scanning", "Channels", "Postgres", "Spooling", "Access",
                "Instruments",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Work that follows a commit, and news of it to every node.
        .target(
            name: "Jobs",
            dependencies: [
                "Readings", "Postgres", "Instruments",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "Notices",
            dependencies: [
                "Postgres", "Instruments",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // Days that leave the tables, and come back.
        .target(
            name: "Retention",
            dependencies: [
                "CLZ4", "COpenSSL", "Instruments", "Postgres", "Readings",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "MediaStorage",
            dependencies: [
                "COpenSSL", "Postgres", "Instruments",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "Captures",
            dependencies: ["JSONText", "Readings", "Scanning", "Postgres", "Ingestion"],
            swiftSettings: strict),
        // Asks a model; knows no capture and no meal.
        .target(
            name: "Gemini",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "Meals",
            dependencies: [
                "JSONText", "Readings", "Scanning", "Postgres", "Ingestion", "Jobs", "Gemini",
            ],
            resources: [
                .embedInCode("Reading/words.txt"),
                .embedInCode("Reading/brands.txt"),
            ],
            swiftSettings: strict),
        .target(
            name: "Multimedia",
            dependencies: [
                "CAVFormat", "CGD", "CGExiv2", "CZlib", "MediaStorage", "Postgres", "Processes",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "Analysis",
            dependencies: [
                "Gemini", "MediaStorage", "Multimedia", "Readings", "Postgres", "Jobs",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [
                .embedInCode("Local/names.txt"),
                .embedInCode("Local/moods.txt"),
            ],
            swiftSettings: strict),
        // The figures of a running server, for the page and for `sluice top`.
        .target(
            name: "Status",
            dependencies: [
                "Instruments", "Readings",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "Edge",
            dependencies: [
                "JSONText", "Readings", "Scanning", "Postgres", "Access", "Instruments", "Status",
                "Ingestion", "Notices",
                "MediaStorage", "Multimedia", "Captures", "Meals", "CLZ4", "CZlib",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("OpenAPI/openapi.json"),
                .embedInCode("OpenAPI/docs.html"),
                .embedInCode("Status/page.html"),
                .embedInCode("Status/sign-in.html"),
                .embedInCode("Status/page.css"),
                .embedInCode("Status/page.js"),
                .embedInCode("Status/figures.js"),
                .embedInCode("Status/stream.js"),
                .embedInCode("Status/plot.js"),
                .embedInCode("Status/map.js"),
                .embedInCode("Status/world.js"),
                .embedInCode("Status/icon.svg"),
            ],
            swiftSettings: strict),
        .target(
            name: "SluiceService",
            dependencies: [
                "JSONText",
                "Readings", "Scanning", "Postgres", "Spooling", "Access", "Instruments",
                "Ingestion", "Jobs", "Notices", "MediaStorage", "Multimedia", "Captures", "Gemini",
                "Analysis", "Diagnosis", "Erasure", "Retention",
                "Meals", "Edge", "Status",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "sluice",
            dependencies: [
                "Access", "Analysts", "Diagnosis", "Edge", "Erasure", "Export", "Instruments",
                "Jobs", "Meals", "Multimedia", "Postgres",
                "Readings", "Retention", "SluiceService", "Spooling", "Status",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // Shared by tests: a throwaway PostgreSQL cluster; a reference decoder and generators.
        .target(
            name: "TestSupport", dependencies: ["CGD", "Postgres"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "ScanningSupport", dependencies: ["Readings", "Scanning"],
            path: "Tests/ScanningSupport", swiftSettings: strict),

        // The whole core in one process, where a seed decides what happens next.
        .target(
            name: "Simulation",
            dependencies: [
                "Access", "Ingestion", "Instruments", "Postgres", "Readings", "Scanning",
                "ScanningSupport", "Spooling", "SpoolingSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Simulation", swiftSettings: strict),
        .executableTarget(
            name: "sluice-simulate",
            dependencies: [
                "ScanningSupport", "Simulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulate", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["ScanningSupport", "Simulation", "sluice-simulate"],
            swiftSettings: strict),

        .testTarget(
            name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ScanningTests", dependencies: ["Readings", "Scanning", "ScanningSupport"],
            resources: [.copy("Corpus")], swiftSettings: strict),
        .testTarget(
            name: "ScanningDatabaseTests",
            dependencies: ["Postgres", "Readings", "Scanning", "ScanningSupport", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "SpoolingSupport", dependencies: ["Spooling"], path: "Tests/SpoolingSupport",
            swiftSettings: strict),
        .testTarget(
            name: "SpoolingTests", dependencies: ["CLZ4", "Spooling", "SpoolingSupport"],
            swiftSettings: strict),
        .testTarget(name: "ChannelsTests", dependencies: ["Channels"], swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "Schema", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Access", "Postgres", "Readings", "TestSupport",
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DiagnosisTests", dependencies: ["Diagnosis", "Postgres", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ErasureTests", dependencies: ["Erasure", "Postgres", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AnalystsTests",
            dependencies: ["Analysts", "Postgres", "Readings", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ExportTests",
            dependencies: ["Export", "Postgres", "Readings", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "InstrumentsTests",
            dependencies: ["Instruments", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        // A process that runs jobs, for tests to kill.
        .executableTarget(
            name: "job-worker",
            dependencies: [
                "Instruments", "Jobs", "Postgres",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/JobWorker", swiftSettings: strict),
        .testTarget(
            name: "JobsTests",
            dependencies: [
                "Jobs", "job-worker", "Instruments", "Postgres", "Readings", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StatusTests",
            dependencies: [
                "Instruments", "Status",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RetentionTests",
            dependencies: [
                "Instruments", "Postgres", "Readings", "Retention", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "NoticesTests",
            dependencies: [
                "Notices", "Instruments", "Postgres", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "MediaStorageTests",
            dependencies: [
                "MediaStorage", "Postgres", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.copy("Corpus")], swiftSettings: strict),
        .testTarget(
            name: "MultimediaTests",
            dependencies: [
                "CGD", "MediaStorage", "Multimedia", "Postgres", "TestSupport", "sluice",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["Corpus"], swiftSettings: strict),
        .testTarget(
            name: "CapturesTests",
            dependencies: [
                "Captures", "Ingestion", "JSONText", "Postgres", "Readings", "TestSupport",
            ],
            swiftSettings: strict),
        .target(
            name: "MealsSupport", dependencies: ["Meals"], path: "Tests/MealsSupport",
            swiftSettings: strict),
        .testTarget(
            name: "MealsTests",
            dependencies: [
                "Gemini", "GeminiSupport", "Ingestion", "Instruments", "Jobs", "Meals",
                "MealsSupport", "Notices", "Postgres", "Readings", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Corpora", "Golden", "FoodData"], swiftSettings: strict),
        // An HTTP server that answers by a script, as models and photo hosts do.
        .target(
            name: "GeminiSupport",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/GeminiSupport", swiftSettings: strict),
        .testTarget(
            name: "GeminiTests",
            dependencies: [
                "Gemini", "GeminiSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AnalysisTests",
            dependencies: [
                "Analysis", "Gemini", "GeminiSupport", "Instruments", "Jobs", "MediaStorage",
                "Multimedia", "Postgres", "Readings", "TestSupport", "sluice",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Corpora"], swiftSettings: strict),
        .testTarget(
            name: "IngestionTests",
            dependencies: [
                "Access", "Ingestion", "Instruments", "Postgres", "Readings", "Scanning",
                "ScanningSupport", "Spooling", "SpoolingSupport", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EdgeTests",
            dependencies: [
                "Access", "Captures", "CLZ4", "CZlib", "Edge", "Ingestion", "Instruments",
                "Meals",
                "MediaStorage", "Multimedia", "Notices", "Postgres", "Readings", "Scanning",
                "Status", "TestSupport", "sluice",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Analysis", "CLZ4", "CZlib", "Captures", "Edge", "Ingestion", "Instruments",
                "Meals",
                "MediaStorage", "Postgres", "Readings", "Retention",
                "Schema", "SluiceService", "Spooling",
                "TestSupport", "sluice", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Clients"], swiftSettings: strict),
    ]
)
