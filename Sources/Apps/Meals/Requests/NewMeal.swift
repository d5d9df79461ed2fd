public import Ingest
public import Readings

/// A new log: decodes the request, makes the unit of work, and renders the response.
///
/// The id is made before the log is offered, so that it is stored once, however often its unit is
/// written. All values of the response are known by then too; the outcome of the unit decides only
/// which response is sent.
public struct NewMeal: Sendable {
    /// The log's id, a UUID.
    public let id: String
    /// The unit of work for a lane.
    public let unit: WorkUnit
    private let log: MealLog

    /// `POST /api/v1/meal-logs/natural`: `{raw_input, meal_type, logged_at?}`.
    ///
    /// - Parameters:
    ///   - body: on loan; at most ``Meals/bodyBytesMax``.
    ///   - user: the log's owner; see ``Meals/isUserID(_:)``.
    ///   - key: the request's `Idempotency-Key`; a second request with it makes the same log.
    ///   - now: the time of the request; also the time of the meal if the body gives none.
    public init(
        natural body: UnsafeRawBufferPointer, user: String, key: IdempotencyKey? = nil,
        now: Timestamp
    ) throws(MealFault) {
        let body = try JSONObject.body(body)
        let text = try MealText(try body.text("raw_input"))
        let mealType = try MealType(validating: try body.text("meal_type"), field: "meal_type")
        let loggedAt = try RequestTime.eaten(try body.text("logged_at"), now: now)
        self.init(text, mealType, loggedAt: loggedAt, user: user, key: key, now: now)
    }

    /// `POST /api/v1/meal-logs/batch`: `{meal_type, logged_at?, items: [… at least one]}`.
    ///
    /// - Parameters: as above.
    public init(
        batch body: UnsafeRawBufferPointer, user: String, key: IdempotencyKey? = nil, now: Timestamp
    ) throws(MealFault) {
        let body = try JSONObject.body(body)
        let mealType = try MealType(validating: try body.text("meal_type"), field: "meal_type")
        let loggedAt = try RequestTime.eaten(try body.text("logged_at"), now: now)
        let items = try MealItemDraft.items(of: body)
        let content = items.map { LoggedItem(id: "", item: $0, createdAt: now) }.storedJSON
        self.init(
            MealLog(
                id: Self.id(user, key), user: user, mealType: mealType, status: .completed,
                loggedAt: loggedAt ?? now, createdAt: now, updatedAt: now,
                items: LoggedItem.made(items, at: now)),
            request: key.map { _ in Self.fingerprint(mealType, loggedAt, content) })
    }

    /// A message on a consultation's socket.
    ///
    /// - Parameters:
    ///   - consultation: its id; the caller has checked that it belongs to the user.
    ///   - user: as above.
    ///   - now: as above.
    public init(_ message: MealMessage, consultation: String, user: String, now: Timestamp) {
        self.init(
            message.content, message.mealType, loggedAt: message.loggedAt,
            consultation: MealID.canonical(consultation), user: user, now: now)
    }

    private init(
        _ text: MealText, _ mealType: MealType, loggedAt: Timestamp?, consultation: String? = nil,
        user: String, key: IdempotencyKey? = nil, now: Timestamp
    ) {
        self.init(
            MealLog(
                id: Self.id(user, key), user: user, rawInput: text.text, mealType: mealType,
                status: .processing, loggedAt: loggedAt ?? now, createdAt: now, updatedAt: now,
                consultation: consultation),
            request: key.map { _ in Self.fingerprint(mealType, loggedAt, text.text) })
    }

    private static func fingerprint(
        _ mealType: MealType, _ loggedAt: Timestamp?, _ content: String
    ) -> String {
        IdempotencyKey.fingerprint(
            of: [mealType.rawValue, loggedAt?.microsecondsText ?? "", content])
    }

    private static func id(_ user: String, _ key: IdempotencyKey?) -> String {
        key.map { MealID.make(user: user, key: $0) } ?? MealID.make()
    }

    /// - Parameter request: the fingerprint of a request with a key.
    private init(_ log: MealLog, request: String?) {
        precondition(Meals.isUserID(log.user), "BUG: a user id that was not checked")
        self.log = log
        id = log.id
        unit = WorkUnit(
            kind: log.rawInput == nil ? Self.batch : Self.natural, owner: log.user,
            payload: Self.payload(log, request: request))
    }

    // MARK: The unit

    private static let natural = UnitKind(name: "meal_log.natural", statement: statement)
    private static let batch = UnitKind(name: "meal_log.batch", statement: statement)
    private static let statement = IdempotencyKey.compared("sluice.store_meal_logs($1)")

    /// The kinds under which lanes write logs.
    public static let kinds: [UnitKind] = [natural, batch]

    private static func payload(_ log: MealLog, request: String?) -> String {
        JSONWriter.object { json in
            json.field("id", log.id)
            json.field("user", log.user)
            json.field("at", log.createdAt.microsecondsText)
            json.field("t", log.loggedAt.microsecondsText)
            json.field("type", log.mealType.rawValue)
            if let consultation = log.consultation { json.field("consultation", consultation) }
            if let request { json.field("request", request) }
            if let text = log.rawInput { json.field("text", text) }
            if let totals = log.totals {
                json.key("totals")
                json.raw(totals.storedJSON)
                json.key("items")
                json.raw(log.items.storedJSON)
            }
        }
    }

    // MARK: The answer

    /// The response for an outcome of the unit.
    ///
    /// - Parameter estimatedSeconds: the time that the parser usually takes.
    public func reply(to outcome: UnitOutcome, estimatedSeconds: Int = 1) -> MealReply {
        let estimate = log.rawInput == nil ? nil : estimatedSeconds
        switch outcome {
        case .committed("foreign"): return .foreign
        case .committed: return .created(json: log.body(estimatedSeconds: estimate))
        case .spooled:
            var waiting = log
            if waiting.status == .processing { waiting.status = .pending }
            return .accepted(json: waiting.body(estimatedSeconds: estimate))
        case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
        case .refused(let sqlState): return .refused(sqlState: sqlState)
        }
    }
}

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

    /// The checked and numbered items of a request.
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
