extension CaptureAnalysis {
    /// Lengths in Unicode scalars, and counts. Generous for what people say, small enough for a
    /// row; the same for every analyser.
    public enum Limits {
        /// Of ``CaptureAnalysis/themes``.
        public static let themes = 2...5
        /// Of one theme, and of the mood.
        public static let word = 1...64
        /// Of a place.
        public static let location = 1...256
        /// Of the picture's summary and of a face's description.
        public static let description = 1...2000
        /// Of the key moment.
        public static let keyMoment = 1...1000
        /// Of one person's name.
        public static let name = 1...128
        /// People mentioned in one capture.
        public static let names = 0...50
        /// Faces in one photo.
        public static let faces = 0...50
    }

    /// The analysis itself if it keeps to every rule.
    ///
    /// - Throws: the first broken rule, fields in the contract's order.
    public func checked() throws(AnalysisFault) -> CaptureAnalysis {
        if let imageSummary {
            try Self.check(imageSummary, Limits.description, .imageSummary)
        }
        guard Limits.themes.contains(themes.count) else {
            throw .count(.themes, themes.count)
        }
        for theme in themes { try Self.check(theme, Limits.word, .themes) }
        try Self.check(mood, Limits.word, .mood)
        if let location { try Self.check(location, Limits.location, .location) }
        guard Limits.faces.contains(detectedFaces.count) else {
            throw .count(.detectedFaces, detectedFaces.count)
        }
        for face in detectedFaces {
            try Self.check(face.description, Limits.description, .detectedFaces)
            if let name = face.possibleName { try Self.check(name, Limits.name, .detectedFaces) }
            guard face.confidence >= 0, face.confidence <= 1 else { throw .confidence }
        }
        guard Limits.names.contains(mentionedNames.count) else {
            throw .count(.mentionedNames, mentionedNames.count)
        }
        for name in mentionedNames { try Self.check(name, Limits.name, .mentionedNames) }
        try Self.check(keyMoment, Limits.keyMoment, .keyMoment)
        return self
    }

    /// Not blank, not too long, and nothing that a text column or a list on a screen can't hold.
    private static func check(
        _ text: String, _ length: ClosedRange<Int>, _ field: AnalysisFault.Field
    ) throws(AnalysisFault) {
        let scalars = text.unicodeScalars
        guard length.contains(scalars.count) else { throw .length(field, scalars.count) }
        guard !scalars.allSatisfy(\.properties.isWhitespace) else { throw .blank(field) }
        let isPlain = scalars.allSatisfy { $0.properties.generalCategory != .control || $0 == "\n" }
        guard isPlain else { throw .controlCharacter(field) }
    }
}
