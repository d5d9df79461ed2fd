import Multimedia

/// The analyser that needs nothing: no network, no model, no clock, no chance.
///
/// Reads the transcription by word lists and rules for English, and takes what the photo's metadata
/// say. The same input gives the same analysis on every machine. Names and places are
/// found by their context, so that a transcription in another language gives fewer, and few wrong
/// ones.
public struct LocalAnalyser: Analyser {
    /// What is longer is analysed up to here: about half an hour of speech.
    public static let charactersMax = 30_000

    /// `local`
    public var name: String { "local" }

    /// Word lists are made at their first use.
    public init() {}

    /// Never fails.
    public func analyse(
        _ input: AnalysisInput
    ) async throws(AnalyserFailure) -> CaptureAnalysis {
        found(input)
    }

    /// The analysis, at once. About a millisecond for a paragraph.
    public func found(_ input: AnalysisInput) -> CaptureAnalysis {
        let said = Self.plain(input.transcription ?? "")
        let text = SpokenText(said)
        let people = NameFinder(text).people().filter {
            CaptureAnalysis.Limits.name.contains($0.name.unicodeScalars.count)
        }
        let place = PlaceFinder(text, people: people).place()
            .flatMap {
                $0.unicodeScalars.count <= CaptureAnalysis.Limits.location.upperBound ? $0 : nil
            }
        let summary = input.picture.map(ImageSummary.text)
        let coordinates = (try? input.picture?.get())?.facts.coordinates
        let themes = ThemeReader.themes(
            text, people: people, place: place, hour: input.calendar.hourOfDay(input.time),
            hasImage: input.image != nil)
        let moment = KeyMoment.sentence(text, people: people, place: place)
        let analysis = CaptureAnalysis(
            imageSummary: summary, themes: themes, mood: MoodReader.read(text).mood,
            location: place ?? coordinates.map(ImageSummary.coordinates),
            mentionedNames: people.prefix(CaptureAnalysis.Limits.names.upperBound).map(\.name),
            keyMoment: moment ?? summary ?? Self.silent(input))
        do {
            return try analysis.checked()
        } catch {
            preconditionFailure("BUG: local analysis breaks \(error)")
        }
    }

    private static func silent(_ input: AnalysisInput) -> String {
        let kind = input.audioURL == nil ? "A moment" : "A recording without words"
        return "\(kind) at \(input.calendar.clock(input.time))"
    }

    /// Without control characters, which no row can hold, and not too long.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.prefix(charactersMax).unicodeScalars.map {
                    $0.properties.generalCategory == .control ? ($0 == "\n" ? "\n" : " ") : $0
                }))
    }
}
