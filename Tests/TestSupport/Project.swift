public import Foundation

/// Paths of the project's own files, for tests that read them.
public enum Project {
    /// The directory with `Package.swift`.
    public static let directory = {
        var directory = URL(filePath: #filePath).resolvingSymlinksInPath()
        repeat {
            directory.deleteLastPathComponent()
            precondition(directory.path() != "/", "BUG: no Package.swift above \(#filePath)")
        } while !FileManager.default.fileExists(
            atPath: directory.appending(path: "Package.swift").path())
        return directory
    }()

    /// A file or directory by its path from the project's directory.
    public static func file(_ path: String) -> URL { directory.appending(path: path) }
}
