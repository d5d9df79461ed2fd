import Glibc

/// The attributes of an element, on loan from expat during a call.
struct XMLAttributes {
    private let pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        self.pairs = pairs
    }

    /// The prefixes that these attributes bind to namespaces which begin so; empty: that of names
    /// without a prefix.
    func prefixes(boundTo start: String) -> Set<String> {
        var prefixes: Set<String> = []
        var place = 0
        while let found = pairs[place], let value = pairs[place + 1] {
            let name = String(cString: found)
            if name == "xmlns" || name.hasPrefix("xmlns:"), String(cString: value).hasPrefix(start)
            {
                prefixes.insert(String(name.dropFirst("xmlns:".count)))
            }
            place += 2
        }
        return prefixes
    }

    subscript(_ name: StaticString) -> String? {
        var place = 0
        while let found = pairs[place], let value = pairs[place + 1] {
            let isIt = name.withUTF8Buffer { wanted in
                strlen(found) == wanted.count
                    && memcmp(found, wanted.baseAddress!, wanted.count) == 0
            }
            if isIt { return String(cString: value) }
            place += 2
        }
        return nil
    }
}
