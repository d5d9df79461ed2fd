import Foundation
import TestSupport
import Testing

/// A block of code in a Markdown file.
struct CodeBlock: CustomTestStringConvertible, Sendable {
    /// Its path in the project.
    let file: String
    /// As the fence says it, such as `sh`; empty for drawings.
    let language: String
    /// Without the indentation of the fence.
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }
    var testDescription: String { "\(file): \(lines.first ?? "")" }

    /// The files whose blocks are code for users.
    static let files =
        ["README.md", "sql/README.md"]
        + (FileManager.default.subpaths(atPath: Project.file("deploy").path()) ?? [])
        .filter { $0.hasSuffix(".md") }.sorted().map { "deploy/\($0)" }

    static let all = files.flatMap { file in
        let text = try? String(contentsOf: Project.file(file), encoding: .utf8)
        return blocks(of: text ?? "", file)
    }

    private static func blocks(of text: String, _ file: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (language: String, indentation: Int, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indentation = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(indentation)
            if let begun = open, rest == "```" {
                blocks.append(CodeBlock(file: file, language: begun.language, lines: begun.lines))
                open = nil
            } else if let begun = open {
                open?.lines.append(String(line.dropFirst(min(indentation, begun.indentation))))
            } else if rest.hasPrefix("```") {
                open = (String(rest.dropFirst(3)), indentation, [])
            }
        }
        return blocks
    }

    /// The block that begins with this text.
    static func named(_ file: String, _ beginning: String) throws -> CodeBlock {
        let found = all.filter { $0.file == file && $0.lines.first?.hasPrefix(beginning) == true }
        try #require(found.count == 1, "\(file) has \(found.count) blocks \(beginning)…")
        return found[0]
    }

    /// A command of a transcript in a shell: what a person types, and what answers.
    struct Step {
        var command: String
        /// The lines after `> `: what the person types into the program.
        var input: [String] = []
        /// The lines after `< `: what the program prints.
        var output: [String] = []
        /// The comment behind the command: what it prints.
        var printed = ""
    }

    /// The commands in order. A line that ends in a backslash continues in the next one, and an
    /// indented line continues the output before it.
    var steps: [Step] {
        var steps: [Step] = []
        var isContinued = false
        for line in lines where !line.isEmpty {
            let last = steps.count - 1
            if isContinued {
                steps[last].command += "\n" + line
            } else if line.hasPrefix("# "), last >= 0 {
                steps[last].printed += line.dropFirst(2).drop { $0 == " " }
            } else if line.hasPrefix("> "), last >= 0 {
                steps[last].input.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("< "), last >= 0 {
                steps[last].output.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("  "), last >= 0, !steps[last].output.isEmpty {
                steps[last].output[steps[last].output.count - 1] += line.drop { $0 == " " }
            } else {
                steps.append(Step(command: line))
            }
            isContinued = line.hasSuffix("\\")
        }
        return steps
    }

    /// Whether `text` contains what a document shows. There, `…` stands for anything, also for the
    /// rest of an id, and times in milliseconds differ.
    static func shows(_ shown: String, in text: String) -> Bool {
        let parts = shown.replacing(#/[0-9a-f]{8}-?…/#, with: "…")
            .split(separator: "…", omittingEmptySubsequences: false)
        let pattern = parts.map { NSRegularExpression.escapedPattern(for: String($0)) }
            .joined(separator: "[^\n]*").replacing(#/\d{13}/#, with: "[0-9]{13}")
        return shown.isEmpty || text.range(of: pattern, options: .regularExpression) != nil
    }
}
