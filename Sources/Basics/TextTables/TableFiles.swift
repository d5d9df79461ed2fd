import Foundation
import Synchronization

/// A table that is part of the binary.
public struct BuiltInTable: Sendable {
    /// Its name and columns.
    public let form: TableForm
    /// The whole file.
    public let bytes: [UInt8]

    /// - Parameter bytes: of the embedded file.
    public init(_ form: TableForm, _ bytes: [UInt8]) {
        self.form = form
        self.bytes = bytes
    }
}

/// The built-in tables, and those of a directory that extend or replace them: `units.tsv` is about
/// the table `units`.
public struct TableFiles: Sendable {
    /// No directory.
    public static let builtIn = TableFiles(files: [:])

    /// Path and bytes of the directory's files, by table.
    private let files: [String: (path: String, bytes: [UInt8])]

    private init(files: [String: (path: String, bytes: [UInt8])]) {
        self.files = files
    }

    /// Reads every file of the directory whose name ends in `.tsv`.
    ///
    /// - Parameter names: the names of all tables; a file with another name is a fault.
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

    /// A whole file.
    public static func bytes(of path: String) throws(TableFault) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw TableFault(file: path, reason: .unreadable)
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: TextTable.bytesMax + 1) else {
            // Nil for an empty file; reading a directory fails. Neither is a table.
            throw TableFault(file: path, reason: .unreadable)
        }
        return Array(data)
    }

    /// The rows of a table: the built-in ones, and what the directory makes of them.
    public func rows(of table: BuiltInTable) throws(TableFault) -> [TableRow] {
        guard let (path, bytes) = files[table.form.name] else { return try builtInRows(table) }
        let own = try TextTable(bytes, of: table.form, file: path)
        return own.extends ? try builtInRows(table) + own.rows : own.rows
    }

    private func builtInRows(_ table: BuiltInTable) throws(TableFault) -> [TableRow] {
        try TextTable(table.bytes, of: table.form, file: "\(table.form.name).tsv").rows
    }
}

/// Words grouped by list, from the columns `list` and `words` of a table.
public struct WordLists<List: RawRepresentable<String> & CaseIterable & Hashable & Sendable>:
    Sendable
{
    private var lists: [List: Set<String>] = [:]

    /// - Parameter rows: whose column `list` names a list.
    public init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let list: List = try row.choice("list")
            lists[list, default: []].formUnion(row.words("words"))
        }
    }

    /// Empty where the table has none.
    public subscript(list: List) -> Set<String> { lists[list] ?? [] }
}

/// A value that can be set until its first use and never changes after that.
public final class ChosenOnce<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var isTaken = false
    }

    private let state = Mutex(State())
    private let usual: @Sendable () -> Value

    /// - Parameter usual: makes the value if none is chosen.
    public init(usual: @escaping @Sendable () -> Value) {
        self.usual = usual
    }

    /// Must come before the first ``value()``.
    public func choose(_ value: Value) {
        state.withLock { state in
            precondition(!state.isTaken, "BUG: chosen after it was used")
            state.value = value
        }
    }

    /// The same each time.
    public func value() -> Value {
        state.withLock { state in
            let value = state.value ?? usual()
            state.value = value
            state.isTaken = true
            return value
        }
    }
}
