import Inspections
import Media

/// An analyser that needs no network and no model, and uses no clock and no random numbers.
///
/// It reads the transcription with word lists and rules for English, and uses the photo's metadata.
/// The same input gives the same analysis on every machine and in every time zone. It finds names
/// and places by their context, so it finds fewer of them in another language, and few wrong ones.
public struct LocalAnalyser: Analyser {
    /// The most characters that are analysed, about half an hour of speech. The rest is ignored.
    public static let charactersMax = 30_000

    /// `local`
    public var name: String { "local" }

    /// Cheap: the word lists are built at their first use.
    public init() {}

    /// Never fails.
    public func analyse(
        _ input: AnalysisInput
    ) async throws(AnalyserFailure) -> CaptureAnalysis {
        found(input)
    }

    /// The analysis, computed synchronously. Takes about a millisecond for a paragraph.
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
            text, people: people, place: place, hasImage: input.image != nil)
        let moment = KeyMoment.sentence(text, people: people, place: place)
        let analysis = CaptureAnalysis(
            imageSummary: summary, themes: themes, mood: MoodReader.read(text).mood,
            location: place ?? coordinates.map(ImageSummary.coordinates),
            mentionedNames: people.prefix(CaptureAnalysis.Limits.names.upperBound).map(\.name),
            keyMoment: moment ?? summary
                ?? (input.audioURL == nil ? Self.silentMoment : Self.silentRecording))
        do {
            return try analysis.checked()
        } catch {
            preconditionFailure("BUG: local analysis breaks \(error)")
        }
    }

    private static let silentMoment = "A moment"
    private static let silentRecording = "A recording without words"

    /// Whether a key moment says only that there was one. Reports add its time, because the user's
    /// time zone may change after the analysis.
    static func isSilent(_ keyMoment: String) -> Bool {
        [silentMoment, silentRecording].contains(keyMoment)
    }

    /// The text cut to ``charactersMax``, with spaces in place of control characters, which no row
    /// can store.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.prefix(charactersMax).unicodeScalars.map {
                    $0.properties.generalCategory == .control ? ($0 == "\n" ? "\n" : " ") : $0
                }))
    }
}
