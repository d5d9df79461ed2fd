public import Gemini

/// The parser that asks a model: a sentence out, items with estimated figures in.
///
/// Nothing of the answer is believed: it has to be JSON by the schema, every item is checked by the
/// rules for items entered by hand (`MealItemDraft.validated`), weight and confidence besides, and
/// one that breaks a rule makes the whole answer a failure. Figures of the user's own foods win over
/// the model's: an item with the name of one takes its figures and its identifier.
///
/// The sentence and the names of those of the user's foods that share a word with it are all that
/// leaves the server.
public struct GeminiMealParser: MealParser {
    private let client: GeminiClient
    private let limit: Duration
    private let onFailure: @Sendable (String) -> Void

    /// What a client is told to wait for.
    public static let estimatedSeconds = 5

    /// - Parameters:
    ///   - client: shares its budget with whoever else has it.
    ///   - limit: for all tries of one sentence.
    ///   - onFailure: told a short word for each sentence without a usable answer, such as
    ///     `http_429` or `answer_invalid`; never any text of it.
    public init(
        _ client: GeminiClient, within limit: Duration = .seconds(20),
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.client = client
        self.limit = limit
        self.onFailure = onFailure
    }

    /// One question.
    ///
    /// - Throws: `MealParsingFailure.unavailable` for whatever goes wrong, and `.nothingParsed` when
    ///   the model finds nothing to eat.
    public func parse(
        _ text: String, own: FoodIndex? = nil
    ) async throws(MealParsingFailure) -> ParsedMeal {
        let answer: GeminiMeal
        do throws(GeminiFailure) {
            answer = try await client.ask(
                GeminiQuestion(meal: text, own: own), as: GeminiMeal.self, within: limit)
        } catch {
            onFailure(error.word)
            throw .unavailable
        }
        guard !answer.items.isEmpty else { throw .nothingParsed }
        do {
            return try answer.meal(own: own)
        } catch {
            onFailure("answer_invalid")
            throw .unavailable
        }
    }
}
