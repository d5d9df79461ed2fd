import Captures
import Foundation
public import Readings

/// One person in one capture. Contacts are made of mentions.
///
/// A capture has at most one mention of a name, however often the name is said, so counting
/// mentions counts captures.
public struct Mention: Sendable, Equatable {
    /// The name folded for comparison; see `FoldedName`.
    public var nameKey: String
    /// The capture's key.
    public var captureID: String
    /// The capture's time.
    public var time: Timestamp
    /// The name as it was said.
    public var name: String
    /// The person's relationship to the user, if it was said.
    public var relationship: String?
    /// The sentence that names the person, or the description of the face.
    public var note: String?
    /// The photo, if it shows the person.
    public var photoURL: String?
    /// The confidence in the face; nil when no face has that name.
    public var faceConfidence: Double?

    /// Takes all fields; the key is made from `name`.
    public init(
        captureID: String, time: Timestamp, name: String, relationship: String? = nil,
        note: String? = nil, photoURL: String? = nil, faceConfidence: Double? = nil
    ) {
        nameKey = FoldedName.key(of: name)
        self.captureID = captureID
        self.time = time
        self.name = name
        self.relationship = relationship
        self.note = note
        self.photoURL = photoURL
        self.faceConfidence = faceConfidence
    }
}

extension Mention {
    /// A mention for every person that a capture names or shows.
    ///
    /// - Parameter transcription: the source of relationships and notes, for any analyser.
    static func mentions(
        in analysis: CaptureAnalysis, captureID: String, time: Timestamp, photoURL: String?,
        transcription: String?
    ) -> [Mention] {
        let text = SpokenText(String((transcription ?? "").prefix(LocalAnalyser.charactersMax)))
        let relationships = Dictionary(
            NameFinder(text).people().map { (FoldedName.key(of: $0.name), $0.relationship) },
            uniquingKeysWith: { $0 ?? $1 })
        let named = analysis.detectedFaces.compactMap { face in face.possibleName }
        var mentions: [Mention] = []
        for name in analysis.mentionedNames + named {
            let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let key = FoldedName.key(of: name)
            guard !key.isEmpty, !mentions.contains(where: { $0.nameKey == key }) else { continue }
            let face = analysis.detectedFaces.filter { $0.possibleName.map(FoldedName.key) == key }
                .max { $0.confidence < $1.confidence }
            mentions.append(
                Mention(
                    captureID: captureID, time: time, name: name,
                    relationship: relationships[key] ?? nil,
                    note: note(on: key, in: text) ?? face?.description,
                    photoURL: face == nil ? nil : photoURL, faceConfidence: face?.confidence))
        }
        return mentions
    }

    /// The first sentence that contains all words of the name.
    private static func note(on key: String, in text: SpokenText) -> String? {
        let words = key.split(separator: " ").map {
            $0.trimmingCharacters(in: .punctuationCharacters)
        }
        for (number, sentence) in text.sentences.enumerated() {
            let keys = Set(text.words(ofSentence: number).map(\.key))
            if words.allSatisfy(keys.contains) { return KeyMoment.shortened(sentence) }
        }
        return nil
    }
}
