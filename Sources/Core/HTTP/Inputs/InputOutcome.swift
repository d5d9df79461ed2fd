import Ingest
import JSONText
public import NIOCore
import Readings
public import Scanner

/// What became of the readings of a request, once they are safe.
public struct InputOutcome {
    /// Readings received.
    public let records: Int
    /// Readings stored now; nil: they are on disk, and the database has not seen them.
    public let stored: Int?
    /// Readings that were stored before; zero if that is not known yet.
    public let duplicates: Int
    /// Readings quarantined, as far as is known.
    public let quarantined: Int
    /// The first readings that the scanner quarantined, with their index.
    public let problems: [Problem]
    /// What was sent and is not read.
    public let ignored: IgnoredFields
    /// Readings that the lanes quarantined in addition.
    let refusals: LaneRefusals
    /// For the sentences that say what was expected.
    let limits: ReadingLimits
}

/// The answers of `/ingest`.
extension InputOutcome {
    /// Writes the body that an answer of `/ingest` has.
    public func write(to body: inout ByteBuffer) {
        if let stored {
            writeCommitted(stored, to: &body)
        } else {
            writeSpooled(to: &body)
        }
    }

    private func writeCommitted(_ stored: Int, to body: inout ByteBuffer) {
        body.writeStaticString("{\"status\":\"accepted\",\"records\":")
        body.writeDecimal(records)
        body.writeStaticString(",\"stored\":")
        body.writeDecimal(stored)
        body.writeStaticString(",\"duplicates\":")
        body.writeDecimal(duplicates)
        body.writeStaticString(",\"quarantined\":")
        body.writeDecimal(quarantined)
        if quarantined > 0 {
            let placed = placedProblems
            body.write(placed ?? problems, limits)
            if placed == nil { body.write(unplaced: refusals, limits) }
        }
        body.write(ignored)
        body.writeStaticString("}")
    }

    private func writeSpooled(to body: inout ByteBuffer) {
        body.writeStaticString("{\"status\":\"spooled\",\"records\":")
        body.writeDecimal(records)
        if quarantined > 0 {
            body.writeStaticString(",\"quarantined\":")
            body.writeDecimal(quarantined)
            body.write(problems, limits)
        }
        body.write(ignored)
        body.writeStaticString("}")
    }

    /// The problems, with the indices of the readings that the lanes quarantined. nil if those
    /// indices are unknown: some readings are stored, or there was more than one reason.
    private var placedProblems: [Problem]? {
        guard refusals.count > 0 else { return problems }
        guard quarantined == records,
            let reason = LaneRefusals.reasons.first(where: { refusals[$0] == refusals.count }),
            // The scanner lists only the first of its own problems.
            problems.count == quarantined - refusals.count
        else { return nil }
        var named: [Problem] = []
        var known = problems[...]
        for index in 0..<min(records, ScannedBatch.problemsMax) {
            if known.first?.index == index {
                named.append(known.removeFirst())
            } else {
                named.append(Problem(index: index, reason: reason))
            }
        }
        return named
    }
}

extension ByteBuffer {
    /// Writes the member `unplaced` of an answer, with a comma in front.
    fileprivate mutating func write(unplaced refusals: LaneRefusals, _ limits: ReadingLimits) {
        var separator: StaticString = ",\"unplaced\":["
        for reason in LaneRefusals.reasons where refusals[reason] > 0 {
            writeStaticString(separator)
            writeStaticString("{\"reason\":")
            write(reason, limits)
            writeStaticString(",\"readings\":")
            writeDecimal(refusals[reason])
            writeStaticString("}")
            separator = ","
        }
        writeStaticString("]")
    }

    /// Writes a reason, and the member `expected`.
    private mutating func write(_ reason: QuarantineReason, _ limits: ReadingLimits) {
        writeJSON(reason.rawValue)
        writeStaticString(",\"expected\":")
        writeJSON(reason.expected(limits))
    }

    /// Writes the member `ignored` of an answer, with a comma in front; nothing if there is nothing.
    fileprivate mutating func write(_ ignored: IgnoredFields) {
        guard ignored.count > 0 else { return }
        writeStaticString(",\"ignored\":[")
        for (position, name) in ignored.names.enumerated() {
            if position > 0 { writeStaticString(",") }
            writeJSON(name)
        }
        writeStaticString("]")
    }

    /// Writes the member `problems` of an answer, with a comma in front.
    fileprivate mutating func write(_ problems: [Problem], _ limits: ReadingLimits) {
        writeStaticString(",\"problems\":[")
        for (position, problem) in problems.enumerated() {
            writeStaticString(position == 0 ? "{\"index\":" : ",{\"index\":")
            writeDecimal(problem.index)
            writeStaticString(",\"reason\":")
            write(problem.reason, limits)
            writeStaticString("}")
        }
        writeStaticString("]")
    }
}

extension ByteBuffer {
    /// Writes the number in decimal digits, without creating a string.
    mutating func writeDecimal(_ value: Int) {
        if value < 0 {
            writeStaticString("-")
        }
        var rest = value.magnitude
        // At most 20 digits, filled from the end.
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            _ = writeBytes(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes the text as a JSON string; see ``JSONString``.
    mutating func writeJSON(_ text: String) {
        writeString(JSONString.quoted(text))
    }
}
