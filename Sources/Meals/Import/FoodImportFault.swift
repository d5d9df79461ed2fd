/// Why files of FoodData Central can't be read.
public enum FoodImportFault: Error, Equatable {
    /// Not in the directory, or not to be opened.
    case fileMissing(name: String)
    /// A read failed half-way.
    case unreadable(name: String)
    /// Its first row has no such column.
    case columnMissing(name: String, column: String)
    /// No comma-separated values from this row on, counted from 1.
    case malformed(row: Int)
    /// None of its nutrients is one of those wanted.
    case nutrientsMissing
    /// More foods of the wanted kinds than an index takes.
    case tooManyFoods(max: Int)
}
