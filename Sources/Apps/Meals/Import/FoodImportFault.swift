import Glibc
public import OperatorErrors

/// Why the files of FoodData Central can't be imported.
public enum FoodImportFault: Error, Equatable {
    /// The file is not in the directory or can't be opened.
    case fileMissing(name: String)
    /// Reading the file failed.
    case unreadable(name: String)
    /// The header of the file lacks this column.
    case columnMissing(name: String, column: String)
    /// Not comma-separated values, or a row that is too large; lines are counted from 1.
    case malformed(name: String, line: Int)
    /// `nutrient.csv` has none of the nutrients that are imported.
    case nutrientsMissing
    /// More foods of the wanted kinds than `max`.
    case tooManyFoods(max: Int)
}

extension FoodImportFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .fileMissing(let name): "\(name) is missing or can't be opened"
        case .unreadable(let name): "\(name) can't be read to its end"
        case .columnMissing(let name, let column): "\(name) has no column \(column)"
        case .malformed(let name, let line): "\(name):\(line): not valid CSV"
        case .nutrientsMissing: "nutrient.csv contains none of the required nutrients"
        case .tooManyFoods(let max): "there are more than \(max) foods"
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .fileMissing, .unreadable: EX_NOINPUT
        case .columnMissing, .malformed, .nutrientsMissing, .tooManyFoods: EX_DATAERR
        }
    }
}
