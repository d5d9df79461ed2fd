import Testing

@testable import Status

@Suite struct FigureTests {
    @Test(
        arguments: [
            (0, "0"), (7, "7"), (0.4, "0.40"), (98.54, "98.5"), (999, "999"), (999.7, "1.00 k"),
            (1000, "1.00 k"), (12_345, "12.3 k"), (999_499, "999 k"), (999_999, "1.00 M"),
            (-5, "0"), (0.004, "0.00"), (.infinity, "–"), (.nan, "–"), (1e30, "1000000000000000 P"),
        ] as [(Double, String)])
    func `numbers have three digits`(value: Double, text: String) {
        if value < 1e20 || !value.isFinite { #expect(Figure.number(value) == text) }
        #expect(Figure.number(value).count < 40)
    }

    @Test(
        arguments: [
            (0, "0 ms"), (0.000_18, "180 µs"), (0.00412, "4.12 ms"), (0.999, "999 ms"),
            (0.9999, "1.00 s"), (1.3, "1.30 s"), (30, "30.0 s"), (200, "3 min 20 s"), (-1, "0 ms"),
        ] as [(Double, String)])
    func `times have the unit that fits`(seconds: Double, text: String) {
        #expect(Figure.time(seconds) == text)
    }

    @Test func `an unknown figure is a dash`() {
        #expect(Figure.time(nil) == "–")
        #expect(Figure.time(.nan) == "–")
        #expect(Figure.percent(.infinity) == "–")
    }

    @Test(
        arguments: [(0, "0 %"), (0.004, "0.4 %"), (0.97, "97 %"), (1, "100 %")]
            as [(Double, String)])
    func `shares are printed in percent`(share: Double, text: String) {
        #expect(Figure.percent(share) == text)
    }

    @Test(
        arguments: [
            (12, "12 s"), (200, "3 min 20 s"), (18_120, "5 h 2 min"), (1_047_600, "12 d 3 h"),
            (-3, "0 s"), (.infinity, "–"),
        ] as [(Double, String)])
    func `spans have two units at most`(seconds: Double, text: String) {
        #expect(Figure.span(seconds) == text)
    }
}
