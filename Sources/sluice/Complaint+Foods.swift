import Foundation
import Meals

extension Complaint {
    /// Files of FoodData Central that can't be read.
    init(_ fault: FoodImportFault, directory: String) {
        switch fault {
        case .fileMissing(let name):
            self.init("\(directory): \(name) is not there or can't be opened", code: EX_NOINPUT)
        case .unreadable(let name):
            self.init("\(directory): \(name) can't be read to its end", code: EX_NOINPUT)
        case .columnMissing(let name, let column):
            self.init("\(directory): \(name) has no column \(column)", code: EX_DATAERR)
        case .malformed(let row):
            self.init(
                "\(directory): no comma-separated values from row \(row) on", code: EX_DATAERR)
        case .nutrientsMissing:
            self.init(
                "\(directory): nutrient.csv names none of the nutrients that are wanted",
                code: EX_DATAERR)
        case .tooManyFoods(let max):
            self.init("\(directory): more than \(max) foods", code: EX_DATAERR)
        }
    }
}
