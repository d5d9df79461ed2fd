import JSONText

/// The body of `POST` and `PUT` of a user's food: `{name, synonyms?, food_type?, calories,
/// protein_g, carbs_g, fat_g, fiber_g?, sugar_g?, density?, units?: [{name, grams}]}`. Calories and
/// nutrients are per 100 g.
public struct UserFoodRequest: Sendable, Equatable {
    let name: String
    let synonyms: [String]
    let type: FoodType
    let nutrients: Nutrients
    let density: Double
    let units: [HouseholdUnit]

    static let nameLengthMax = 200
    static let synonymsMax = 20
    static let unitsMax = 24
    static let energyMax = 1000.0
    static let densityMax = 19.0

    /// Decodes and checks the body.
    ///
    /// - Parameter body: on loan; at most ``Meals/bodyBytesMax``.
    public init(_ body: UnsafeRawBufferPointer) throws(MealFault) {
        let body = try JSONObject.body(body)
        name = try Self.name(try body.text("name"), field: "name")
        synonyms = try Self.synonyms(body)
        let type = try body.text("food_type")
        self.type =
            try type == nil
            ? .food : MealFault.oneOf(FoodType.self, type, field: "food_type")
        nutrients = Nutrients(
            energy: try FieldRules.amount(
                try body.number("calories"), max: Self.energyMax, field: "calories"),
            protein: try FieldRules.amount(
                try body.number("protein_g"), max: 100, field: "protein_g"),
            carbohydrate: try FieldRules.amount(
                try body.number("carbs_g"), max: 100, field: "carbs_g"),
            fat: try FieldRules.amount(try body.number("fat_g"), max: 100, field: "fat_g"),
            fiber: try FieldRules.optional(
                try body.number("fiber_g"), max: 100, field: "fiber_g"),
            sugar: try FieldRules.optional(
                try body.number("sugar_g"), max: 100, field: "sugar_g"))
        density =
            try FieldRules.optional(
                try body.number("density"), max: Self.densityMax, field: "density") ?? 1
        guard density > 0 else { throw .notPositive(field: "density") }
        units = try Self.units(body)
    }

    private static func synonyms(_ body: JSONObject) throws(MealFault) -> [String] {
        let given = try body.array("synonyms") ?? []
        guard given.count <= synonymsMax else {
            throw .tooMany(field: "synonyms", max: synonymsMax)
        }
        var synonyms: [String] = []
        for (place, value) in given.enumerated() {
            let field = "synonyms[\(place)]"
            guard case .string(let text) = value else { throw .notString(field: field) }
            synonyms.append(try name(text, field: field))
        }
        return synonyms
    }

    private static func units(_ body: JSONObject) throws(MealFault) -> [HouseholdUnit] {
        let objects = try body.objects("units") ?? []
        guard objects.count <= unitsMax else { throw .tooMany(field: "units", max: unitsMax) }
        var units: [HouseholdUnit] = []
        for object in objects {
            let name = try name(
                try object.text("name"), max: HouseholdUnit.nameLengthMax,
                field: object.path + "name")
            let grams = try FieldRules.amount(
                try object.number("grams"), max: Portion.gramsMax, field: object.path + "grams")
            guard grams > 0 else { throw .notPositive(field: object.path + "grams") }
            units.append(HouseholdUnit(name: name.lowercased(), grams: grams))
        }
        return units
    }

    /// A name without control characters.
    private static func name(
        _ text: String?, max: Int = nameLengthMax, field: String
    ) throws(MealFault) -> String {
        let name = try FieldRules.text(text, max: max, field: field)
        guard name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .controlCharacter(field: field)
        }
        return name
    }

    /// The food in the form that `jsonb_to_record` reads.
    var storedJSON: String {
        JSONWriter.object { json in
            json.field("name", name)
            json.field("synonyms", strings: synonyms)
            json.field("food_type", type.rawValue)
            json.write(per100g: nutrients, as: "energy_kcal")
            json.field("density", density)
            json.field("unit_names", strings: units.map(\.name))
            json.key("unit_grams")
            json.array(units) { $0.raw("\($1.grams)") }
        }
    }
}

extension JSONWriter {
    /// Writes the nutrients unrounded, because they are multiplied later.
    mutating func write(per100g nutrients: Nutrients, as energy: StaticString) {
        field(energy, nutrients.energy)
        field("protein_g", nutrients.protein)
        field("carbs_g", nutrients.carbohydrate)
        field("fat_g", nutrients.fat)
        field("fiber_g", nutrients.fiber)
        field("sugar_g", nutrients.sugar)
    }
}
