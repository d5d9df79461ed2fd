import Foundation
import TextTables

/// Capitalised words that are not people, in lower case.
enum NotNames {
    /// Words of the calendar, languages, peoples, brands, organisations, feasts.
    static let things = AnalysisWords.current.names[.thing]

    /// Words that begin sentences with a capital letter and name nobody.
    static let starters = AnalysisWords.current.names[.starter]

    /// Cities, countries and other places that people often mention.
    static let places = AnalysisWords.current.names[.place]
}
