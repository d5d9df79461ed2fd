import Foundation

/// The clock that Sluice sees through a preloaded library. The machine's clock does not change.
///
/// The library adds the seconds in a file to each reading of the wall clock. It does not change
/// the monotonic clock, because setting a clock does not change it either.
final class RigClock {
    private let file: String

    /// Built beside this program, as the product `ClockShift`.
    private static let library =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("libClockShift.so").path

    static let obstacle: String? =
        FileManager.default.fileExists(atPath: library)
        ? nil : "\(library) is missing: run swift build --product ClockShift"

    init(directory: String) throws {
        file = directory + "/clock"
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: file))
    }

    var environment: [String: String] {
        ["LD_PRELOAD": Self.library, "CLOCK_SHIFT_FILE": file]
    }

    /// A negative number sets the clock back. The file is written in place, because the library
    /// has it mapped.
    func set(secondsAhead seconds: Int) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try withUnsafeBytes(of: Int64(seconds)) { try handle.write(contentsOf: Data($0)) }
    }
}
