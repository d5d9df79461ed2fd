import Foundation
public import Readings

/// A person in a user's life, as far as the captures tell.
public struct Contact: Sendable, Equatable {
    /// Unique for a user.
    public var nameKey: String
    /// As it was first said.
    public var name: String
    /// As it was last said.
    public var relationship: String?
    /// What was said last about the person, a line each, the newest first.
    public var notes: String?
    /// The photo that shows the face most surely.
    public var bestFacePhotoURL: String?
    /// Time of the earliest capture with the person.
    public var firstSeen: Timestamp
    /// Time of the latest capture with the person.
    public var lastSeen: Timestamp
    /// Captures with the person.
    public var mentionCount: Int
}

/// One person in one capture: what contacts are made of.
///
/// A capture has at most one mention of a name, however often it is said, so that counting
/// mentions counts captures.
public struct Mention: Sendable, Equatable {
    /// The name folded for comparison; see ``key(of:)``.
    public var nameKey: String
    /// The capture.
    public var captureID: String
    /// The capture's time.
    public var time: Timestamp
    /// As it was said.
    public var name: String
    /// What the person is to the user, when it was said.
    public var relationship: String?
    /// The sentence that names the person, or what the face looks like.
    public var note: String?
    /// The photo that shows the person.
    public var photoURL: String?
    /// How surely it does; nil when no face has that name.
    public var faceConfidence: Double?

    /// All fields at once; the key is made of `name`.
    public init(
        captureID: String, time: Timestamp, name: String, relationship: String? = nil,
        note: String? = nil, photoURL: String? = nil, faceConfidence: Double? = nil
    ) {
        nameKey = Self.key(of: name)
        self.captureID = captureID
        self.time = time
        self.name = name
        self.relationship = relationship
        self.note = note
        self.photoURL = photoURL
        self.faceConfidence = faceConfidence
    }

    /// Equal for names that differ in case, spacing or in how accents are written down.
    public static func key(of name: String) -> String {
        name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .precomposedStringWithCanonicalMapping.lowercased()
    }
}

extension Mention {
    /// Everybody whom a capture names or shows.
    ///
    /// - Parameter transcription: where relationships and notes come from, whoever the analyser is.
    static func mentions(
        in analysis: CaptureAnalysis, captureID: String, time: Timestamp, photoURL: String?,
        transcription: String?
    ) -> [Mention] {
        let text = SpokenText(String((transcription ?? "").prefix(LocalAnalyser.charactersMax)))
        let relationships = Dictionary(
            NameFinder(text).people().map { (key(of: $0.name), $0.relationship) },
            uniquingKeysWith: { $0 ?? $1 })
        let named = analysis.detectedFaces.compactMap { face in face.possibleName }
        var mentions: [Mention] = []
        for name in analysis.mentionedNames + named {
            let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let key = key(of: name)
            guard !key.isEmpty, !mentions.contains(where: { $0.nameKey == key }) else { continue }
            let face = analysis.detectedFaces.filter { $0.possibleName.map(Self.key) == key }
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

    /// The first sentence that has all of the name's words.
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

/// Makes a contact of all mentions of one name.
///
/// A function of the set of mentions: their order, and whether they came one by one or together,
/// makes no difference. Captures of the same moment are put in the order of their ids.
public enum ContactMerge {
    /// Lines of ``Contact/notes``.
    public static let notesMax = 3

    /// - Parameter mentions: of one name key, of one user; each capture once.
    /// - Returns: nil when there are none: nobody to know.
    public static func contact(of mentions: [Mention]) -> Contact? {
        let ordered = mentions.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
        guard let first = ordered.first, let last = ordered.last else { return nil }
        precondition(
            ordered.allSatisfy { $0.nameKey == first.nameKey }, "BUG: mentions of two names")
        var notes: [String] = []
        for mention in ordered.reversed() where notes.count < notesMax {
            if let note = mention.note, !notes.contains(note) { notes.append(note) }
        }
        // Of equally sure photos the latest: people change.
        let best = ordered.filter { $0.photoURL != nil }
            .max { ($0.faceConfidence ?? 0) < ($1.faceConfidence ?? 0) }
        let latestBest = ordered.last {
            $0.photoURL != nil && $0.faceConfidence == best?.faceConfidence
        }
        return Contact(
            nameKey: first.nameKey, name: first.name,
            relationship: ordered.last { $0.relationship != nil }?.relationship,
            notes: notes.isEmpty ? nil : notes.joined(separator: "\n"),
            bestFacePhotoURL: latestBest?.photoURL, firstSeen: first.time, lastSeen: last.time,
            mentionCount: ordered.count)
    }

    /// All contacts of a user, made from nothing but the mentions; ordered by key.
    public static func contacts(of mentions: [Mention]) -> [Contact] {
        Dictionary(grouping: mentions, by: \.nameKey).values.compactMap { contact(of: $0) }
            .sorted { $0.nameKey < $1.nameKey }
    }
}
