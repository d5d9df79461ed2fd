/// The query of a request target, field by field.
struct RequestQuery: Sendable {
    private let fields: [(name: Substring, value: Substring)]

    /// - Parameter text: what stands behind the question mark; nil: none.
    init(_ text: (some StringProtocol)?) {
        fields = (text.map { Substring($0) } ?? "").split(separator: "&").map { field in
            let mark = field.firstIndex(of: "=") ?? field.endIndex
            return (field[..<mark], field[mark...].dropFirst())
        }
    }

    /// The first value of that name, percent-decoded. What can't be decoded counts as absent.
    ///
    /// - Parameter plusIsSpace: as forms write it. In a time a plus is a plus.
    func value(_ name: String, plusIsSpace: Bool = false) -> String? {
        guard let field = fields.first(where: { $0.name == name }) else { return nil }
        let text = String(field.value)
        return PathText.decoded(plusIsSpace ? text.replacing("+", with: " ") : text)
    }
}
