/// Why bytes are not CSV.
public struct CSVFault: Error, Equatable, Sendable {
    /// The line in which the row at fault begins, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: Reason

    /// What is wrong with a row.
    public enum Reason: Equatable, Sendable {
        /// The file ends in a quoted cell.
        case truncated
        /// Something after the closing quote of a cell.
        case afterQuote
        /// More bytes than this.
        case tooLong(bytesMax: Int)
        /// More cells than this.
        case tooManyCells(max: Int)
    }
}
