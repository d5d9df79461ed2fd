import Foundation
import Synchronization

/// The built-in tables, and the files of a directory that extend or replace them. The file
/// `units.tsv` belongs to the table `units`.
public struct TableFiles: Sendable {
    /// The built-in tables only.
    public static let builtIn = TableFiles(files: [:])

    /// Path and bytes of the directory's files, by table name.
    private let files: [String: (path: String, bytes: [UInt8])]

    private init(files: [String: (path: String, bytes: [UInt8])]) {
        self.files = files
    }

    /// Reads every file of the directory whose name ends in `.tsv` and does not begin with a dot.
    ///
    /// - Parameter names: the names of all tables. A file with any other name is a fault.
    public init(directory: String, names: [String]) throws(TableFault) {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw TableFault(file: directory, reason: .unreadable)
        }
        var files: [String: (path: String, bytes: [UInt8])] = [:]
        for entry in entries.sorted() where entry.hasSuffix(".tsv") && !entry.hasPrefix(".") {
            let path = URL(filePath: directory).appending(path: entry)
                .path(percentEncoded: false)
            let name = String(entry.dropLast(4))
            guard names.contains(name) else {
                throw TableFault(file: path, reason: .unknownTable(names))
            }
            files[name] = (path, try Self.bytes(of: path))
        }
        self.files = files
    }

    /// Reads a whole file, or standard input if the path is `-`, up to one byte more than
    /// ``TextTable/bytesMax``.
    public static func bytes(of path: String) throws(TableFault) -> [UInt8] {
        guard
            let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
        else {
            throw TableFault(file: path, reason: .unreadable)
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: TextTable.bytesMax + 1) else {
            // `read` returns nil for an empty file and throws for a directory. Neither is a table.
            throw TableFault(file: path, reason: .unreadable)
        }
        return Array(data)
    }

    /// The rows of a table: the directory's rows if they replace the built-in ones, otherwise the
    /// built-in rows followed by the directory's.
    public func rows(of table: BuiltInTable) throws(TableFault) -> [TableRow] {
        guard let (path, bytes) = files[table.form.name] else { return try builtInRows(table) }
        let own = try TextTable(bytes, of: table.form, file: path)
        return own.extends ? try builtInRows(table) + own.rows : own.rows
    }

    private func builtInRows(_ table: BuiltInTable) throws(TableFault) -> [TableRow] {
        try TextTable(table.bytes, of: table.form, file: "\(table.form.name).tsv").rows
    }
}
