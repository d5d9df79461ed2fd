import Foundation
import JSONText

/// How commands print JSON. It may hold texts of strangers: what a terminal might act on is
/// escaped, which does not change the value.
enum JSONOutput {
    /// Prints with indentation and sorted keys.
    static func show(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        show(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Prints documents that exist as text.
    static func show(_ json: String, terminator: String = "\n") {
        print(JSONString.escapedForTerminal(json), terminator: terminator)
    }
}
