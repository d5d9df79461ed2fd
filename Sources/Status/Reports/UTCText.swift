/// Times as all of Sluice's answers have them: `YYYY-MM-DDTHH:MM:SSZ`.
enum UTCText {
    /// Days are counted from 0000-03-01, so that a leap day is a year's last.
    static func of(_ unixSeconds: Int64) -> String {
        let (day, second) = (
            Int64((Double(unixSeconds) / 86_400).rounded(.down)),
            ((unixSeconds % 86_400) + 86_400) % 86_400
        )
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let yearText = String(year)
        let padded = String(repeating: "0", count: max(0, 4 - yearText.count)) + yearText
        return "\(padded)-\(two(month))-\(two(dayOfMonth))T\(two(second / 3600)):"
            + "\(two(second / 60 % 60)):\(two(second % 60))Z"
    }
}
