import Testing
import Times

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_369_353_600, "Fri, 24 May 2013 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `a time is written and read in the format of HTTP`(seconds: Int64, text: String) {
        #expect(HTTPDate(unixSeconds: seconds).text == text)
        #expect(HTTPDate.unixSeconds(text) == seconds)
        #expect(HTTPDate.unixSeconds("Date: \(text)".dropFirst(6)) == seconds)
    }

    @Test func `every day of four hundred years is read back from its text`() {
        for day in Int64(0)..<146_097 {
            let date = HTTPDate(unixSeconds: day * 86_400 + day % 86_400)
            guard HTTPDate.unixSeconds(date.text) == date.unixSeconds else {
                Issue.record("\(date.text) is not \(date.unixSeconds)")
                return
            }
        }
    }

    @Test(arguments: [-1, -86_400, Int64.min])
    func `a clock before 1970 counts as 1970`(seconds: Int64) {
        #expect(HTTPDate(unixSeconds: seconds) == HTTPDate(unixSeconds: 0))
    }

    @Test(arguments: [
        ("Sat, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    ])
    func `a wrong weekday, a leap second and days before 1970 are read`(
        text: String, seconds: Int64
    ) {
        #expect(HTTPDate.unixSeconds(text) == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 +00",
        "sun, 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Mai 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun; 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 +8:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Fri, 24 May 2013 0:0 GMT", "Sun, 06 Nov 1994 ０8:49:37 G",
        "Sun, 06 Nov 1994_08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37\u{a0}GM",
    ])
    func `other texts are no HTTP date`(text: String) {
        #expect(HTTPDate.unixSeconds(text) == nil)
    }
}
