import JSONText

@testable import Formats

/// A value inside a JSON text.
struct ValuePlace {
    /// From the outermost, the place among the members or elements.
    let path: [Int]
    /// The keys on the way, nil for elements of arrays.
    let keys: [String?]
    let value: JSONValue

    /// nil: it is an element of an array.
    var key: String? { keys.last ?? nil }

    /// All values but the whole.
    static func all(in tree: JSONValue) -> [ValuePlace] {
        inside(ValuePlace(path: [], keys: [], value: tree))
    }

    private static func inside(_ place: ValuePlace) -> [ValuePlace] {
        let children: [(key: String?, value: JSONValue)] =
            switch place.value {
            case .object(let members): members.map { ($0.key, $0.value) }
            case .array(let elements): elements.map { (nil, $0) }
            default: []
            }
        return children.enumerated().flatMap { index, child in
            let found = ValuePlace(
                path: place.path + [index], keys: place.keys + [child.key], value: child.value)
            return [found] + inside(found)
        }
    }

    /// The innermost element of one of these lists that holds the value, or is it, and has at least
    /// that place in the list.
    func element(ofLists lists: Set<String>, from first: Int) -> ValuePlace? {
        for depth in stride(from: path.count, to: 1, by: -1) where keys[depth - 1] == nil {
            guard let list = keys[depth - 2], lists.contains(list), path[depth - 1] >= first else {
                continue
            }
            return ValuePlace(
                path: Array(path[..<depth]), keys: Array(keys[..<depth]), value: value)
        }
        return nil
    }

    /// The value twice, with its key; nil: it has none.
    var repeated: [UInt8]? {
        key.map { value.json + Array(",\(JSONString.quoted($0)):".utf8) + value.json }
    }

    /// Whether it is one of these lists, or one is inside.
    func holds(_ lists: Set<String>) -> Bool {
        ([self] + Self.inside(self)).contains { lists.contains($0.key ?? "") }
    }

    /// The text with other bytes in this place.
    ///
    /// - Parameter replacement: nil: the member or element is left out.
    func text(of tree: JSONValue, in replacement: [UInt8]?) -> [UInt8] {
        Self.text(of: tree, path[...], replacement)
    }

    private static func text(
        of tree: JSONValue, _ path: ArraySlice<Int>, _ replacement: [UInt8]?
    ) -> [UInt8] {
        guard let place = path.first else { return replacement ?? [] }
        func text(_ index: Int, _ value: JSONValue) -> [UInt8]? {
            if index != place { return value.json }
            if path.count == 1, replacement == nil { return nil }
            return Self.text(of: value, path.dropFirst(), replacement)
        }
        switch tree {
        case .object(let members):
            let parts = members.enumerated().compactMap { index, member in
                text(index, member.value).map {
                    Array("\(JSONString.quoted(member.key)):".utf8) + $0
                }
            }
            return [UInt8(ascii: "{")] + parts.joined(separator: [UInt8(ascii: ",")])
                + [UInt8(ascii: "}")]
        case .array(let elements):
            let parts = elements.enumerated().compactMap { text($0, $1) }
            return [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")])
                + [UInt8(ascii: "]")]
        default: return tree.json
        }
    }
}
