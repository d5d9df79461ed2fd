import Foundation

extension CaptureAnalysis {
    /// Without white space at the ends, moods and themes in lower case, nothing twice, and nil
    /// for the ways in which models say that there is nothing.
    func tidied() -> CaptureAnalysis {
        var tidy = self
        tidy.imageSummary = imageSummary.flatMap(Self.meant)
        tidy.location = location.flatMap(Self.meant)
        tidy.themes = Self.once(themes.map { Self.trimmed($0).lowercased() })
        tidy.mood = Self.trimmed(mood).lowercased()
        tidy.mentionedNames = Self.once(mentionedNames.map(Self.trimmed))
        tidy.keyMoment = Self.trimmed(keyMoment)
        tidy.detectedFaces = detectedFaces.map {
            DetectedFace(
                description: Self.trimmed($0.description),
                possibleName: $0.possibleName.flatMap(Self.meant), confidence: $0.confidence)
        }
        return tidy
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func meant(_ text: String) -> String? {
        let text = trimmed(text)
        let nothing: Set<String> = ["", "unknown", "none", "null", "n/a", "not specified"]
        return nothing.contains(text.lowercased()) ? nil : text
    }

    /// The first of those that are equal but for case.
    private static func once(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0.lowercased()).inserted }
    }
}
