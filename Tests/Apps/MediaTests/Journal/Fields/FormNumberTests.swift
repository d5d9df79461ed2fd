import Testing

@testable import Media

struct FormNumberTests {
    @Test(arguments: [
        ("0", 0.0), ("8", 8), (" 7.5\n", 7.5), ("-3", -3), ("+3", 3), ("1e3", 1000),
        ("1.5E-2", 0.015), ("007", 7), ("-0", 0), ("1640995200.123456", 1_640_995_200.123456),
    ])
    func `decimal numbers are read`(text: String, value: Double) {
        #expect(FormNumber.value(text) == value)
    }

    @Test(arguments: [
        "", " ", "x", "8x", "0x10", "inf", "nan", "-", ".5", "5.", "1e", "1e+", "1 2", "1,5", "٣",
        "1_000", "--1",
    ])
    func `anything else is refused`(text: String) {
        #expect(FormNumber.value(text) == nil)
    }

    @Test func `a number too large for a double is infinite`() {
        #expect(FormNumber.value("1e999") == .infinity)
    }
}
