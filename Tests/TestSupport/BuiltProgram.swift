import Foundation

/// Programs of this package, as they were built with the tests that run.
public enum BuiltProgram {
    /// Beside the tests' own executable.
    public static func path(_ name: String) -> String {
        // Not `CommandLine`: the test runner may be called by a relative path.
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }
}
