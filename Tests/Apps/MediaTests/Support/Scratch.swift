import Foundation
import Glibc

/// A directory for one test, removed with its last reference.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/sluice-media-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Every file in the directory, by relative path; stays on one file system.
    func files(in directory: String = ".") -> [String] {
        let root = "\(path)/\(directory)"
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return all.filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: "\(root)/\($0)", isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }

    /// Sets a file's time back.
    func age(_ file: String, by seconds: Int) {
        var times = [timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)]
        times.append(times[0])
        precondition(utimensat(AT_FDCWD, "\(path)/\(file)", times, 0) == 0, "\(file): \(errno)")
    }

    /// The journal's objects, by relative path.
    func objects() -> [String] { files(in: "media/objects") }
    /// Incomplete uploads.
    func incoming() -> [String] { files(in: "media/incoming") }

    /// Sets the time of every object back so far that the sweeper may remove it.
    func age(by seconds: Int) {
        for file in objects() { age("media/objects/\(file)", by: seconds) }
    }
}
