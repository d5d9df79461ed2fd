import ArgumentParser
import Foundation
import Server
import Status

/// The terminal of `sluice top`: enters the alternate screen, draws, and restores the old state.
///
/// Used by one task. After a crash the alternate screen stays; `reset` restores it.
struct TopTerminal {
    private var device = TerminalDevice(input: STDIN_FILENO, output: STDOUT_FILENO)
    private var size: (columns: Int, rows: Int)?
    private let hasColor: Bool
    private let hasUnicode: Bool

    /// Colours depend on `NO_COLOR` and `TERM`, characters other than ASCII on the locale.
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

    /// Draws the result of `lines` for the current size of the terminal.
    mutating func draw(_ lines: (_ columns: Int, _ rows: Int) -> [TerminalLine]) {
        let now = device.size ?? (80, 24)
        let screen = Screen(
            columns: now.columns, rows: now.rows, hasColor: hasColor, hasUnicode: hasUnicode)
        // After a change of size the screen may contain anything.
        let hasChanged = size.map { $0 != now } ?? false
        size = now
        device.write((hasChanged ? Screen.clear : "") + screen.frame(lines(now.columns, now.rows)))
    }
}
