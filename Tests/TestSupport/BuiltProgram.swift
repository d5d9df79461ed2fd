import Foundation

/// Programs of this package, built together with the running tests.
public enum BuiltProgram {
    /// The path beside the tests' own executable.
    public static func path(_ name: String) -> String {
        // Not `CommandLine`: the test runner may be started with a relative path.
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }
}
