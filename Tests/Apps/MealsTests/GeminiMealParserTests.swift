import AsyncHTTPClient
import Foundation
import Gemini
import GeminiSupport
import NIOHTTP1
import Testing

@testable import Meals

/// Sentences read by a model that answers well, badly, or not at all.
@Suite(.timeLimit(.minutes(10))) struct GeminiMealParserTests {
    private static let index = FoodIndex((try? FoodFiles.foods()) ?? [])
    private static let sentence = "2 eggs and a glass of secret-juice"

    private static let egg = """
        {"food_name":" Boiled Eggs ","food_type":"food","quantity":2,"unit":"large","grams":100,
        "calories":155.4,"protein_g":12.58,"carbs_g":1.1,"fat_g":10.6,"fiber_g":0,"sugar_g":null,
        "confidence":0.9,"parsing_notes":" "}
        """
    private static let juice = """
        {"food_name":"Juice","food_type":"drink","quantity":1,"unit":"glass","grams":240,
        "calories":110,"protein_g":2,"carbs_g":26,"fat_g":0.5,"fiber_g":null,"sugar_g":21,
        "confidence":0.456,"parsing_notes":"orange assumed"}
        """

    private static func meal(_ items: [String]) -> String {
        #"{"items":[\#(items.joined(separator: ","))]}"#
    }

    private static let good = meal([egg, juice])

    /// The outcome of a sentence, the requests to the server, and the reported failures.
    private struct Reading {
        var outcome: Result<ParsedMeal, MealParsingFailure>
        var requests: [ScriptedServer.Request]
        var words: [String]
    }

    private func read(
        _ answers: [ScriptedServer.Answer], _ text: String = sentence, own: FoodIndex? = nil,
        fallsBack: Bool = false, within limit: Duration = .seconds(10),
        _ change: (inout GeminiConfiguration) -> Void = { _ in }
    ) async throws -> Reading {
        let server = try await ScriptedServer(answers)
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        configuration.baseURL = server.baseURL
        configuration.pause = .milliseconds(5)
        configuration.tryTimeout = .seconds(5)
        change(&configuration)
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiClient.httpConfiguration)
        let (words, word) = AsyncStream.makeStream(of: String.self)
        let gemini = GeminiMealParser(
            GeminiClient(configuration, client: http), within: limit
        ) { word.yield($0) }
        let parser: any MealParser =
            fallsBack
            ? FallbackMealParser(first: gemini, local: LocalMealParser(foods: Self.index)) : gemini
        let outcome: Result<ParsedMeal, MealParsingFailure>
        do throws(MealParsingFailure) {
            outcome = .success(try await parser.parse(text, own: own))
        } catch {
            outcome = .failure(error)
        }
        word.finish()
        var said: [String] = []
        for await word in words { said.append(word) }
        try await http.shutdown()
        try await server.close()
        return Reading(outcome: outcome, requests: server.requests, words: said)
    }

    @Test func `a good answer becomes items as they are stored`() async throws {
        let reading = try await read([.model(Self.good)])
        let meal = try reading.outcome.get()
        #expect(reading.words.isEmpty)
        let nutrients = Nutrients(
            energy: 155, protein: 12.6, carbohydrate: 1.1, fat: 10.6, fiber: 0)
        #expect(
            meal.items.first
                == MealItem(
                    name: "Boiled Eggs", type: .food, quantity: 2, unit: "large", grams: 100,
                    nutrients: nutrients, confidence: 0.9, orderIndex: 0))
        #expect(meal.items.last?.notes == "orange assumed")
        #expect(meal.items.last?.confidence == 0.46)
        #expect(meal.items.last?.type == .drink)
        #expect(meal.items.map(\.orderIndex) == [0, 1])
        #expect(meal.totals.calories == 265)
        #expect(meal.totals.sugar == 21)
        #expect(meal.foods == [nil, nil])
    }

    @Test func `the sentence is data, and the schema asks for the contract's keys`() async throws {
        let reading = try await read([.model(Self.good)])
        let request = try #require(reading.requests.first)
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        let instruction = try #require(body["systemInstruction"] as? [String: Any])
        #expect(!"\(instruction)".contains("secret-juice"))
        let contents = try #require((body["contents"] as? [[String: Any]])?.first)
        let text = try #require((contents["parts"] as? [[String: Any]])?.first?["text"] as? String)
        let said = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(said?["meal"] as? String == Self.sentence)
        let generation = try #require(body["generationConfig"] as? [String: Any])
        let schema = try #require(generation["responseSchema"] as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(properties["items"]?["maxItems"] as? Int == Meals.itemsMax)
        let item = try #require(properties["items"]?["items"] as? [String: Any])
        let required = try #require(item["required"] as? [String])
        #expect(required.count == 13)
        #expect(Set(["food_name", "calories", "carbs_g", "fiber_g"]).isSubset(of: required))
    }

    @Test(arguments: [
        ("\"protein_g\":12.58", "\"protein_g\":-1"), ("\"calories\":155.4", "\"calories\":-0.1"),
        ("\"calories\":155.4", "\"calories\":100001"), ("\"quantity\":2", "\"quantity\":0"),
        ("\"quantity\":2", "\"quantity\":0.001"),
        ("\"grams\":100", "\"grams\":0"), ("\"grams\":100", "\"grams\":1e6"),
        ("\"grams\":100", "\"grams\":-5"), ("\"confidence\":0.9", "\"confidence\":1.5"),
        ("\"confidence\":0.9", "\"confidence\":-0.5"),
        ("\"food_type\":\"food\"", "\"food_type\":\"meat\""),
        ("\" Boiled Eggs \"", "\"  \""), ("\" Boiled Eggs \"", "\"a\\u0000b\""),
        ("\" Boiled Eggs \"", "\"\(String(repeating: "a", count: 201))\""),
        ("\"large\"", "\"\""), ("\"fiber_g\":0", "\"fiber_g\":-2"),
    ])
    func `an item that nobody could enter by hand makes the answer a failure`(
        _ old: String, _ new: String
    ) async throws {
        let egg = Self.egg.replacingOccurrences(of: old, with: new)
        try #require(egg != Self.egg)
        let reading = try await read([.model(Self.meal([Self.juice, egg]))])
        #expect(reading.outcome == .failure(.unavailable))
        #expect(reading.words == ["answer_invalid"])
        #expect(reading.requests.count == 1)
    }

    @Test(arguments: [
        "", "not json", "[]", "{}", #"{"items":{}}"#, #"{"items":null}"#, #"{"items":[{}]}"#,
        #"{"items":["egg"]}"#, egg, meal([egg.replacingOccurrences(of: "12.58", with: "\"12\"")]),
        meal([egg.replacingOccurrences(of: "12.58", with: "1e999")]),
        meal([egg.replacingOccurrences(of: "12.58", with: "NaN")]),
        meal([egg.replacingOccurrences(of: "\"grams\":100,", with: "")]),
        String(good.dropLast(30)),
    ])
    func `an answer of another shape is a failure`(_ text: String) async throws {
        let reading = try await read([.model(text)])
        #expect(reading.outcome == .failure(.unavailable))
        #expect(reading.words == ["answer_malformed"])
    }

    @Test func `no more items than a meal may have`() async throws {
        let most = try await read([
            .model(Self.meal(Array(repeating: Self.egg, count: Meals.itemsMax)))
        ])
        #expect(try most.outcome.get().items.count == Meals.itemsMax)
        let more = try await read([.model(Self.meal(Array(repeating: Self.egg, count: 1000)))])
        #expect(more.outcome == .failure(.unavailable))
        #expect(more.words == ["answer_invalid"])
    }

    @Test func `a model that finds nothing to eat says so`() async throws {
        let reading = try await read([.model(Self.meal([]))])
        #expect(reading.outcome == .failure(.nothingParsed))
        #expect(reading.words.isEmpty)
    }

    @Test(arguments: [
        (
            ScriptedServer.Answer.send(
                status: .tooManyRequests, headers: [("retry-after", "60")], body: []), "http_429"
        ),
        (.json("{}", status: .internalServerError), "http_500"),
        (.json("{", status: .ok), "answer_malformed"),
        (.hang, "timed_out"), (.stall, "timed_out"), (.cut, "unreachable"),
        (.flood, "answer_too_large"), (.model("{", reason: "MAX_TOKENS"), "declined_max_tokens"),
        (.model("{}"), "answer_malformed"),
        (.model(meal(Array(repeating: egg, count: 1000))), "answer_invalid"),
        (.model(good.replacingOccurrences(of: "12.58", with: "-12.58")), "answer_invalid"),
    ])
    func `after any failure the local parser reads the sentence and says so`(
        _ answer: ScriptedServer.Answer, _ word: String
    ) async throws {
        let reading = try await read([answer], "2 eggs and qux toast", fallsBack: true) {
            // Only answers that never arrive have a short timeout.
            $0.tryTimeout = word == "timed_out" ? .milliseconds(300) : .seconds(100)
            $0.totalTimeout = .seconds(200)
            $0.triesMax = 2
        }
        let meal = try reading.outcome.get()
        #expect(meal.foods.map { $0?.name } == ["egg", "toast"])
        #expect(meal.items.first?.notes == FallbackMealParser.note)
        let notes = try #require(meal.items.last?.notes)
        #expect(
            notes.hasPrefix("not considered: qux") && notes.hasSuffix("; read without the model"))
        #expect(reading.words == [word])
    }

    @Test func `with an exhausted budget nothing is sent`() async throws {
        let reading = try await read([.model(Self.good)], "2 eggs", fallsBack: true) {
            $0.requestsPerDayMax = 0
        }
        #expect(try reading.outcome.get().items.first?.notes == FallbackMealParser.note)
        #expect(reading.words == ["budget_used_up"])
        #expect(reading.requests.isEmpty)
    }

    @Test func `a sentence waits no longer than its limit`() async throws {
        // A parser that used the client's limits would wait for an hour.
        let reading = try await read(
            [.hang], "2 eggs", fallsBack: true, within: .milliseconds(300)
        ) {
            $0.tryTimeout = .seconds(3600)
            $0.totalTimeout = .seconds(3600)
        }
        #expect(try reading.outcome.get().items.count == 1)
        #expect(reading.words == ["timed_out"])
    }

    @Test func `a sentence that neither can read fails, and a good answer is not marked`()
        async throws
    {
        let neither = try await read(
            [.json("{}", status: .badRequest)], "asdf qwer", fallsBack: true)
        #expect(neither.outcome == .failure(.nothingParsed))
        let empty = try await read([.model(Self.meal([]))], "2 eggs", fallsBack: true)
        #expect(try empty.outcome.get().items.first?.notes == FallbackMealParser.note)
        let good = try await read([.model(Self.good)], fallsBack: true)
        #expect(try good.outcome.get().items.first?.notes == nil)
        #expect(try good.outcome.get().items.first?.name == "Boiled Eggs")
    }

    @Test func `the user's own foods win, and only those that match are sent`() async throws {
        let id = "0d4f2f0c-6e57-4a3e-9f3c-6a1f0f9b7f10"
        let own = FoodIndex([
            Food(
                origin: .user(id: id), name: "secret-juice", type: .drink,
                nutrients: Nutrients(energy: 30, protein: 0, carbohydrate: 7, fat: 0, sugar: 7),
                units: [HouseholdUnit(name: "glass", grams: 300)]),
            Food(
                origin: .user(id: id), name: "grandma's pie",
                nutrients: Nutrients(energy: 300, protein: 3, carbohydrate: 40, fat: 14)),
        ])
        let juice = Self.juice.replacingOccurrences(of: "\"Juice\"", with: "\"Secret-Juice\"")
        let reading = try await read([.model(Self.meal([Self.egg, juice]))], own: own)
        let meal = try reading.outcome.get()
        #expect(meal.items[0].userFoodID == nil)
        #expect(meal.items[1].userFoodID == id)
        // One glass as defined by that food, not as estimated by the model.
        #expect(meal.items[1].grams == 300)
        #expect(meal.items[1].calories == 90)
        #expect(meal.items[1].sugar == 21)
        #expect(meal.foods[1]?.name == "secret-juice")
        let body = String(decoding: reading.requests[0].body, as: UTF8.self)
        #expect(!body.contains("grandma"))
        #expect(body.contains("secret-juice\\\"]"))
        // The food has no such unit: the model's grams, the food's figures.
        let bowl = juice.replacingOccurrences(of: "\"glass\"", with: "\"bowl\"")
        let other = try await read([.model(Self.meal([bowl]))], own: own)
        #expect(try other.outcome.get().items[0].calories == 72)
        // More than an item may have.
        let lake = juice.replacingOccurrences(of: "\"quantity\":1", with: "\"quantity\":99999")
        let more = try await read([.model(Self.meal([lake]))], own: own)
        #expect(more.words == ["answer_invalid"])
    }

    @Test func `no failure and no note carries a secret`() async throws {
        let reading = try await read(
            [.json("secret-key \(Self.sentence)", status: .forbidden)], fallsBack: true)
        #expect(reading.words == ["http_403"])
        #expect(!"\(reading.outcome)".contains("secret-key"))
    }
}
