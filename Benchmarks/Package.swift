// swift-tools-version: 6.2
import PackageDescription

// Faults and raw limits beside the product's load generator and oracle. A package of its own, so that
// what it depends on stays out of the product. From top to bottom: each target uses only those
// above it.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let core = Target.Dependency.product(name: "SluiceCore", package: "sluice")
let load = Target.Dependency.product(name: "SluiceLoad", package: "sluice")
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
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    ],
    targets: [
        .target(name: "ClockShift"),
        // The other side of the scanner's ratio gets the best that its compiler can do here.
        .target(
            name: "CSimdjson",
            cxxSettings: [.unsafeFlags(["-O3", "-march=native", "-DNDEBUG"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(
            name: "ScanContest", dependencies: ["CSimdjson", core, load], swiftSettings: strict),

        .executableTarget(
            name: "scan-bench", dependencies: ["ScanContest", arguments], path: "Sources/ScanBench",
            swiftSettings: strict),
        .executableTarget(
            name: "sluice-bench",
            dependencies: [
                "ScanContest", arguments, core, load,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/SluiceBench", swiftSettings: strict),

        .testTarget(
            name: "SluiceBenchTests", dependencies: ["sluice-bench", load],
            swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)
