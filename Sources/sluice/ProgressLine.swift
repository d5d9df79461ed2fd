import Foundation

/// One line on standard error that is written over again and again; nothing when that is no terminal.
enum ProgressLine {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    static func end() {
        show("")
    }
}
