import Foundation
import Glibc

/// A directory of a test's own, removed with its last reference.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/sluice-media-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Every file below, by its path from here; one file system only.
    func files(in directory: String = ".") -> [String] {
        let root = "\(path)/\(directory)"
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return all.filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: "\(root)/\($0)", isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }

    /// Moves a file's date back.
    func age(_ file: String, by seconds: Int) {
        var times = [timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)]
        times.append(times[0])
        precondition(utimensat(AT_FDCWD, "\(path)/\(file)", times, 0) == 0, "\(file): \(errno)")
    }

    /// The journal's objects, by their paths from here.
    func objects() -> [String] { files(in: "media/objects") }
    /// Uploads that are not complete.
    func incoming() -> [String] { files(in: "media/incoming") }

    /// Makes every object so old that the sweeper may take it.
    func age(by seconds: Int) {
        for file in objects() { age("media/objects/\(file)", by: seconds) }
    }
}
