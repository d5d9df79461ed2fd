import Captures
import Ingest
import Readings
import Testing

@Suite struct CaptureReplyTests {
    private func capture(_ id: String = "a") throws -> Capture {
        try CaptureFrame.decode(
            #"{"type":"memory_capture","id":"\#(id)","timestamp":"2026-01-24T23:30:00-05:00"}"#
        ).get()
    }

    @Test(arguments: [
        UnitOutcome.committed("stored"), .committed("replaced"),
        .committed("same"), .spooled,
    ])
    func `a safe capture is acknowledged`(outcome: UnitOutcome) throws {
        let capture = try capture()
        #expect(
            CaptureReply.reply(to: capture, outcome)
                == #"{"type":"ack","status":"received","captureId":"a","timestamp":"2026-01-25T04:30:00Z"}"#
        )
    }

    @Test(arguments: [
        (UnitOutcome.committed("foreign"), "id belongs to another user"),
        (.unavailable(retryAfter: .milliseconds(2100)), "not stored; try again in 3 s"),
        (.refused(sqlState: "22P05"), "the database refused it (22P05)"),
    ])
    func `a capture that is not stored has failed`(outcome: UnitOutcome, detail: String) throws {
        #expect(
            CaptureReply.reply(to: try capture(), outcome)
                == #"{"ok":false,"error":"failed_to_save","detail":"\#(detail)"}"#)
    }

    @Test func `days count right from year 1 to 9999`() {
        // Compares 400 years and both ends with a plain calendar.
        func days(_ year: Int, _ month: Int) -> Int {
            switch month {
            case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }
        func text(_ number: Int, _ digits: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: digits - text.count) + text
        }
        var day: Int64 = -730_119  // 0001-01-01
        for year in 1...9999 {
            for month in 1...12 {
                for date in [1, days(year, month)] {
                    let time = Timestamp(
                        microseconds: (day + Int64(date) - 1) * Timestamp.microsecondsPerDay)
                    let expected = "\(text(year, 4))-\(text(month, 2))-\(text(date, 2))"
                    if time.dayText != expected {
                        Issue.record("\(time.dayText) is not \(expected)")
                        return
                    }
                }
                day += Int64(days(year, month))
            }
        }
    }
}
