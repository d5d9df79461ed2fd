import Foundation

/// What a human reader finds in a transcription. The transcriptions in `cases.json` were written by
/// hand, as people speak into a phone, before the analyser had read them. It was never changed to
/// fit the last sixteen.
struct GoldenCase: Decodable {
    /// All persons who are named.
    let names: [String]
    /// The place; nil when the text names none.
    let place: String?
    /// One of the analyser's moods.
    let mood: String
    /// The main subjects; the analyser should find each of them.
    let themes: [String]
    let text: String

    static func all() throws -> [GoldenCase] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "cases.json")
        return try JSONDecoder().decode([GoldenCase].self, from: Data(contentsOf: file))
    }
}
