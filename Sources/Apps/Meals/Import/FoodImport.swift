import SeparatedValues

/// Reads foods from the CSV files that USDA publishes as FoodData Central.
///
/// These files of a download are read, each once, in chunks: `nutrient.csv` (nutrients and their
/// numbers), `food.csv` (names and kinds), `food_nutrient.csv` (amounts per 100 g, by far the
/// largest), `measure_unit.csv` if present, and `food_portion.csv`. Columns are found by name, so
/// releases with additional columns can be read too. Memory grows with the foods of the wanted
/// kinds, not with the files: the two million branded foods are skipped.
///
/// - Source: "FoodData Central Download API Guide / Field Descriptions", fdc.nal.usda.gov.
public struct FoodImport {
    /// The kinds of foods to import, as in `data_type`.
    public var kinds: Set<String> = ["foundation_food", "sr_legacy_food", "survey_fndds_food"]
    /// The largest number of foods. More are an error; the list is not cut.
    public var foodsMax = FoodIndex.foodsMax

    /// An import with the defaults.
    public init() {}

    /// Reads the foods of the files and leaves out incomplete ones.
    ///
    /// - Throws: `FoodImportFault`; there is no partial result.
    public func foods(in files: some FoodDataFiles) throws(FoodImportFault) -> FoodImportReport {
        var report = FoodImportReport()
        let nutrients = try nutrients(files, &report)
        var rows = try names(files, &report)
        let places = Dictionary(rows.enumerated().map { ($1.fdcID, $0) }) { first, _ in first }
        try amounts(files, nutrients, places, &rows, &report)
        let units = try measureUnits(files, &report)
        try portions(files, units, places, &rows, &report)
        for row in rows {
            switch row.result() {
            case .success(let food): report.foods.append(food)
            case .failure(let fault): report.leftOut[fault.reason, default: 0] += 1
            }
        }
        return report
    }

    /// The nutrients of `nutrient.csv` by id and, for surveys, by number.
    private func nutrients(
        _ files: some FoodDataFiles, _ report: inout FoodImportReport
    ) throws(FoodImportFault) -> [Int64: FoodDataNutrient] {
        var byID: [Int64: FoodDataNutrient] = [:]
        var byNumber: [Int64: FoodDataNutrient] = [:]
        var ids: Set<Int64> = []
        try Self.each(files, "nutrient.csv", ["id", "nutrient_nbr"], &report) { row, column in
            guard let id = row.integer(column[0]) else { return }
            ids.insert(id)
            guard let number = row.number(column[1]) else { return }
            guard let nutrient = FoodDataNutrient(number: number) else { return }
            byID[id] = nutrient
            if number == number.rounded() { byNumber[Int64(number)] = nutrient }
        }
        guard !byID.isEmpty else { throw .nutrientsMissing }
        // Surveys give the number in place of the id. No id is as small as a number.
        return byID.merging(byNumber.filter { !ids.contains($0.key) }) { id, _ in id }
    }

    private func names(
        _ files: some FoodDataFiles, _ report: inout FoodImportReport
    ) throws(FoodImportFault) -> [FoodDataRow] {
        var rows: [FoodDataRow] = []
        let columns = ["fdc_id", "data_type", "description"]
        try Self.each(files, "food.csv", columns, &report) { row, column throws(FoodImportFault) in
            guard kinds.contains(row.text(column[1])), let id = row.integer(column[0]) else {
                return
            }
            guard rows.count < foodsMax else { throw .tooManyFoods(max: foodsMax) }
            rows.append(FoodDataRow(fdcID: id, description: row.text(column[2])))
        }
        return rows
    }

    private func amounts(
        _ files: some FoodDataFiles, _ nutrients: [Int64: FoodDataNutrient], _ places: [Int64: Int],
        _ rows: inout [FoodDataRow], _ report: inout FoodImportReport
    ) throws(FoodImportFault) {
        let columns = ["fdc_id", "nutrient_id", "amount"]
        try Self.each(files, "food_nutrient.csv", columns, &report) { row, column in
            guard let id = row.integer(column[1]), let nutrient = nutrients[id],
                let food = row.integer(column[0]), let place = places[food],
                let amount = row.number(column[2]), amount >= 0
            else { return }
            rows[place].set(nutrient, amount)
        }
    }

    /// Some downloads lack this file; their portions give the unit in words.
    private func measureUnits(
        _ files: some FoodDataFiles, _ report: inout FoodImportReport
    ) throws(FoodImportFault) -> [Int64: String] {
        var units: [Int64: String] = [:]
        do {
            try Self.each(files, "measure_unit.csv", ["id", "name"], &report) { row, column in
                if let id = row.integer(column[0]) { units[id] = row.text(column[1]) }
            }
        } catch .fileMissing {
            return [:]
        }
        return units
    }

    private func portions(
        _ files: some FoodDataFiles, _ units: [Int64: String], _ places: [Int64: Int],
        _ rows: inout [FoodDataRow], _ report: inout FoodImportReport
    ) throws(FoodImportFault) {
        let columns = [
            "fdc_id", "gram_weight", "amount", "measure_unit_id", "portion_description", "modifier",
        ]
        try Self.each(files, "food_portion.csv", columns, &report) { row, column in
            guard let food = row.integer(column[0]), let place = places[food],
                let grams = row.number(column[1]), grams > 0
            else { return }
            let amount = row.number(column[2]) ?? 1
            let texts = [
                row.integer(column[3]).flatMap { units[$0] } ?? "", row.text(column[4]),
                row.text(column[5]),
            ]
            rows[place].addPortion(texts: texts, amount: amount > 0 ? amount : 1, grams: grams)
        }
    }

    /// Calls `take` for each row after the header, with the places of the wanted columns.
    private static func each(
        _ files: some FoodDataFiles, _ name: String, _ wanted: [String],
        _ report: inout FoodImportReport,
        _ take: (CSVRow, [Int]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        var reader = CSVReader()
        var columns: [Int]?
        var rows = 0
        func fault(_ fault: CSVFault) -> FoodImportFault {
            .malformed(name: name, line: fault.line)
        }
        func row(_ row: CSVRow) throws(FoodImportFault) {
            rows += 1
            if let columns { return try take(row, columns) }
            let names = (0..<row.count).map { row.text($0) }
            var found: [Int] = []
            for column in wanted {
                guard let place = names.firstIndex(of: column) else {
                    throw .columnMissing(name: name, column: column)
                }
                found.append(place)
            }
            columns = found
        }
        try files.read(name) { chunk throws(FoodImportFault) in
            try chunk.withUnsafeBufferPointer { bytes throws(FoodImportFault) in
                try reader.take(UnsafeRawBufferPointer(bytes), fault: fault, row)
            }
        }
        try reader.finish(fault: fault, row)
        guard columns != nil else { throw .columnMissing(name: name, column: wanted[0]) }
        report.rows += rows
    }
}
