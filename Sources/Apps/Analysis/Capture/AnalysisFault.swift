/// A rule that an analysis breaks. Has no text of the analysis.
public enum AnalysisFault: Error, Equatable, Sendable {
    /// The fields, named as in the stored form.
    public enum Field: String, Sendable {
        // The names are those of the coding keys.
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment
    }

    /// The count of elements is outside the limits.
    case count(Field, Int)
    /// The count of Unicode scalars is outside the limits.
    case length(Field, Int)
    /// The text is only white space.
    case blank(Field)
    /// The text has U+0000 or another control character except a line feed.
    case controlCharacter(Field)
    /// A confidence is outside 0…1.
    case confidence
}
