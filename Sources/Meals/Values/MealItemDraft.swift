/// An item as a request brings it, nothing of it believed yet.
///
/// Numbers are doubles even where the contract says integer, so that whoever decodes JSON need not
/// judge `200.0`, and nil where the key is absent or null.
public struct MealItemDraft: Sendable {
    /// `food_id`
    public var foodID: String?
    /// `user_food_id`
    public var userFoodID: String?
    /// `food_name`, required.
    public var name: String?
    /// `food_type`; absent: `food`.
    public var type: String?
    /// `quantity`, required.
    public var quantity: Double?
    /// `unit`, required.
    public var unit: String?
    /// `calories`, required.
    public var calories: Double?
    /// `protein_g`, required.
    public var protein: Double?
    /// `carbs_g`, required.
    public var carbohydrate: Double?
    /// `fat_g`, required.
    public var fat: Double?
    /// `fiber_g`
    public var fiber: Double?
    /// `sugar_g`
    public var sugar: Double?
    /// `parsing_notes`
    public var notes: String?
    /// `order_index`; absent: the place in the array.
    public var orderIndex: Double?

    /// Empty: to be filled key by key.
    public init() {}

    /// Scalars of a name, and of a unit a quarter.
    public static let nameLengthMax = 200
    /// Of one item; a whole day of a large eater has less.
    public static let caloriesMax = 100_000.0
    /// Of one nutrient in one item, and of a quantity.
    public static let amountMax = 100_000.0

    /// All items of a request, in the order of `order_index` and then of the array, numbered from 0.
    ///
    /// - Throws: The first fault in the order of the array and of the fields above.
    public static func validated(_ drafts: [Self]) throws(MealFault) -> [MealItem] {
        guard (1...Meals.itemsMax).contains(drafts.count) else {
            throw .itemCount(field: "items", max: Meals.itemsMax)
        }
        var items: [MealItem] = []
        for (place, draft) in drafts.enumerated() {
            items.append(try draft.validated(place: place))
        }
        let order = items.indices.sorted {
            (items[$0].orderIndex, $0) < (items[$1].orderIndex, $1)
        }
        return order.enumerated().map { place, index in
            var item = items[index]
            item.orderIndex = place
            return item
        }
    }

    /// One item by its place in the request's array.
    func validated(place: Int) throws(MealFault) -> MealItem {
        let path = "items[\(place)]."
        let foodID = try Self.identifier(foodID, field: path + "food_id")
        let userFoodID = try Self.identifier(userFoodID, field: path + "user_food_id")
        let name = try Self.text(name, max: Self.nameLengthMax, field: path + "food_name")
        let type: FoodType =
            try type == nil
            ? .food : MealFault.oneOf(FoodType.self, type, field: path + "food_type")
        let quantity = try Self.amount(quantity, max: Self.amountMax, field: path + "quantity")
        guard quantity > 0 else { throw .tooSmall(field: path + "quantity") }
        let unit = try Self.text(unit, max: Self.nameLengthMax / 4, field: path + "unit")
        let nutrients = Nutrients(
            energy: try Self.amount(calories, max: Self.caloriesMax, field: path + "calories"),
            protein: try Self.amount(protein, max: Self.amountMax, field: path + "protein_g"),
            carbohydrate: try Self.amount(
                carbohydrate, max: Self.amountMax, field: path + "carbs_g"),
            fat: try Self.amount(fat, max: Self.amountMax, field: path + "fat_g"),
            fiber: try Self.optional(fiber, field: path + "fiber_g"),
            sugar: try Self.optional(sugar, field: path + "sugar_g"))
        let notes = try Self.notes(notes, field: path + "parsing_notes")
        let wanted = try orderIndex.map { index throws(MealFault) in
            try Self.amount(index, max: Self.amountMax, field: path + "order_index")
        }
        return MealItem(
            foodID: foodID, userFoodID: userFoodID, name: name, type: type, quantity: quantity,
            unit: unit, nutrients: nutrients, notes: notes,
            orderIndex: wanted.map(Rounding.whole) ?? place)
    }

    private static func amount(
        _ value: Double?, max: Double, field: String
    ) throws(MealFault) -> Double {
        guard let value else { throw .missing(field: field) }
        guard value.isFinite else { throw .notFinite(field: field) }
        guard value >= 0 else { throw .tooSmall(field: field) }
        guard value <= max else { throw .tooLarge(field: field, max: max) }
        return value
    }

    private static func optional(_ value: Double?, field: String) throws(MealFault) -> Double? {
        guard let value else { return nil }
        return try amount(value, max: amountMax, field: field)
    }

    private static func text(_ text: String?, max: Int, field: String) throws(MealFault) -> String {
        guard let text else { throw .missing(field: field) }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .empty(field: field)
        }
        guard text.unicodeScalars.count <= max else { throw .tooLong(field: field, max: max) }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: field) }
        return text
    }

    private static func notes(_ text: String?, field: String) throws(MealFault) -> String? {
        guard let text else { return nil }
        guard text.unicodeScalars.count <= Meals.textLengthMax else {
            throw .tooLong(field: field, max: Meals.textLengthMax)
        }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: field) }
        return text
    }

    /// A UUID in its usual form: 8-4-4-4-12 hexadecimal digits.
    private static func identifier(_ text: String?, field: String) throws(MealFault) -> String? {
        guard let text else { return nil }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { throw .unknownValue(field: field, allowed: ["UUID"]) }
        return text.lowercased()
    }
}
