import Readings

@testable import Analysis

/// Times and inputs in readable form.
enum TestMoments {
    /// - Parameter text: `2026-01-24T15:30:00Z`.
    static func time(_ text: String) -> Timestamp {
        let parts = text.dropLast().split(separator: "T")
        guard let day = LocalDay(String(parts[0])) else { preconditionFailure("BUG: \(text)") }
        let clock = parts[1].split(separator: ":").compactMap { Int64($0) }
        let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
        return Timestamp(
            microseconds: (Int64(day.daysSince2000) * 86_400 + seconds) * 1_000_000)
    }

    static func input(
        _ transcription: String?, image: [UInt8]? = nil, at text: String = "2026-01-24T15:30:00Z",
        zone: String = "America/New_York"
    ) -> AnalysisInput {
        AnalysisInput(
            transcription: transcription, image: image, audioURL: nil, time: time(text),
            calendar: UserCalendar(zone))
    }
}
