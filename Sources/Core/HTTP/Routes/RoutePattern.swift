import Encodings

/// The form of a route's path, to recognise targets by.
struct RoutePattern: Sendable {
    private enum Segment {
        case literal(Substring)
        case parameter
    }

    private let segments: [Segment]
    /// One or more further segments follow.
    private let isOpen: Bool
    private let hasParameters: Bool
    /// Which of the parameters is named `{key}`; nil: none.
    let keyPlace: Int?

    /// - Parameter path: see ``Route``.
    init(_ path: String) {
        let parts = Self.segments(of: path[...])
        isOpen = parts.last == "**"
        segments = (isOpen ? parts.dropLast() : parts).map {
            $0.hasPrefix("{") ? .parameter : .literal($0)
        }
        let parameters = parts.filter { $0.hasPrefix("{") }
        hasParameters = !parameters.isEmpty
        keyPlace = parameters.firstIndex(of: "{key}")
    }

    /// The first segment of every target that fits; empty for the root.
    var first: String {
        guard let first = segments.first else { return "" }
        guard case .literal(let text) = first else {
            preconditionFailure("BUG: a route without a literal first segment")
        }
        return String(text)
    }

    /// - Parameter parts: see ``segments(of:)``.
    func fits(_ parts: ArraySlice<Substring>) -> Bool {
        guard isOpen ? parts.count > segments.count : parts.count == segments.count else {
            return false
        }
        return zip(parts, segments).allSatisfy { part, segment in
            switch segment {
            case .literal(let text): part == text
            case .parameter: !part.isEmpty
            }
        }
    }

    /// The values of the parameters in a target that fits, in their order, percent-decoded; nil if
    /// one can't be decoded.
    func parameters(in target: String) -> [String]? {
        guard hasParameters else { return [] }
        guard let path = RequestTargetForm.path(of: target) else { return nil }
        var texts: [String] = []
        for (part, segment) in zip(Self.segments(of: path), segments) {
            guard case .parameter = segment else { continue }
            guard let text = PercentEncoding.decodedText(part) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// The segments of a path without a query; none for the root.
    static func segments(of path: Substring) -> ArraySlice<Substring> {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return parts.elementsEqual([""]) ? [] : parts
    }
}
