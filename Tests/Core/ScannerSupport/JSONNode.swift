/// One JSON value and the bytes of the body that it came from.
struct JSONNode {
    enum Content {
        case null
        case boolean
        case number
        /// `NaN`, `Infinity` or `-Infinity`, which JSON does not have.
        case nonFinite
        case string(JSONText)
        case array([JSONNode])
        case object([Member])
    }

    struct Member {
        let key: JSONText
        /// Bytes of the key as sent, without its quotes.
        var keyBytes = 0
        let value: JSONNode
    }

    let content: Content
    let range: Range<Int>
    /// The levels of nested objects and arrays, including this one; 0 for a scalar.
    let depth: Int

    var isNull: Bool {
        if case .null = content { true } else { false }
    }

    var text: JSONText? {
        if case .string(let text) = content { text } else { nil }
    }

    var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }
}
