import JSONText
import Readings
import SeparatedValues

/// CSV with the columns of the views, keys of `/ingest`, or columns of an archive.
final class CSVImport: ImportParser {
    private let output: ImportOutput
    private var reader = CSVReader()
    private var columns: [ReadingColumns.Role]?
    /// nil: a column says it.
    private var kind: ReadingKind?
    /// Texts are as they were stored.
    private let isArchived: Bool

    init(_ output: ImportOutput) {
        self.output = output
        isArchived = false
    }

    /// For a file of the archive.
    ///
    /// - Parameter kind: as its manifest has it.
    init(_ output: ImportOutput, archived kind: String) throws {
        guard let known = ReadingKind.allCases.first(where: { $0.name == kind }) else {
            throw output.fault(1, .sums(kind: kind))
        }
        self.output = output
        self.kind = known
        isArchived = true
    }

    var line: Int { reader.rowLine }

    func take(_ piece: UnsafeRawBufferPointer) throws {
        try reader.take(piece, fault: fault) { row throws in try add(row) }
    }

    func finish() throws {
        try reader.finish(fault: fault) { row throws in
            let hasValues = columns != nil
            try add(row)
            // An archive has checksums.
            if hasValues, !isArchived {
                output.note(.noLineBreak(path: output.path, line: row.line))
            }
        }
    }

    private func fault(_ fault: CSVFault) -> any Error {
        output.fault(fault.line, ImportFault.Reason(fault.reason))
    }

    private func add(_ row: CSVRow) throws {
        guard row.isUTF8 else { throw output.fault(row.line, .notUTF8) }
        guard let columns else { return try readHead(row) }
        guard row.count == columns.count else {
            throw output.fault(row.line, .cells(found: row.count, expected: columns.count))
        }
        var device: String?
        var user: String?
        var metric: String?
        var isNamed = true
        var kind = kind
        for (place, column) in columns.enumerated() {
            guard let cell = row[place] else { continue }
            switch column {
            case .device: device = plain(cell)
            case .user: user = plain(cell)
            case .metric: metric = plain(cell)
            case .kind: kind = ReadingKind.allCases.first { $0.name.utf8.elementsEqual(cell) }
            case .value("code"): isNamed = ReadingColumns.isGivenOut(code: cell)
            case .time, .motion, .value, .passed: continue
            }
        }
        var draft = ReadingDraft()
        if let kind { draft.add("type", text: kind.name) }
        isNamed = isNamed && kind == .vital && metric != nil
        for (place, column) in columns.enumerated() {
            guard let cell = row[place] else { continue }
            switch column {
            case .time: draft.add("t", text: cell)
            case .kind where kind == nil: draft.add("type", text: cell)
            case .motion: draft.add(motion: cell)
            case .value(let name):
                guard let kind else { continue }
                guard let field = ReadingColumns.field(name, of: kind) else {
                    output.leaveOut(.field(name))
                    continue
                }
                if isNamed, field.name == "code" { continue }
                add(cell, as: field, to: &draft)
            case .metric where kind != nil && kind != .vital: output.leaveOut(.field("metric"))
            case .device, .user, .metric, .kind, .passed: continue
            }
        }
        if isNamed, let metric {
            draft.add(metric: metric, try output.metric(metric))
        }
        try output.add(line: row.line, device: device, user: user, draft.finished())
    }

    private func readHead(_ row: CSVRow) throws {
        var columns: [ReadingColumns.Role] = []
        for place in 0..<row.count {
            let name = Self.name(row[place] ?? [])
            guard let role = ReadingColumns.role(of: name) else {
                throw output.fault(
                    row.line, .unknownColumn(name, known: ReadingColumns.names))
            }
            guard role == .passed || !columns.contains(role) else {
                throw output.fault(row.line, .columnTwice(name))
            }
            columns.append(role)
        }
        if kind == nil, !columns.contains(.kind) {
            let kinds = ReadingColumns.kinds(of: columns)
            guard kinds.count < 2 else {
                throw output.fault(row.line, .severalKinds(kinds.map(\.name)))
            }
            kind = kinds.first
            guard kind != nil else { throw output.fault(row.line, .noReadings) }
        }
        self.columns = columns
    }

    /// In lower case, without blanks around it.
    private static func name(_ cell: ArraySlice<UInt8>) -> String {
        var text = Substring(String(decoding: cell, as: UTF8.self))
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.lowercased()
    }

    private func add(
        _ cell: ArraySlice<UInt8>, as field: ReadingField, to draft: inout ReadingDraft
    ) {
        switch field.rule {
        case .object where Self.isObject(cell): draft.add(field.name, json: cell)
        case .text: draft.add(field.name, text: plain(cell))
        default: draft.add(field.name, text: cell)
        }
    }

    private static func isObject(_ cell: ArraySlice<UInt8>) -> Bool {
        cell.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes)
            return (try? reader.readObject { _, _ in }) == true
        }
    }

    /// Without the apostrophes that `sluice export` adds, so that no spreadsheet runs a text.
    private func plain(_ cell: ArraySlice<UInt8>) -> String {
        let text = String(decoding: cell, as: UTF8.self)
        guard !isArchived, cell.contains(UInt8(ascii: "'")) else { return text }
        var plain = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        var isPlace = true
        for (index, scalar) in scalars.enumerated() {
            if isPlace, scalar == "'", Self.isRisky(scalars[(index + 1)...]) {
                isPlace = false
                continue
            }
            isPlace = [";", "\t", "\r", "\n"].contains(scalar)
            plain.append(scalar)
        }
        return String(plain)
    }

    private static func isRisky(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        let blanks: Set<Unicode.Scalar> = [
            " ", "\u{0B}", "\u{0C}", "\u{A0}", "\u{200B}", "\u{3000}", "\u{FEFF}",
        ]
        guard let first = rest.first(where: { !blanks.contains($0) }) else { return false }
        return "=+@'-＝＋－＠﹦﹢﹣﹫".unicodeScalars.contains(first)
    }
}

extension ImportFault.Reason {
    fileprivate init(_ reason: CSVFault.Reason) {
        self =
            switch reason {
            case .truncated: .truncated
            case .afterQuote: .afterQuote
            case .tooLong(let max): .tooLong(max: max)
            case .tooManyCells(let max): .tooManyColumns(max: max)
            }
    }
}
