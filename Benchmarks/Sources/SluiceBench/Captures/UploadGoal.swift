import Foundation
import Glibc
import Load

/// Compares uploads with `cp` and `fsync` of the same files, and with a program that only
/// receives, hashes and syncs them. That program shows what is left of the speed of `cp` if the
/// same two processors also send the files.
struct UploadGoal {
    let server: ServerUnderTest
    /// Bytes of each file.
    let sizes: [Int]
    let uploaders: Int
    /// Numbers of `cp` processes at once. Each number gives one ratio.
    let copiers: [Int]
    let pairs: Int
    let key: String
    let name: String
    let title: String

    /// Files of a run that are fetched again and compared.
    private static let comparedMax = 3
    /// Time between two samples of the server's memory.
    private static let watchMicroseconds: UInt32 = 10_000

    private var headLines: String { "Authorization: Bearer \(key)\r\n" }

    /// The result of a run of uploads.
    private struct Leg {
        let bytesPerSecond: Double
        /// Bytes of resident memory per connection, in addition to those with all connections
        /// idle.
        let memory: Double
    }

    /// - Returns: the throughput ratio for each of ``copiers``, and the memory per connection in
    ///   KiB while all upload.
    func rows() throws -> [GoalOutcome] {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-files-\(getpid())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let sources = try SourceFiles(
            sizes: sizes, in: directory.appendingPathComponent("from"))
        var (served, bare): ([Leg], [Double]) = ([], [])
        var copied = copiers.map { _ in [Double]() }
        // Side 0 is Sluice, side 1 the bare receiver; the others are the copiers.
        let sides = Array(0..<2 + copiers.count)
        var void: String?
        // The first pair only warms up.
        for pair in 0...pairs where void == nil {
            try sources.renew()
            for side in pair % 2 == 0 ? sides : sides.reversed() where void == nil {
                // `sync` comes first: writing back may take longer than the freed memory stays
                // available.
                sync()
                FreeMemory.provide(bytes: sources.bytes + sources.bytes / 8, in: directory)
                switch side {
                case 0:
                    served.append(try upload(sources, run: "\(name)-\(pair)"))
                    void = try fault(sources, run: "\(name)-\(pair)")
                case 1:
                    bare.append(try receive(sources, in: directory, run: "\(name)-\(pair)"))
                default:
                    let to = directory.appendingPathComponent("to-\(pair)-\(side)")
                    let files = CopiedFiles(sources: sources, copiers: copiers[side - 2])
                    copied[side - 2].append(try files.copy(to: to))
                }
            }
            if pair == 0 {
                served.removeAll()
                bare.removeAll()
                copied = copiers.map { _ in [] }
            }
        }
        let ratios = zip(copiers, copied).map { throughput(served, $0, $1, bare, void) }
        return ratios + [memory(served, void)]
    }

    private func throughput(
        _ served: [Leg], _ copiers: Int, _ copied: [Double], _ bare: [Double], _ void: String?
    ) -> GoalOutcome {
        let rates = served.map(\.bytesPerSecond)
        let remark =
            rates.isEmpty || copied.isEmpty || bare.isEmpty
            ? ""
            : "\(Int(Figures.median(rates) / 1e6)) against "
                + "\(Int(Figures.median(copied) / 1e6)) MB/s, \(uploaders) uploads and "
                + "\(copiers) cp at once; a bare receiver "
                + "\(Int(Figures.median(bare) / 1e6)) MB/s, "
                + Figures.spread(zip(bare, copied).map { $0 / $1 }) + " ×"
        return GoalOutcome(
            name: "uploads of \(title) ÷ cp + fsync" + (copiers > 1 ? ", \(copiers) at once" : ""),
            // The ratio has no goal; the goal is for the memory.
            unit: "×", direction: .atLeast, goal: 0,
            values: zip(rates, copied).map { $0 / $1 }, remark: remark, void: void)
    }

    private func memory(_ served: [Leg], _ void: String?) -> GoalOutcome {
        GoalOutcome(
            name: "memory a connection, \(uploaders) uploads", unit: "KiB beyond idle",
            direction: .atMost, goal: 300, values: served.map { $0.memory / 1024 }, void: void)
    }

    private func upload(_ sources: SourceFiles, run: String) throws -> Leg {
        let clients = try clients(port: server.port)
        let idle = server.residentBytes
        let watch = MemoryWatch(server, microseconds: Self.watchMicroseconds)
        defer { watch.stop() }
        let rate = try rate(sources, by: clients, run: run)
        let more = max(0, watch.stop() - idle)
        return Leg(bytesPerSecond: rate, memory: Double(more) / Double(uploaders))
    }

    private func receive(_ sources: SourceFiles, in directory: URL, run: String) throws -> Double {
        let to = directory.appendingPathComponent("bare-\(run)")
        try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
        let receiver = try BareReceiver(directory: to.path)
        defer { receiver.stop() }
        return try rate(sources, by: clients(port: receiver.port), run: run)
    }

    private func clients(port: Int) throws -> [UploadClient] {
        try (0..<uploaders).map { _ in
            let client = try UploadClient(port: port, headLines: headLines)
            _ = try client.fetch("/health")
            return client
        }
    }

    private func rate(
        _ sources: SourceFiles, by clients: [UploadClient], run: String
    ) throws -> Double {
        try Crowd.rate(of: sources.bytes, by: uploaders) {
            [files = sources.files, uploaders] uploader in
            for number in stride(from: uploader, to: files.count, by: uploaders) {
                let file = files[number]
                try clients[uploader].upload(file.path, bytes: file.bytes, id: "\(run)-\(number)")
            }
        }
    }

    /// Why the stored files differ from the sent ones; nil if they don't.
    private func fault(_ sources: SourceFiles, run: String) throws -> String? {
        let client = try UploadClient(port: server.port, headLines: headLines)
        let last = sources.files.count - 1
        for number in [0, last / 2, last].prefix(Self.comparedMax) {
            let stored = try client.fetch("/media/memories/\(run)-\(number)/photo.jpg")
            let source = URL(fileURLWithPath: sources.files[number].path)
            if stored != [UInt8](try Data(contentsOf: source)) {
                return "file \(number) differs after its download"
            }
        }
        return nil
    }
}
