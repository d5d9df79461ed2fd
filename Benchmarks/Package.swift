// swift-tools-version: 6.2
import PackageDescription

// Load harness, oracle and microbenchmarks. A package of its own, so that what it depends on stays
// out of the product. From top to bottom: each target uses only those above it.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let core = Target.Dependency.product(name: "SluiceCore", package: "sluice")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "sluice-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        // Preloaded into a server whose clock is to be wrong.
        .library(name: "ClockShift", type: .dynamic, targets: ["ClockShift"])
    ],
    dependencies: [
        .package(name: "sluice", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    ],
    targets: [
        .systemLibrary(name: "CEpoll"),
        .target(name: "ClockShift"),
        .systemLibrary(
            name: "CPostgresClient", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // The other side of the scanner's ratio gets the best that its compiler can do here.
        .target(
            name: "CSimdjson",
            cxxSettings: [.unsafeFlags(["-O3", "-march=native", "-DNDEBUG"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "Fleet", dependencies: [core], swiftSettings: strict),
        .target(
            name: "Load",
            dependencies: [
                "CEpoll", "Fleet", .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Oracle", dependencies: ["CPostgresClient", "Fleet", core],
            swiftSettings: strict),
        .target(
            name: "ScanContest", dependencies: ["CSimdjson", "Fleet", core], swiftSettings: strict),

        .executableTarget(
            name: "scan-bench", dependencies: ["ScanContest", arguments], path: "Sources/ScanBench",
            swiftSettings: strict),
        .executableTarget(
            name: "sluice-bench",
            dependencies: [
                "Fleet", "Load", "Oracle", "ScanContest", arguments, core,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/SluiceBench", swiftSettings: strict),

        .testTarget(name: "FleetTests", dependencies: ["Fleet", core], swiftSettings: strict),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "Load", "Fleet", .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SluiceBenchTests", dependencies: ["Load", "sluice-bench"],
            swiftSettings: strict),
        .testTarget(
            name: "OracleTests", dependencies: ["Oracle", "Fleet", core], swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)
