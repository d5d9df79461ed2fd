import Foundation
import Status

/// The terminal that `sluice top` runs on: takes it, draws, and gives it back as it was.
///
/// Used by one task. A crash leaves the alternate screen; `reset` helps then.
struct TopTerminal {
    private var device = TerminalDevice(input: STDIN_FILENO, output: STDOUT_FILENO)
    private var size: (columns: Int, rows: Int)?
    private let hasColor: Bool
    private let hasUnicode: Bool

    /// Colours as `NO_COLOR` and `TERM` say, other characters than ASCII as the locale says.
    init(_ environment: [String: String]) {
        let terminal = environment["TERM"] ?? ""
        hasColor =
            (environment["NO_COLOR"] ?? "").isEmpty && !terminal.isEmpty && terminal != "dumb"
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
            .first { !$0.isEmpty } ?? ""
        hasUnicode = locale.uppercased().contains("UTF")
    }

    mutating func take() {
        device.takeKeys()
        size = nil
        device.write(Screen.enter)
    }

    mutating func giveBack() {
        device.write(Screen.leave)
        device.giveKeysBack()
    }

    /// Draws what `lines` gives for the size that the terminal has now.
    mutating func draw(_ lines: (_ columns: Int, _ rows: Int) -> [TerminalLine]) {
        let now = device.size ?? (80, 24)
        let screen = Screen(
            columns: now.columns, rows: now.rows, hasColor: hasColor, hasUnicode: hasUnicode)
        // After another size has been drawn there may be anything anywhere.
        let hasChanged = size.map { $0 != now } ?? false
        size = now
        device.write((hasChanged ? Screen.clear : "") + screen.frame(lines(now.columns, now.rows)))
    }
}
