import Glibc

/// The attributes of an element, on loan from expat during a call.
struct XMLAttributes {
    private let pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        self.pairs = pairs
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
