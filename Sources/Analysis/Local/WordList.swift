/// Lists of words from a text: sections with a name in brackets, words parted by white space, `_` for
/// a space inside of one, lines that begin with `#` for people.
enum WordList {
    static func sections(_ text: [UInt8]) -> [String: Set<String>] {
        var sections: [String: Set<String>] = [:]
        var section = ""
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
            } else {
                for word in line.split(separator: " ") {
                    sections[section, default: []].insert(
                        word.split(separator: "_").joined(separator: " "))
                }
            }
        }
        return sections
    }
}
