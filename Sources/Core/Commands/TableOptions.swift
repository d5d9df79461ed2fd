import ArgumentParser
import Readings
import Server
import Status
import Synchronization
import Times

/// How a command prints its table.
package struct TableOptions: ParsableArguments {
    @Flag(help: "Print JSON: an array with one object per row.")
    var json = false

    /// Made by the parser.
    package init() {}

    /// Prints rows below their headings, or as objects whose keys are the headings in lower case.
    ///
    /// - Parameters:
    ///   - numbers: the headings of columns of whole numbers.
    ///   - remarks: prints further text, for people only.
    package func show(
        _ heads: [String], _ rows: [[String]], numbers: Set<String> = [],
        remarks: () throws -> Void
    ) rethrows {
        guard json else {
            if !rows.isEmpty { Columns.show(heads, rows) }
            return try remarks()
        }
        let keys = heads.map { $0.lowercased().replacing(" ", with: "_") }
        let objects = rows.map { row in
            Dictionary(
                uniqueKeysWithValues: heads.indices.map { column in
                    (keys[column], Cell(row[column], isNumber: numbers.contains(heads[column])))
                })
        }
        do {
            try JSONOutput.show(objects)
        } catch {
            preconditionFailure("BUG: no JSON")
        }
    }

    /// Prints rows without remarks.
    package func show(_ heads: [String], _ rows: [[String]], numbers: Set<String> = []) {
        show(heads, rows, numbers: numbers, remarks: {})
    }

    /// A value of a JSON object; an empty text and `-` become null.
    private struct Cell: Encodable {
        private let text: String?
        private let number: Int?

        init(_ shown: String, isNumber: Bool) {
            number = isNumber ? Int(shown) : nil
            text = shown == "-" || shown.isEmpty ? nil : shown
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let number {
                try container.encode(number)
            } else {
                try container.encode(text)
            }
        }
    }
}
