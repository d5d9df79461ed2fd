public import Erasure
import Files
import Foundation
public import Postgres
import Schema

/// `sluice export --user`: a directory with everything that this installation has of a user.
///
/// ```
/// DIR/index.md          what there is, in words, with the meaning of every column
/// DIR/rows/capture.ndjson   a file for each table with rows of the user, one JSON object a line
/// DIR/files/memories/…      the uploaded files, below the paths that their URLs have
/// ```
/// The directory appears when it is complete and durable; until then it has another name, beside
/// it. Only this system user may read it. An export that is killed leaves the unfinished directory.
public struct UserDirectory {
    /// What was written.
    public struct Report: Sendable, Equatable {
        /// Rows of all tables.
        public var rows = 0
        /// Uploaded files.
        public var files = 0
        /// Paths whose contents are missing in the media store.
        public var missing: [String] = []
        /// Readings and units of work of the user in this node's spool.
        public var spooled = 0
        /// Files of days that left the tables, which may have readings of the user and were not
        /// searched.
        public var archived: UserExport.ArchivedFiles?
    }

    /// Why no directory was made.
    public enum Fault: Error {
        /// Something is there, and not an empty directory.
        case pathInUse(String)
        /// Nothing is stored of this user.
        case unknown(user: String)
        /// An operation that the operating system refused.
        case failed(path: String, operation: String, errno: Int32)
        /// `stop` said so.
        case interrupted
    }

    private struct Failed: FileError {
        let failure: FileFailure
        init(_ failure: FileFailure) { self.failure = failure }
    }

    private let configuration: ServiceConfiguration
    private let connection: Connection
    private let stop: () -> Bool
    private let progress: (String) -> Void

    /// - Parameters:
    ///   - connection: to a database with this binary's schema; it is left in a transaction.
    ///   - stop: asked now and then whether to give up.
    ///   - progress: gets the name of each table or file.
    public init(
        _ configuration: ServiceConfiguration, on connection: Connection,
        stop: @escaping () -> Bool = { false }, progress: @escaping (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.connection = connection
        self.stop = stop
        self.progress = progress
    }

    /// Writes the directory.
    ///
    /// - Parameters:
    ///   - user: exactly as apps and devices send it; for a device that named none, its id in lower
    ///     case.
    ///   - path: nothing, or an empty directory.
    /// - Throws: ``Fault`` or `PostgresError`. Then nothing is left.
    public func write(_ user: String, to path: String) throws -> Report {
        let final = URL(filePath: path).standardizedFileURL
        let manager = FileManager.default
        var isDirectory: ObjCBool = false
        if manager.fileExists(atPath: final.path, isDirectory: &isDirectory) {
            let contents = try? manager.contentsOfDirectory(atPath: final.path)
            guard isDirectory.boolValue, contents?.isEmpty == true else {
                throw Fault.pathInUse(path)
            }
        }
        var template = Array((final.path + ".part.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Fault.failed(path: path, operation: "create", errno: errno)
        }
        let draft = URL(
            filePath: String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self))
        var isDone = false
        defer { if !isDone { try? manager.removeItem(at: draft) } }
        do {
            let report = try fill(draft, with: user)
            try syncNames(in: draft)
            guard rename(draft.path, final.path) == 0 else {
                throw Fault.failed(path: path, operation: "rename", errno: errno)
            }
            isDone = true
            NameSync.parent(of: final.path)
            return report
        } catch let error as Failed {
            throw Fault.failed(
                path: error.failure.path, operation: error.failure.operation.rawValue,
                errno: error.failure.errno)
        } catch let error as CocoaError {
            let code = (error.underlying as? POSIXError)?.code.rawValue ?? EIO
            throw Fault.failed(path: path, operation: "write", errno: code)
        }
    }

    private func fill(_ directory: URL, with user: String) throws -> Report {
        let export = try UserExport(user, on: connection)
        var report = Report()
        var index = Index(user: user)
        let rows = directory.appending(path: "rows")
        try make(rows)
        for table in UserExport.tables {
            progress(table.name)
            let path = rows.appending(path: table.name + ".ndjson").path
            let count = try write(to: path) { output in try export.rows(of: table, output) }
            if count == 0 {
                unlink(path)
            } else {
                let meaning = try export.meaning(of: table)
                index.add(table.name, count, meaning.table, meaning.columns)
            }
            report.rows += count
        }
        let files = try export.files()
        report.archived = try export.archivedFiles()
        report.spooled =
            try UserErasure(user, configuration, on: connection, progress: progress)
            .spooled()?.waiting ?? 0
        guard report.rows > 0 || report.spooled > 0 else { throw Fault.unknown(user: user) }
        try copy(files, into: directory.appending(path: "files"), &report)
        index.finish(report, files)
        _ = try write(to: directory.appending(path: "index.md").path) { output in
            var text = index.text
            text.withUTF8 { output(UnsafeRawBufferPointer($0)) }
            return 1
        }
        return report
    }

    /// Writes a file through a buffer, and syncs it.
    private func write(
        to path: String,
        _ body: ((UnsafeRawBufferPointer) -> Void) throws -> Int
    ) throws -> Int {
        let file = try Descriptor<Failed>(path, O_WRONLY | O_CREAT | O_EXCL)
        var buffer: [UInt8] = []
        var failure: Failed?
        func flush() {
            guard failure == nil else { return }
            do throws(Failed) {
                try file.write(buffer.span.bytes)
            } catch {
                failure = error
            }
            buffer.removeAll(keepingCapacity: true)
        }
        let count = try body { bytes in
            buffer.append(contentsOf: bytes)
            if buffer.count >= 1 << 18 { flush() }
        }
        flush()
        if let failure { throw failure }
        if stop() { throw Fault.interrupted }
        try file.sync()
        return count
    }

    private func make(_ directory: URL) throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Makes the names of a tree's files and directories survive a power cut.
    private func syncNames(in directory: URL) throws {
        try Descriptor<Failed>(directory.path, O_RDONLY | O_DIRECTORY).sync()
        let items = FileManager.default.enumerator(
            at: directory, includingPropertiesForKeys: [.isDirectoryKey])
        while let item = items?.nextObject() as? URL {
            if try item.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                try Descriptor<Failed>(item.path, O_RDONLY | O_DIRECTORY).sync()
            }
        }
    }

    private func copy(
        _ files: [UserExport.File], into directory: URL, _ report: inout Report
    ) throws {
        guard !files.isEmpty else { return }
        let store = configuration.apps.lazy.compactMap { $0.userFiles(configuration) }.first
        defer { store?.close() }
        for file in files {
            progress(file.path)
            if stop() { throw Fault.interrupted }
            let target = directory.appending(path: Self.safe(file))
            try make(target.deletingLastPathComponent())
            if try store?.copy(file.content, to: target.path) == true {
                report.files += 1
            } else {
                report.missing.append(file.path)
            }
        }
    }

    /// The file's path below the directory: no part of it leads out of there. A name without an
    /// ending gets that of its type.
    static func safe(_ file: UserExport.File) -> String {
        let parts = file.path.split(separator: "/").filter { $0 != "." && $0 != ".." }
        let path = parts.isEmpty ? "file" : parts.joined(separator: "/")
        guard parts.last?.contains(".") != true else { return path }
        let endings = [
            "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif",
            "image/heic": "heic", "image/tiff": "tiff", "video/mp4": "mp4",
            "video/quicktime": "mov", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/wav": "wav",
        ]
        return endings[file.type].map { "\(path).\($0)" } ?? path
    }

    /// `index.md`.
    private struct Index {
        private let user: String
        private var tables: [String] = []
        private var columns: [String] = []
        private(set) var text = ""

        init(user: String) { self.user = user }

        mutating func add(
            _ table: String, _ rows: Int, _ meaning: String, _ columns: [UserExport.Column]
        ) {
            let file = "rows/\(table).ndjson"
            tables.append("| [\(file)](\(file)) | \(rows) | \(meaning) |")
            self.columns.append("\n### \(table)\n")
            for column in columns {
                self.columns.append("- `\(column.name)`: \(column.meaning)")
            }
        }

        mutating func finish(_ report: Report, _ files: [UserExport.File]) {
            var lines = [
                "# Everything that Sluice has of one user", "",
                "User: `\(user)`. Written by `sluice export --user` at "
                    + "\(Date.now.formatted(.iso8601)). Times are UTC. Each line of a file below "
                    + "`rows` is a row of a table, as JSON.", "",
                "| file | rows | what |", "|---|---|---|",
            ]
            lines += tables
            if !files.isEmpty {
                lines += [
                    "", "## Files", "",
                    "\(report.files) uploaded files are below `files`, under the paths of their URLs.",
                ]
                lines += report.missing.map { "- missing in the media store: `\($0)`" }
            }
            lines += ["", "## Not in here", ""]
            if let archived = report.archived {
                lines.append(
                    "- \(archived.count) files of archived days from \(archived.first) to "
                        + "\(archived.last) may have readings of the user and were not searched. "
                        + "`\(archived.command)` brings the days back into the tables; then export "
                        + "again.")
            }
            if report.spooled > 0 {
                lines.append(
                    "- \(report.spooled) readings or units of work of the user are still in the "
                        + "spool: export again after its replay.")
            }
            lines.append("- Backups, logs of the database and the spools of other nodes.")
            lines.append("- Tables that have no rows of users:")
            lines += UserExport.otherTables.map { "  - `\($0.name)`: \($0.reason)" }
            lines += ["", "## Columns"]
            lines += columns
            text = lines.joined(separator: "\n") + "\n"
        }
    }
}
