/// A rule that an analysis breaks. Carries no text of the analysis.
public enum AnalysisFault: Error, Equatable, Sendable {
    /// The fields, named as in the stored form.
    public enum Field: String, Sendable {
        // As named there.
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment
    }

    /// So many elements are too few or too many.
    case count(Field, Int)
    /// So many Unicode scalars are too many, or none.
    case length(Field, Int)
    /// Nothing but white space.
    case blank(Field)
    /// U+0000 or another control character.
    case controlCharacter(Field)
    /// A confidence outside of 0…1.
    case confidence
}
