import Foundation
import TextTables

/// Words around a name that show that it is one, in lower case.
enum NameWords {
    /// Words before a name: somebody was met, called, thanked.
    static let before = AnalysisWords.current.names[.before]

    /// Words before a name that show that its owner's works are meant: "reading Murakami".
    static let enjoyed = AnalysisWords.current.names[.enjoyed]

    /// Possessives of other people than the speaker.
    static let others = AnalysisWords.current.names[.others]

    /// Words after which `to` leads to a person.
    static let towards = AnalysisWords.current.names[.towards]

    /// Words after a name: somebody did something.
    static let after = AnalysisWords.current.names[.after]

    /// Words after a possessive: things that a person has.
    static let owned = AnalysisWords.current.names[.owned]

    /// Words before a capitalised word that show that it is a place, not a person.
    static let local = AnalysisWords.current.names[.local]

    /// Words in or after a run of capitalised words that show that it is an institution or a place,
    /// not a person.
    static let institutions = AnalysisWords.current.names[.institution]

    /// Lower-case words that may be inside a name.
    static let particles = AnalysisWords.current.names[.particle]
}
