import JSONText

/// The values of a key: mostly one or none, which need no array.
struct Values: RandomAccessCollection, ExpressibleByArrayLiteral {
    private var head: JSONValue?
    private var others: [JSONValue] = []

    init(arrayLiteral elements: JSONValue...) {
        self.init(elements)
    }

    init(_ values: some Sequence<JSONValue>) {
        for value in values { append(value) }
    }

    init() {}

    var startIndex: Int { 0 }
    var endIndex: Int { head == nil ? 0 : 1 + others.count }

    subscript(position: Int) -> JSONValue {
        guard let head else { preconditionFailure("BUG: position=\(position) of no values") }
        return position == 0 ? head : others[position - 1]
    }

    mutating func append(_ value: JSONValue) {
        if head == nil { head = value } else { others.append(value) }
    }
}
