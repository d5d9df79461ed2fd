import Foundation

/// One entry of a 200's `problems`.
struct AnswerProblem: Codable, Equatable {
    let index: Int
    let reason: String

    /// How many an answer names at most.
    static let countMax = 100

    static func all(in answer: UnsafeRawBufferPointer) -> [AnswerProblem]? {
        struct Whole: Codable {
            let problems: [AnswerProblem]?
        }
        let whole = try? JSONDecoder().decode(Whole.self, from: Data(answer))
        return whole.map { $0.problems ?? [] }
    }
}
