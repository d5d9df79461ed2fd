import ArgumentParser
import Foundation
import Readings
import Server
import Status
import Synchronization
import Times

/// A table for a terminal.
enum Columns {
    /// Prints rows below their headings, with columns as wide as needed. The cells may be texts of
    /// strangers.
    static func show(_ heads: [String], _ rows: [[String]]) {
        let lines = ([heads] + rows).map { $0.map(TerminalText.safe) }
        let widths = heads.indices.map { column in
            lines.map { TerminalText.width($0[column]) }.max() ?? 0
        }
        for line in lines {
            let cells = line.enumerated().map { column, cell in
                let space = widths[column] - TerminalText.width(cell)
                return column == heads.count - 1
                    ? cell : cell + String(repeating: " ", count: space)
            }
            print(cells.joined(separator: "  "))
        }
    }
}
