import Fleet
import Foundation

/// Files to upload and to copy. Their first bytes are those of a JPEG; the rest is random.
struct SourceFiles {
    struct File: Sendable {
        let path: String
        let bytes: Int
    }

    let directory: URL
    let files: [File]

    /// Offset of the bytes that differ in each round.
    private static let markOffset: UInt64 = 64

    var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    init(sizes: [Int], in directory: URL) throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: UInt64(getpid()))
        files = try sizes.enumerated().map { number, size in
            var bytes = ByteWriter(capacity: size + 16)
            bytes.put(bytes: [0xFF, 0xD8, 0xFF, 0xE0])
            while bytes.count < size { bytes.put(bigEndian: random.next()) }
            bytes.truncate(to: size)
            let path = directory.appendingPathComponent("\(number).jpg").path
            try Data(bytes.array()).write(to: URL(fileURLWithPath: path))
            return File(path: path, bytes: size)
        }
    }

    /// Makes the files new to the server, which would otherwise keep the ones that it has.
    func renew() throws {
        for file in files {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
            defer { try? handle.close() }
            try handle.seek(toOffset: Self.markOffset)
            let mark = (0..<4).map { _ in UInt64.random(in: .min ... .max) }
            try mark.withUnsafeBytes { try handle.write(contentsOf: Data($0)) }
        }
    }

    /// Sizes from `smallest` to `largest`, spaced evenly on a logarithmic scale. They are the
    /// same each time, in random order.
    static func sizes(_ count: Int, from smallest: Int, to largest: Int) -> [Int] {
        var random = SeededGenerator(seed: 42)
        let step = log(Double(largest) / Double(smallest)) / Double(max(1, count - 1))
        return (0..<count).map { Int(Double(smallest) * exp(step * Double($0))) }
            .shuffled(using: &random)
    }
}
