import Readings
import Retention

/// A file of the archive: rows as COPY writes them.
final class ArchiveImport: ImportParser {
    private let output: ImportOutput
    private let kind: ReadingKind
    private let columns: [String]
    private var lines = LineSplitter()
    /// The senders of the keys met last.
    private var senders: [Int64: (device: String, user: String)] = [:]
    private static let sendersMax = 10_000

    init(_ output: ImportOutput, _ manifest: Manifest) throws {
        self.output = output
        guard let kind = ReadingKind.allCases.first(where: { $0.name == manifest.kind }) else {
            throw output.fault(1, .sums(kind: manifest.kind))
        }
        self.kind = kind
        columns = manifest.columns
        for name in columns where !["device_key", "t"].contains(name) {
            guard ReadingColumns.field(name, of: kind) != nil else {
                throw output.fault(1, .unknownColumn(name, known: kind.schema.columns))
            }
        }
    }

    func take(_ piece: UnsafeRawBufferPointer) throws {
        try lines.take(
            piece, tooLong: { output.fault($0, .tooLong(max: Imports.lineBytesMax)) }, add)
    }

    func finish() throws { try lines.finish(add) }

    private func add(_ line: Int, _ bytes: UnsafeRawBufferPointer) throws {
        let cells = bytes.split(separator: 0x09, omittingEmptySubsequences: false)
        guard cells.count == columns.count else {
            throw output.fault(line, .cells(found: cells.count, expected: columns.count))
        }
        var draft = ReadingDraft()
        draft.add("type", text: kind.name)
        var key: Int64?
        for (name, cell) in zip(columns, cells) where !cell.elementsEqual("\\N".utf8) {
            let text = Self.unescaped(cell)
            switch name {
            case "device_key": key = Int64(String(decoding: text, as: UTF8.self))
            case "t": draft.add("t", text: text)
            default:
                if case .object = ReadingColumns.field(name, of: kind)?.rule {
                    draft.add(name, json: text)
                } else {
                    draft.add(name, text: text)
                }
            }
        }
        guard let key else { throw output.fault(line, .noDevice) }
        let sender = try sender(of: key, line)
        try output.add(line: line, device: sender.device, user: sender.user, draft.finished())
    }

    private func sender(of key: Int64, _ line: Int) throws -> (device: String, user: String) {
        if let known = senders[key] { return known }
        guard let found = try output.context.sender(key) else {
            throw output.fault(line, .unknownKey(key))
        }
        if senders.count >= Self.sendersMax { senders = [:] }
        senders[key] = found
        return found
    }

    /// - Source: PostgreSQL manual, "COPY", section "Text Format".
    private static func unescaped(_ cell: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        guard cell.contains(UInt8(ascii: "\\")) else { return Array(cell) }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in cell {
            if isEscaped {
                isEscaped = false
                switch byte {
                case UInt8(ascii: "b"): text.append(0x08)
                case UInt8(ascii: "f"): text.append(0x0C)
                case UInt8(ascii: "n"): text.append(0x0A)
                case UInt8(ascii: "r"): text.append(0x0D)
                case UInt8(ascii: "t"): text.append(0x09)
                case UInt8(ascii: "v"): text.append(0x0B)
                default: text.append(byte)
                }
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                text.append(byte)
            }
        }
        return text
    }
}
