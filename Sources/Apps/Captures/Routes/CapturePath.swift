import Captures
import Encodings
import HTTP

/// Validates segments of the paths of memory captures, and their queries.
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

    /// A person's name, percent-decoded.
    static func name(_ text: some StringProtocol) throws(RequestFailure) -> String {
        guard let name = PercentEncoding.decodedText(text),
            (1...Capture.contactNameCharactersMax).contains(name.unicodeScalars.count),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
        else { throw .nameInvalid }
        return name
    }

    /// `date`, `limit` and `offset`.
    static func page(_ query: String?) throws(RequestFailure) -> CapturePage {
        let fields = RequestQuery(query)
        var date: String?
        if let text = fields.value("date"), !text.isEmpty { date = try Self.date(text) }
        return CapturePage(
            date: date,
            limit: try number(
                fields.value("limit"), 1...CapturePage.limitMax, CapturePage.limitUsual,
                else: .limitInvalid),
            offset: try number(
                fields.value("offset"), 0...CapturePage.offsetMax, 0, else: .offsetInvalid))
    }

    private static func number(
        _ text: String?, _ range: ClosedRange<Int>, _ usual: Int, else failure: RequestFailure
    ) throws(RequestFailure) -> Int {
        guard let text, !text.isEmpty else { return usual }
        guard let number = Int(text), range.contains(number), text.first != "+" else {
            throw failure
        }
        return number
    }
}
