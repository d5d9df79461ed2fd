/// How a request target is written (RFC 9112, section 3.2), before its path is known.
enum RequestTargetForm {
    /// The same target with one slash for each run of slashes in its path, and none at the end:
    /// clients build URLs carelessly, and a redirect would make many of them repeat the request
    /// without its body. All that is behind this sees the tidied target, so no two parts of the
    /// server read one target differently.
    ///
    /// - Parameter target: another form than origin and absolute form is returned as it is.
    static func tidied(_ target: String) -> String {
        let slash = UInt8(ascii: "/")
        var start = target.startIndex
        if target.utf8.first != slash {
            guard let authority = authority(in: target[...]) else { return target }
            start = authority.endIndex
        }
        let rest = target.utf8[start...]
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let hasRuns = zip(path, path.dropFirst()).contains { $0 == slash && $1 == slash }
        guard hasRuns || path.count > 1 && path.last == slash else { return target }
        var kept: [UInt8] = []
        for byte in path where byte != slash || kept.last != slash { kept.append(byte) }
        if kept.count > 1, kept.last == slash { kept.removeLast() }
        return target[..<start] + String(decoding: kept, as: UTF8.self) + target[path.endIndex...]
    }

    /// The path of a target in origin or absolute form, without its query; nil for another form.
    static func path(of target: String) -> Substring? {
        var path = target[...]
        if !path.utf8.starts(with: "/".utf8) {
            guard let authority = authority(in: path) else { return nil }
            path = path[authority.endIndex...]
        }
        let query = path.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        if let query { path = path[..<query] }
        return path
    }

    /// The query of a target, without the question mark; nil if it has none.
    static func query(of target: String) -> Substring? {
        let visible = target.utf8.prefix { $0 != UInt8(ascii: "#") }
        let mark = visible.firstIndex(of: UInt8(ascii: "?"))
        return mark.map { Substring(visible[$0...].dropFirst()) }
    }

    /// The authority of a target in absolute form; nil for another form or another scheme.
    static func authority(in target: Substring) -> Substring? {
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            return target.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        }
        return nil
    }
}
