/// Reads RFC 4180, for tests: nil is an empty field without quotes.
enum CSV {
    static func rows(_ text: String) -> [[String?]] {
        var rows: [[String?]] = []
        var row: [String?] = []
        var field = String.UnicodeScalarView()
        var (isQuoted, wasQuoted) = (false, false)
        let scalars = Array(text.unicodeScalars)
        var index = 0
        func end() {
            row.append(field.isEmpty && !wasQuoted ? nil : String(field))
            field = String.UnicodeScalarView()
            wasQuoted = false
        }
        while index < scalars.count {
            let scalar = scalars[index]
            switch scalar {
            case "\"" where isQuoted && index + 1 < scalars.count && scalars[index + 1] == "\"":
                field.append(scalar)
                index += 1
            case "\"":
                isQuoted.toggle()
                wasQuoted = true
            case "," where !isQuoted: end()
            case "\n" where !isQuoted:
                end()
                rows.append(row)
                row = []
            default: field.append(scalar)
            }
            index += 1
        }
        return rows
    }
}
