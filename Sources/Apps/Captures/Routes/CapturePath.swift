import Captures
import Encodings
import HTTP

/// Validates segments of the paths of memory captures.
enum CapturePath {
    static func captureID(_ text: some StringProtocol) throws(RequestFailure) -> String {
        guard let id = PercentEncoding.decodedText(text), Capture.isID(id) else {
            throw .captureIDInvalid
        }
        return id
    }

    /// A day of the calendar, `YYYY-MM-DD`, as sent.
    static func date(_ text: some StringProtocol) throws(RequestFailure) -> String {
        let text = String(text)
        guard MemoryQueries.isDate(text) else { throw .dateInvalid }
        return text
    }
}
