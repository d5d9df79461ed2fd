import Fleet
import Foundation
import Glibc
import Load
import Synchronization

/// Uploads beside `cp` and `fsync` of the same files.
struct UploadGoal {
    let server: ServerUnderTest
    let files: Int
    let fileBytes: Int
    let uploaders: Int
    let pairs: Int
    let key: String
    let name: String

    /// Files of a run that are fetched again and compared.
    private static let comparedMax = 3

    private var headLines: String { "Authorization: Bearer \(key)\r\n" }

    func row() throws -> GoalOutcome {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-files-\(getpid())")
        defer { try? FileManager.default.removeItem(at: directory) }
        var (ratios, served, copied): ([Double], [Double], [Double]) = ([], [], [])
        var void: String?
        // The first pair only warms up.
        for pair in 0...pairs where void == nil {
            let sources = try makeFiles(directory.appendingPathComponent("from"), seed: pair)
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] {
                sync()
                if side == 0 {
                    served.append(try upload(sources, run: "\(name)-\(pair)"))
                    void = try fault(sources, run: "\(name)-\(pair)")
                } else {
                    copied.append(try copy(sources, to: directory.appendingPathComponent("to")))
                }
            }
            if pair == 0 {
                served.removeAll()
                copied.removeAll()
            } else if let one = served.last, let other = copied.last {
                ratios.append(one / other)
            }
        }
        let remark =
            served.isEmpty
            ? ""
            : "\(Int(Figures.median(served) / 1e6)) against "
                + "\(Int(Figures.median(copied) / 1e6)) MB/s, \(uploaders) at once"
        return GoalOutcome(
            name: "uploads of \(fileBytes / 1024) KiB ÷ cp + fsync", unit: "×",
            direction: .atLeast, goal: 0.6, values: ratios, remark: remark, void: void)
    }

    /// JPEG by its first bytes, then noise; no two alike, or the server would keep one of them.
    private func makeFiles(_ directory: URL, seed: Int) throws -> [String] {
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: UInt64(seed) &+ UInt64(getpid()))
        return try (0..<files).map { number in
            var bytes = ByteWriter(capacity: fileBytes + 16)
            bytes.put(bytes: [0xFF, 0xD8, 0xFF, 0xE0])
            while bytes.count < fileBytes { bytes.put(bigEndian: random.next()) }
            bytes.truncate(to: fileBytes)
            let path = directory.appendingPathComponent("\(number).jpg").path
            try Data(bytes.array()).write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    /// Bytes a second.
    private func upload(_ sources: [String], run: String) throws -> Double {
        try rate { [port = server.port, headLines, fileBytes, uploaders] uploader in
            let client = try UploadClient(port: port, headLines: headLines)
            for number in stride(from: uploader, to: sources.count, by: uploaders) {
                try client.upload(sources[number], bytes: fileBytes, id: "\(run)-\(number)")
            }
        }
    }

    private func copy(_ sources: [String], to directory: URL) throws -> Double {
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return try rate { [uploaders] copier in
            let mine = stride(from: copier, to: sources.count, by: uploaders).map { sources[$0] }
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

    private func rate(_ body: @escaping @Sendable (Int) throws -> Void) throws -> Double {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        let start = monotonicNanoseconds()
        for number in 0..<uploaders {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try body(number)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return Double(files * fileBytes) / (Double(monotonicNanoseconds() - start) * 1e-9)
    }

    /// Why what is stored is not what was sent, if so.
    private func fault(_ sources: [String], run: String) throws -> String? {
        let client = try UploadClient(port: server.port, headLines: headLines)
        for number in [0, sources.count / 2, sources.count - 1].prefix(Self.comparedMax) {
            let stored = try client.fetch("/media/memories/\(run)-\(number)/photo.jpg")
            if stored != [UInt8](try Data(contentsOf: URL(fileURLWithPath: sources[number]))) {
                return "file \(number) came back different"
            }
        }
        return nil
    }
}
