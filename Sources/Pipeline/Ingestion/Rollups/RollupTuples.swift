import Postgres

/// A growing run of COPY BINARY tuples of `sluice.vital_rollup` or `sluice.gps_rollup`.
///
/// - Source: PostgreSQL manual, "COPY", section "Binary Format"; the form of an array is that of
///   `array_recv` (src/backend/utils/adt/arrayfuncs.c): number of dimensions, whether there are
///   nulls, the elements' type, for each dimension its length and lower bound, the elements.
package struct RollupTuples {
    package private(set) var bytes: [UInt8] = []

    package var isEmpty: Bool { bytes.isEmpty }

    /// Columns of ``appendVital(key:minute:_:)``.
    package static let vitalColumns = "device_key, minute, readings, codes, sums"
    /// Columns of ``appendGPS(key:minute:readings:metres:)``.
    package static let gpsColumns = "device_key, minute, readings, metres"

    private static let sumsOfPart = 6

    mutating func appendVital(
        key: Int64, minute: Int64, _ parts: ArraySlice<VitalTally.Part>
    ) {
        let codesBytes = 20 + parts.count * 6
        let sumsBytes = 28 + parts.count * Self.sumsOfPart * 12
        append(bytes: 2 + 12 + 12 + 8 + 4 + codesBytes + 4 + sumsBytes) { tuple in
            tuple.put(5 as Int16)
            tuple.put(field: key)
            tuple.put(field: minute)
            tuple.put(field: parts.reduce(0 as Int32) { $0 &+ $1.readings })
            tuple.put(Int32(codesBytes))
            tuple.putArray(of: .int2, parts.count)
            for part in parts { tuple.put(field: part.code) }
            tuple.put(Int32(sumsBytes))
            tuple.putArray(of: .float8, parts.count, Self.sumsOfPart)
            for part in parts {
                tuple.put(field: Double(part.readings))
                tuple.put(field: part.low)
                tuple.put(field: part.high)
                tuple.put(field: part.total)
                tuple.put(field: Double(part.lastTime - minute))
                tuple.put(field: part.last)
            }
        }
    }

    mutating func appendGPS(key: Int64, minute: Int64, readings: Int32, metres: Double) {
        append(bytes: 2 + 12 + 12 + 8 + 12) { tuple in
            tuple.put(4 as Int16)
            tuple.put(field: key)
            tuple.put(field: minute)
            tuple.put(field: readings)
            tuple.put(field: metres)
        }
    }

    /// - Parameter fill: has to write that many bytes.
    @inline(__always)
    private mutating func append(bytes count: Int, _ fill: (inout Place) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        bytes.withUnsafeMutableBytes { bytes in
            var place = Place(rest: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            fill(&place)
            precondition(place.rest.isEmpty, "BUG: bytes=\(place.rest.count)")
        }
    }

    /// Where the next value goes, within the tuple that there is room for.
    private struct Place {
        var rest: UnsafeMutableRawBufferPointer

        @inline(__always)
        mutating func put<Value: FixedWidthInteger>(_ value: Value) {
            let size = MemoryLayout<Value>.size
            precondition(rest.count >= size, "BUG: bytes=\(rest.count)")
            rest.storeBytes(of: value.bigEndian, as: Value.self)
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[size...])
        }

        @inline(__always)
        mutating func put<Value: FixedWidthInteger>(field value: Value) {
            put(Int32(MemoryLayout<Value>.size))
            put(value)
        }

        @inline(__always)
        mutating func put(field value: Double) { put(field: value.bitPattern) }

        mutating func putArray(of type: OID, _ lengths: Int...) {
            put(Int32(lengths.count))
            put(0 as Int32)
            put(Int32(bitPattern: type.rawValue))
            for length in lengths {
                put(Int32(length))
                put(1 as Int32)
            }
        }
    }
}
