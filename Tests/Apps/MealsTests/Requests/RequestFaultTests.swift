import Ingest
import Readings
import Testing

@testable import Meals

/// Bodies that are refused, each with the wrong field.
struct RequestFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        let fault: MealFault
        var testDescription: String { String(body.prefix(60)) }

        init(_ body: String, _ fault: MealFault) {
            self.body = body
            self.fault = fault
        }
    }

    private static func fault(_ decode: () throws(MealFault) -> Void) -> MealFault? {
        do throws(MealFault) {
            try decode()
            return nil
        } catch {
            return error
        }
    }

    private static let types = ["breakfast", "lunch", "dinner", "snack"]

    @Test(arguments: [
        Case("", .notJSON(offset: 0)),
        Case("{\"raw_input\":\"x\"", .notJSON(offset: 16)),
        Case("{\"raw_input\":\"x\",}", .notJSON(offset: 17)),
        Case("{\"raw_input\":\"\u{1}\"}", .notJSON(offset: 14)),
        Case("{\"raw_input\":\"\\x\"}", .notJSON(offset: 15)),
        Case("{\"a\":01}", .notJSON(offset: 6)),
        Case(String(repeating: "[", count: 40), .notJSON(offset: 16)),
        Case("[]", .notObject(field: "body")),
        Case("{}", .missing(field: "raw_input")),
        Case(#"{"raw_input":null}"#, .missing(field: "raw_input")),
        Case(#"{"raw_input":5}"#, .notString(field: "raw_input")),
        Case(#"{"raw_input":" \t "}"#, .empty(field: "raw_input")),
        Case(#"{"raw_input":"a\u0000"}"#, .notText(field: "raw_input")),
        Case(#"{"raw_input":"a\ud800"}"#, .notText(field: "raw_input")),
        Case(
            "{\"raw_input\":\"\(String(repeating: "é", count: 1001))\"}",
            .tooLong(field: "raw_input", max: 1000)),
        Case(#"{"raw_input":"egg","raw_input":"2 eggs"}"#, .repeated(field: "raw_input")),
        Case(#"{"raw_input":"egg"}"#, .missing(field: "meal_type")),
        Case(
            #"{"raw_input":"egg","meal_type":"brunch"}"#,
            .unknownValue(field: "meal_type", allowed: types)),
        Case(
            #"{"raw_input":"egg","meal_type":"Lunch"}"#,
            .unknownValue(field: "meal_type", allowed: types)),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":"yesterday"}"#,
            .notTime(field: "logged_at")),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":1700000000}"#,
            .notString(field: "logged_at")),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":"2026-01-23T10:00:00"}"#,
            .notTime(field: "logged_at")),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":"2026-02-30T10:00:00Z"}"#,
            .notTime(field: "logged_at")),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":"2026-01-24T14:30:01Z"}"#,
            .tooLate(field: "logged_at")),
        Case(
            #"{"raw_input":"egg","meal_type":"lunch","logged_at":"1999-12-31T23:59:59Z"}"#,
            .tooEarly(field: "logged_at")),
    ])
    func `a sentence that is refused`(_ example: Case) {
        let found = Self.fault { () throws(MealFault) in
            try MealRig.bytes(example.body) { body throws(MealFault) in
                _ = try NewMeal(natural: body, user: "ann", now: MealRig.noon)
            }
        }
        #expect(found == example.fault)
        #expect(found?.message.hasPrefix(example.fault.field) == true)
    }

    @Test(arguments: [
        Case("[]", .itemCount(field: "items", max: 40)),
        Case("null", .missing(field: "items")),
        Case("{}", .notArray(field: "items")),
        Case("[5]", .notObject(field: "items[0]")),
        Case("[\(MealRig.item()),null]", .notObject(field: "items[1]")),
        Case("[{}]", .missing(field: "items[0].food_name")),
        Case(
            "[\(MealRig.item()),\(MealRig.item(protein: "-0.1"))]",
            .negative(field: "items[1].protein_g")),
        Case("[\(MealRig.item(calories: "-1"))]", .negative(field: "items[0].calories")),
        Case("[\(MealRig.item(calories: "NaN"))]", .notFinite(field: "items[0].calories")),
        Case("[\(MealRig.item(protein: "Infinity"))]", .notFinite(field: "items[0].protein_g")),
        Case("[\(MealRig.item(protein: "-Infinity"))]", .notFinite(field: "items[0].protein_g")),
        Case("[\(MealRig.item(protein: "1e999"))]", .notFinite(field: "items[0].protein_g")),
        Case(
            "[\(MealRig.item(protein: "1e9"))]",
            .tooLarge(field: "items[0].protein_g", max: 100_000)),
        Case("[\(MealRig.item(protein: "\"NaN\""))]", .notNumber(field: "items[0].protein_g")),
        Case("[\(MealRig.item(protein: "true"))]", .notNumber(field: "items[0].protein_g")),
        Case("[\(MealRig.item(protein: "null"))]", .missing(field: "items[0].protein_g")),
        Case(
            "[\(MealRig.item(more: ",\"fiber_g\":-1"))]", .negative(field: "items[0].fiber_g")),
        Case(
            "[\(MealRig.item(more: ",\"food_type\":\"soup\""))]",
            .unknownValue(field: "items[0].food_type", allowed: ["food", "drink", "water"])),
        Case(
            "[\(MealRig.item(more: ",\"food_id\":\"7\""))]", .notID(field: "items[0].food_id")),
        Case(
            "[\(MealRig.item(more: ",\"unit\":\"g\""))]", .repeated(field: "items[0].unit")),
        Case(
            "[\(Array(repeating: MealRig.item(), count: 41).joined(separator: ","))]",
            .itemCount(field: "items", max: 40)),
    ])
    func `items that are refused, in POST and PUT`(_ example: Case) {
        let body = "{\"meal_type\":\"lunch\",\"items\":\(example.body)}"
        let posted = Self.fault { () throws(MealFault) in
            try MealRig.bytes(body) { body throws(MealFault) in
                _ = try NewMeal(batch: body, user: "ann", now: MealRig.noon)
            }
        }
        let put = Self.fault { () throws(MealFault) in
            try MealRig.bytes(body) { body throws(MealFault) in
                _ = try MealEdit(body, now: MealRig.noon)
            }
        }
        #expect(posted == example.fault)
        #expect(put == example.fault)
    }

    @Test(arguments: [
        (["limit": "0"], MealFault.outOfRange(field: "limit", min: 1, max: 100)),
        (["limit": "101"], .outOfRange(field: "limit", min: 1, max: 100)),
        (["limit": "ten"], .notInteger(field: "limit")),
        (["limit": "99999999999999999999"], .outOfRange(field: "limit", min: 1, max: 100)),
        (["offset": "-1"], .outOfRange(field: "offset", min: 0, max: 1_000_000)),
        (["page": "0"], .outOfRange(field: "page", min: 1, max: 20_000)),
        (
            ["status": "done"],
            .unknownValue(
                field: "status", allowed: ["pending", "processing", "completed", "failed"])
        ),
        (["meal_type": "tea"], .unknownValue(field: "meal_type", allowed: types)),
        (["start_date": "2026-13-01"], .notDay(field: "start_date")),
        (["to": "2026-01-01T00:00"], .notDay(field: "to")),
        (
            ["start_date": "2026-01-02", "end_date": "2026-01-01"],
            .endBeforeStart(field: "start_date")
        ),
        (
            ["from": "2026-01-02T00:00:01Z", "to": "2026-01-02T00:00:00Z"],
            .endBeforeStart(field: "from")
        ),
    ])
    func `a filter that is refused`(_ query: [String: String], _ fault: MealFault) {
        let found = Self.fault { () throws(MealFault) in _ = try MealFilter { query[$0] } }
        #expect(found == fault)
    }

    @Test func `a filter's time may be a day, and the refusal says so`() {
        #expect(MealFault.notDay(field: "from").message.contains("YYYY-MM-DD"))
        #expect(!MealFault.notTime(field: "logged_at").message.contains("YYYY-MM-DD"))
    }

    @Test(arguments: [
        Case(#"{"name":" ","calories":1}"#, .empty(field: "name")),
        Case(#"{"name":"a\nb"}"#, .controlCharacter(field: "name")),
        Case(#"{"name":"x"}"#, .missing(field: "calories")),
        Case(#"{"name":"x","calories":1001}"#, .tooLarge(field: "calories", max: 1000)),
        Case(
            #"{"name":"x","calories":9,"protein_g":101}"#, .tooLarge(field: "protein_g", max: 100)),
        Case(#"{"name":"x","synonyms":[1]}"#, .notString(field: "synonyms[0]")),
        Case(
            #"{"name":"x","calories":9,"protein_g":1,"carbs_g":1,"fat_g":1,"density":0}"#,
            .notPositive(field: "density")),
        Case(
            """
            {"name":"x","calories":9,"protein_g":1,"carbs_g":1,"fat_g":1,\
            "units":[{"name":"bar","grams":0}]}
            """, .notPositive(field: "units[0].grams")),
        Case(
            """
            {"name":"x","calories":9,"protein_g":1,"carbs_g":1,"fat_g":1,\
            "units":[{"name":"\(String(repeating: "é", count: 51))","grams":1}]}
            """, .tooLong(field: "units[0].name", max: 50)),
    ])
    func `a user's food that is refused`(_ example: Case) {
        let found = Self.fault { () throws(MealFault) in
            try MealRig.bytes(example.body) { body throws(MealFault) in
                _ = try UserFoodRequest(body)
            }
        }
        #expect(found == example.fault)
    }

    @Test func `a value at a limit is accepted`() throws {
        let text = String(repeating: "é", count: 1000)
        _ = try MealRig.natural(text)
        let items = Array(repeating: MealRig.item(), count: 40).joined(separator: ",")
        _ = try MealRig.batch(items)
        let body = """
            {"raw_input":"\\ud83c\\udf4e \\u00e9\\n","meal_type":"snack","x":[{"raw_input":1}],\
            "logged_at":"2026-01-24T15:29:59.99999949+0100"}
            """
        let meal = try MealRig.bytes(body) { body throws(MealFault) in
            try NewMeal(natural: body, user: "ann", now: MealRig.noon)
        }
        #expect(meal.unit.payload.contains("\"text\":\"🍎 é\\n\""))
        #expect(meal.unit.payload.contains("\"t\":\"2026-01-24T14:29:59.999999Z\""))
    }

    @Test func `every body, cut or changed anywhere, is accepted or refused`() {
        let body = Array(
            "{\"meal_type\":\"lunch\",\"logged_at\":\"2026-01-23T10:00:00Z\",\"items\":[\(MealRig.item(more: ",\"parsing_notes\":\"\\u00e9\\ud83c\\udf4e\""))]}"
                .utf8)
        var refused = 0
        for place in body.indices {
            for byte: UInt8? in [nil, 0x22, 0x5C, 0x7B, 0x5D, 0x39, 0x2D, 0xC3, 0x00] {
                var changed = Array(body[..<place])
                if let byte { changed += [byte] + body[(place + 1)...] }
                let fault = changed.withUnsafeBytes { bytes in
                    Self.fault { () throws(MealFault) in
                        _ = try NewMeal(batch: bytes, user: "ann", now: MealRig.noon)
                    }
                }
                if fault != nil { refused += 1 }
            }
        }
        #expect(refused > body.count * 3)
    }
}
