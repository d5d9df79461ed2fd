extension MealItemDraft {
    init(_ object: JSONObject) throws(MealFault) {
        self.init()
        foodID = try object.text("food_id")
        userFoodID = try object.text("user_food_id")
        name = try object.text("food_name")
        type = try object.text("food_type")
        quantity = try object.number("quantity")
        unit = try object.text("unit")
        calories = try object.number("calories")
        protein = try object.number("protein_g")
        carbohydrate = try object.number("carbs_g")
        fat = try object.number("fat_g")
        fiber = try object.number("fiber_g")
        sugar = try object.number("sugar_g")
        notes = try object.text("parsing_notes")
        orderIndex = try object.number("order_index")
    }

    /// What `items` of a request holds, checked and numbered.
    static func items(of body: JSONObject) throws(MealFault) -> [MealItem] {
        guard let objects = try body.objects("items") else { throw .missing(field: "items") }
        guard objects.count <= Meals.itemsMax else {
            throw .itemCount(field: "items", max: Meals.itemsMax)
        }
        var drafts: [MealItemDraft] = []
        for object in objects { drafts.append(try MealItemDraft(object)) }
        return try validated(drafts)
    }
}
