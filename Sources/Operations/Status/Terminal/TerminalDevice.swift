import Glibc

/// A terminal, as the operating system sees it.
///
/// Source: POSIX.1-2017, "General Terminal Interface".
public struct TerminalDevice: Sendable {
    private let input: Int32
    private let output: Int32
    private var before: termios?

    /// - Parameters:
    ///   - input: descriptor that keys come from.
    ///   - output: descriptor that is drawn on.
    public init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// Keys come one by one and are not shown, from now on; Ctrl-C and Ctrl-Z stay signals. What is no
    /// terminal is left alone.
    public mutating func takeKeys() {
        var mode = termios()
        guard before == nil, isatty(input) == 1, tcgetattr(input, &mode) == 0 else { return }
        before = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(input, TCSANOW, &mode)
    }

    /// Keys are as they were before ``takeKeys()``.
    public mutating func giveKeysBack() {
        guard var mode = before else { return }
        tcsetattr(input, TCSANOW, &mode)
        before = nil
    }

    /// What there is room for now; nil where it doesn't say.
    public var size: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return nil }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// A terminal that is gone takes nothing, and nobody misses it.
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
