import Glibc

/// A terminal device of the operating system.
///
/// Source: POSIX.1-2017, "General Terminal Interface".
public struct TerminalDevice: Sendable {
    private let input: Int32
    private let output: Int32
    private var before: termios?

    /// - Parameters:
    /// - input: descriptor from which keys are read.
    /// - output: descriptor to which text is written.
    public init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// Delivers keys one by one and without echo; Ctrl-C and Ctrl-Z remain signals. Does nothing if
    /// the input is not a terminal.
    public mutating func takeKeys() {
        var mode = termios()
        guard before == nil, isatty(input) == 1, tcgetattr(input, &mode) == 0 else { return }
        before = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(input, TCSANOW, &mode)
    }

    /// Restores the mode from before ``takeKeys()``.
    public mutating func giveKeysBack() {
        guard var mode = before else { return }
        tcsetattr(input, TCSANOW, &mode)
        before = nil
    }

    /// The current size; nil if it is unknown.
    public var size: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return nil }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// Writes `text`; errors are ignored, because the terminal may have been closed.
    public func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { piece in
                #if canImport(Glibc)
                Glibc.write(output, piece.baseAddress, piece.count)
                #elseif canImport(Musl)
                Musl.write(output, piece.baseAddress, piece.count)
                #else
                Darwin.write(output, piece.baseAddress, piece.count)
                #endif
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
