import Foundation
import Glibc

/// A directory of a test's own, removed with its last reference.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/sluice-journal-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The store's objects, by their paths from here.
    func objects() -> [String] { files("media/objects") }
    /// Uploads that are not complete.
    func incoming() -> [String] { files("media/incoming") }

    /// Makes every object so old that the sweeper may take it.
    func age(by seconds: Int) {
        for file in objects() {
            let old = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
            precondition(
                utimensat(AT_FDCWD, "\(path)/media/objects/\(file)", [old, old], 0) == 0, file)
        }
    }

    private func files(_ directory: String) -> [String] {
        let root = "\(path)/\(directory)"
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return all.filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: "\(root)/\($0)", isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }
}
