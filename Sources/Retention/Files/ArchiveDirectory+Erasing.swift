import Foundation

/// Files that take another's place.
extension ArchiveDirectory {
    /// `gps_20250101.copy.lz4`, `gps_20250101.2.copy.lz4`, `gps_20250101.3.copy.lz4` …
    static func nextName(after file: String) -> String {
        var words = file.replacing(".copy.lz4", with: "").split(separator: ".").map(String.init)
        let number = words.count > 1 ? Int(words.removeLast()) ?? 1 : 1
        return words.joined(separator: ".") + ".\(number + 1).copy.lz4"
    }

    /// Removes files of a part that its row does not name: a crash left them.
    func removeOthers(of part: ArchivedPart) throws(ArchiveError) {
        let usual = Self.fileName(part.partition, part: part.part)
        let base = usual.prefix { $0 != "." } + "."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names
        where name != part.file && name.hasPrefix(base) && name.hasSuffix(".copy.lz4") {
            try remove(name, id: part.id)
        }
    }
}
