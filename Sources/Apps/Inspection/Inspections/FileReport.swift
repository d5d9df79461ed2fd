/// What a process found in a file.
package struct FileReport: Sendable, Equatable {
    /// Of a picture that can be read.
    package var image: ImageFacts?
    /// Of a film or a recording that can be read.
    package var film: FilmFacts?
    /// False when the file may name a place in a form that can't be removed. Then it has no edits.
    package var isLocationSettled = true
    /// What must change in the file so that it names no place; ordered and disjoint.
    package var edits: [FileEdit] = []

    /// The server makes each edit in the file.
    package static let editsMax = 10_000

    package init() {}

    /// Checks the answer of another process.
    func isSound(fileBytes: Int) -> Bool {
        guard image?.isSound ?? true, film?.isSound ?? true,
            isLocationSettled || edits.isEmpty, edits.count <= Self.editsMax
        else { return false }
        var end = 0
        for edit in edits {
            guard edit.offset >= end, edit.count > 0, edit.count <= fileBytes - edit.offset else {
                return false
            }
            end = edit.offset + edit.count
        }
        return true
    }

    func write(to writer: inout AnswerWriter) {
        writer.put(image) { $1.write(to: &$0) }
        writer.put(film) { $1.write(to: &$0) }
        writer.put(isLocationSettled)
        writer.put(edits.count)
        for edit in edits { edit.write(to: &writer) }
    }

    init?(from reader: inout AnswerReader) {
        guard let image = reader.optional({ ImageFacts(from: &$0) }),
            let film = reader.optional({ FilmFacts(from: &$0) }),
            let isLocationSettled = reader.flag(), let count = reader.number(),
            (0...Self.editsMax).contains(count)
        else { return nil }
        (self.image, self.film, self.isLocationSettled) = (image, film, isLocationSettled)
        for _ in 0..<count {
            guard let edit = FileEdit(from: &reader) else { return nil }
            edits.append(edit)
        }
    }
}
