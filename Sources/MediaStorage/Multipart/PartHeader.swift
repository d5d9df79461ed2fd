/// What a part says of itself. Nothing of it is to be trusted: a name is no path, a type no proof.
public struct PartHeader: Sendable, Equatable {
    /// The form field's name.
    public let name: String
    /// As the client's file system had it, with whatever path or characters; nil for a plain field.
    public let filename: String?
    /// Without parameters, in lower case (`image/jpeg`); nil when the part says nothing.
    public let contentType: String?

    /// For tests of what takes parts.
    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }

    /// What follows the last dot of ``filename``'s last component, in lower case.
    public var fileExtension: String? {
        guard let filename,
            let last = filename.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last,
            let dot = last.lastIndex(of: "."), dot != last.startIndex
        else { return nil }
        let text = last[last.index(after: dot)...]
        return text.isEmpty ? nil : text.lowercased()
    }
}
