/// The facts of a film or a recording.
package struct FilmFacts: Sendable, Equatable {
    package var facts = FileFacts()
    package var hasPicture = false
    package var hasSound = false

    package static let sides = 1...(1 << 20)

    package init() {}

    /// Whether all values are within their bounds.
    var isSound: Bool {
        let duration = facts.duration ?? 1
        return [facts.width, facts.height].allSatisfy { $0.map(Self.sides.contains) ?? true }
            && duration.isFinite && duration > 0
    }

    func write(to writer: inout AnswerWriter) {
        writer.put(facts.width) { $0.put($1) }
        writer.put(facts.height) { $0.put($1) }
        writer.put(facts.duration) { $0.put($1) }
        writer.put(hasPicture)
        writer.put(hasSound)
    }

    init?(from reader: inout AnswerReader) {
        guard let width = reader.optional({ $0.number() }),
            let height = reader.optional({ $0.number() }),
            let duration = reader.optional({ $0.double() }), let hasPicture = reader.flag(),
            let hasSound = reader.flag()
        else { return nil }
        facts = FileFacts(width: width, height: height, duration: duration)
        (self.hasPicture, self.hasSound) = (hasPicture, hasSound)
    }
}
