import Foundation
import Readings
import Scanner
import ScannerSupport
import Testing

/// Numbers through the scanner, a thousand vital readings a batch, compared with `strtod`.
@Suite(.timeLimit(.minutes(20))) struct `A number` {
    @Test func `of seventeen digits is the double that strtod reads`() {
        var random = SeededGenerator(seed: Effort.seed)
        check(Effort.numbers) {
            var value = Double(bitPattern: random.next())
            while !value.isFinite { value = Double(bitPattern: random.next()) }
            return printed("%.17g", value)
        }
    }

    @Test func `in its shortest form is the double that strtod reads`() {
        var random = SeededGenerator(seed: Effort.seed)
        check(Effort.numbers) {
            var value = Double(bitPattern: random.next())
            while !value.isFinite { value = Double(bitPattern: random.next()) }
            return String(value)
        }
    }

    @Test func `of everyday size is the double that strtod reads`() {
        var random = SeededGenerator(seed: Effort.seed)
        check(Effort.numbers) {
            let value = Double.random(in: -1000...1000, using: &random)
            return printed(
                ["%.1f", "%.6f", "%.15g", "%.17g", "%.20f"].randomElement(using: &random)!, value)
        }
    }

    @Test func `of any digits, point and exponent is the double that strtod reads`() {
        var numbers = NumberGenerator(seed: Effort.seed)
        check(Effort.numbers) { numbers.digitString() }
    }

    @Test func `of very many digits is the double that strtod reads`() {
        var numbers = NumberGenerator(seed: Effort.seed)
        check(Effort.numbers / 50) { numbers.digitString(digitsMax: 900) }
    }

    @Test func `halfway between two doubles goes to the even one`() {
        var numbers = NumberGenerator(seed: Effort.seed)
        check(Effort.numbers / 20) { numbers.halfway() }
    }

    @Test func `below the normal doubles is the double that strtod reads`() {
        var random = SeededGenerator(seed: Effort.seed)
        check(Effort.numbers / 10) {
            let bits = UInt64.random(in: 0..<1 << 53, using: &random)
            return printed(
                ["%.17g", "%.3g", "%.30e", "%.1100f"].randomElement(using: &random)!,
                Double(bitPattern: bits))
        }
    }

    @Test func `at the edges of the doubles is the double that strtod reads`() {
        var numbers = NumberGenerator(seed: Effort.seed)
        check(10_000) { numbers.corner() }
        var exponents = (-400...400).flatMap { exponent in
            ["1", "9", "9999999999999999999", "1.7976931348623157", "4.94065645841246", "-2.5"]
                .map { "\($0)e\(exponent)" }
        }
        check(exponents.count) { exponents.removeLast() }
    }

    /// Tries `count` numbers, or a few more to fill the last batch.
    private func check(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ next: () -> String
    ) {
        var scanner = BatchScanner(limits: ReadingLimits())
        var left = count
        while left > 0 {
            let texts = (0..<min(1000, left)).map { _ in next() }
            left -= texts.count
            let expected = texts.map { strtod($0, nil) }
            let got = values(of: texts, by: &scanner)
            for (text, (expected, got)) in zip(texts, zip(expected, got))
            where expected.isFinite
                ? got.map(Double.init(bitPattern:)) != expected : got != nil
            {
                Issue.record(
                    "\(text): \(got.map { Double(bitPattern: $0) } as Any), not \(expected)",
                    sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// The bits of each value, nil for overflow.
    ///
    /// A measurement's magnitude is bounded; what is beyond goes through an accuracy, without its
    /// sign, for a negative one is stored as NULL.
    private func values(of texts: [String], by scanner: inout BatchScanner) -> [UInt64?] {
        let isMeasure = texts.map { text in
            let value = strtod(text, nil)
            let isZero = !text.prefix { $0 != "e" && $0 != "E" }.contains { "1"..."9" ~= $0 }
            return isZero || ReadingField.magnitudes.contains(value.magnitude)
        }
        let readings = zip(texts, isMeasure).map { text, isMeasure in
            let magnitude = text.hasPrefix("-") ? text.dropFirst() : text[...]
            let start = "{\"t\":\"2026-02-10T10:00:00Z\",\"type\":"
            return isMeasure
                ? "\(start)\"vital\",\"code\":1,\"val\":\(text)}"
                : "\(start)\"gps\",\"lat\":0,\"lon\":0,\"acc\":\(magnitude)}"
        }
        let body = batch(readings)
        let verdict = Verdict(
            of: &scanner, on: body, chunks: [body.count], now: BatchGenerator.now)
        guard let device = verdict.batch?.devices.first else { return texts.map { _ in nil } }
        let overflowing = Set(
            device.quarantined.filter { $0.reason == .accuracyOutOfRange }.map(\.index))
        // The value is the last eight bytes of a tuple, or stands before three lengths of NULL.
        func bits(_ tuples: [UInt8], _ end: Int) -> UInt64 {
            tuples[end - 8..<end].reduce(0) { $0 << 8 | UInt64($1) }
        }
        var measures = 0
        var accuracies = 0
        return texts.indices.map { index in
            if overflowing.contains(index) { return nil }
            if isMeasure[index] {
                measures += 44
                guard measures <= device[.vital].tuples.count else { return nil }
                return bits(device[.vital].tuples, measures)
            }
            accuracies += 74
            guard accuracies <= device[.gps].tuples.count else { return nil }
            let sign: UInt64 = texts[index].hasPrefix("-") ? 1 << 63 : 0
            return bits(device[.gps].tuples, accuracies - 12) | sign
        }
    }

    private func printed(_ format: String, _ value: Double) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2048) { buffer in
            _ = withVaList([value]) { vsnprintf(buffer.baseAddress, 2048, format, $0) }
            return String(cString: buffer.baseAddress!)
        }
    }
}
