import Foundation
import JSONText

/// What commands say beside their output.
enum StandardError {
    /// Writes lines. Characters that a terminal might act on become `?`: the text may repeat what an
    /// operator typed or a stranger sent.
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.harmlessOnTerminal(keepsLines: true).utf8))
    }
}
