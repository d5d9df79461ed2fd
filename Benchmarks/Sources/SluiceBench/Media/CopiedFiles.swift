import Foundation
import Glibc

/// The raw limit of storing files: `cp`, and `fsync` of each copy.
struct CopiedFiles {
    let sources: SourceFiles
    /// Number of `cp` processes, and of threads that sync.
    let copiers: Int

    /// - Parameter directory: a new directory; the copies stay there.
    /// - Returns: bytes a second.
    func copy(to directory: URL) throws -> Double {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (files, copiers) = (sources.files, copiers)
        return try Crowd.rate(of: sources.bytes, by: copiers) { copier in
            let mine = stride(from: copier, to: files.count, by: copiers).map { files[$0].path }
            guard !mine.isEmpty else { return }
            let copy = Process()
            copy.executableURL = URL(fileURLWithPath: "/bin/cp")
            copy.arguments = mine + [directory.path]
            try copy.run()
            copy.waitUntilExit()
            for source in mine {
                let target = directory.appendingPathComponent(
                    URL(fileURLWithPath: source).lastPathComponent)
                let file = open(target.path, O_RDONLY | O_CLOEXEC)
                guard copy.terminationStatus == 0, file >= 0, fsync(file) == 0 else {
                    throw UploadClient.Failure(description: "cp \(source): errno \(errno)")
                }
                close(file)
            }
        }
    }
}
