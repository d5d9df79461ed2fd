import Foundation

/// One entry of a 200's `problems`.
struct AnswerProblem: Codable, Equatable {
    let index: Int
    let reason: String

    /// The most problems that an answer lists.
    static let countMax = 100

    static func all(in answer: UnsafeRawBufferPointer) -> [AnswerProblem]? {
        struct Whole: Codable {
            let problems: [AnswerProblem]?
        }
        let whole = try? JSONDecoder().decode(Whole.self, from: Data(answer))
        return whole.map { $0.problems ?? [] }
    }
}
