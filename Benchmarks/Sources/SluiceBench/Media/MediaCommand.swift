import ArgumentParser
import Foundation

struct MediaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media",
        abstract: "Files: uploads against cp + fsync, memory per upload, GETs against nginx.",
        discussion: """
            Starts a private Sluice for each row and compares it with a raw limit, one after the \
            other.

              upload  many connections upload files of mixed sizes to Sluice, and to a bare
                      receiver that only hashes and syncs them; cp copies the same files,
                      with one process and with several at once, and each copy is synced;
                      some files are downloaded and compared; and the server's peak resident
                      memory during the uploads, minus its memory with idle connections
              single  files of one size, one or four at a time, against as many cp
              get     many connections fetch one file repeatedly, from Sluice (with its key)
                      and from an nginx with two workers, sendfile and no log

              sluice-bench media --sluice ../.build/release/sluice
              sluice-bench media --only get --pairs 3
            """)

    enum Row: String, CaseIterable, ExpressibleByArgument {
        case upload
        case single
        case get
    }

    @Option(help: "The server binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "Path of nginx; by default in /usr/sbin, or from deploy/install-dependencies.")
    var nginx = ""

    @Option(help: "Number of connections.")
    var connections = 256

    @Option(help: "Number of files in an upload run, of 100 KiB to 20 MiB each.")
    var files = 256

    @Option(help: "Number of parallel cp in the upload row, in addition to a single cp.")
    var copiers = 4

    @Option(help: "Length of each run of GETs in seconds.")
    var seconds = 2.0

    @Option(help: "Number of pairs for each row.")
    var pairs = 3

    @Option(help: "Measure only this row: upload, single or get.")
    var only: Row?

    @Option(help: "Directory for the result files; an empty string writes none.")
    var results = "Benchmarks/results"

    @Option(
        name: .customLong("setting"),
        help: "A server setting as KEY=value, for an experiment; can be repeated.")
    var settings: [String] = []

    private static let smallestBytes = 100 << 10
    private static let largestBytes = 20 << 20

    func validate() throws {
        guard (1...2000).contains(connections), (1...10_000).contains(files), seconds > 0,
            (2...64).contains(copiers), (1...99).contains(pairs)
        else {
            throw ValidationError(
                "--connections must be 1 to 2000, --files 1 to 10000, --seconds positive, "
                    + "--copiers 2 to 64, --pairs 1 to 99.")
        }
    }

    func run() throws {
        let machine = Machine()
        print(machine.line)
        var outcomes: [GoalOutcome] = []
        for row in Row.allCases where only.map({ $0 == row }) ?? true {
            for outcome in try measure(row) {
                print(outcome.line)
                outcomes.append(outcome)
            }
        }
        try GoalReport(machine: machine, outcomes: outcomes).write(to: results, as: "media")
    }

    private var nginxBinary: String {
        guard nginx.isEmpty else { return nginx }
        let places = ["/usr/sbin/nginx", ".build-tools/usr/sbin/nginx"]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) } ?? places[0]
    }

    private func measure(_ row: Row) throws -> [GoalOutcome] {
        let key = "app-\(UInt64.random(in: .min ... .max))"
        let server = try ServerUnderTest(
            binary: sluice,
            settings: [
                "SLUICE_APP_KEYS=\(key)", "SLUICE_JOBS_CONCURRENCY=0",
                // One caller may use four fifths of them.
                "SLUICE_UPLOADS_MAX=\(max(64, 2 * connections))",
            ] + settings)
        defer { server.stop() }
        let name = "b\(UInt32.random(in: .min ... .max))"
        func uploads(_ sizes: [Int], _ uploaders: Int, _ copiers: [Int], _ title: String)
            -> UploadGoal
        {
            UploadGoal(
                server: server, sizes: sizes, uploaders: uploaders, copiers: copiers,
                pairs: pairs, key: key, name: "\(name)-\(sizes[0])x\(uploaders)", title: title)
        }
        switch row {
        case .upload:
            let sizes = SourceFiles.sizes(
                files, from: Self.smallestBytes, to: Self.largestBytes)
            return try uploads(sizes, connections, [1, copiers], "100 KiB to 20 MiB").rows()
        case .single:
            return try [(2 << 20, 32, 1), (2 << 20, 64, 4), (20 << 20, 12, 1)].flatMap {
                (bytes, count, uploaders) in
                let sizes = Array(repeating: bytes, count: count)
                return try uploads(sizes, uploaders, [uploaders], "\(bytes >> 10) KiB").rows()
                    .prefix(1)
            }
        case .get:
            return try [100 << 10, 1 << 20, Self.largestBytes].map { bytes in
                try DownloadGoal(
                    server: server, nginx: nginxBinary, fileBytes: bytes, connections: connections,
                    seconds: seconds, pairs: pairs, key: key, name: name
                ).row()
            }
        }
    }
}
