import CQREncode

/// A text as a QR code (ISO/IEC 18004), for a camera in front of a terminal.
struct QRCode {
    /// The modules row by row; true is dark.
    private let isDark: [[Bool]]

    /// The margin that readers need, in modules.
    private static let margin = 4

    /// Corrects 15 % of damage, which is plenty on a screen.
    ///
    /// - Returns: nil for a text that has NUL or is longer than a code can be, about 2,300 bytes.
    init?(_ text: String) {
        guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        isDark = (0..<width).map { row in
            // The lowest bit of each byte is the colour.
            (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 }
        }
    }

    /// Two rows of modules a line, light ones drawn: right in bright letters on black.
    var lines: [String] {
        let places = -Self.margin..<isDark.count + Self.margin
        func isLight(_ row: Int, _ column: Int) -> Bool {
            guard isDark.indices.contains(row), isDark.indices.contains(column) else {
                return true
            }
            return !isDark[row][column]
        }
        return stride(from: places.lowerBound, to: places.upperBound, by: 2).map { row in
            places.map { column in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }

    /// The lines in bright white on black, whatever the terminal's colours are.
    var terminalText: String {
        lines.map { "\u{1B}[97;40m\($0)\u{1B}[0m\n" }.joined()
    }
}
