import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ParametersTests {
    let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "parameters", migrated: false)
    }

    @Test func `scalars are returned as they were sent`() throws {
        var parameters = Parameters()
        parameters.append(int8: .min)
        parameters.append(int4: -5)
        parameters.append(int2: .max)
        parameters.append(float8: -0.0)
        parameters.append(bool: true)
        parameters.append(text: "schön, \\ ' \u{1F600}")
        parameters.append(bytea: [0, 255, 1])
        parameters.append(timestamptz: 824_050_627_000_001)
        parameters.append(jsonb: #"{"b": 1, "aa": [null]}"#)
        parameters.append(date: -1)
        let rows = try connection.query(
            "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text, $8::text", parameters)
        #expect(rows.int64(0, 0) == .min)
        #expect(rows.int32(0, 1) == -5)
        #expect(Array(rows.bytes(0, 2)) == [0x7F, 0xFF])
        #expect(rows.float64(0, 3).bitPattern == (-0.0).bitPattern)
        #expect(rows.bool(0, 4))
        #expect(rows.string(0, 5) == "schön, \\ ' \u{1F600}")
        #expect(Array(rows.bytes(0, 6)) == [0, 255, 1])
        #expect(rows.timestamp(0, 7) == 824_050_627_000_001)
        #expect(rows.string(0, 8) == #"{"b": 1, "aa": [null]}"#)
        #expect(rows.string(0, 9) == "1999-12-31")
        #expect(rows.string(0, 10) == "2026-02-10 14:57:07.000001+00")
    }

    @Test func `infinite times are the limits of the range`() throws {
        let rows = try connection.query(
            "SELECT '-infinity'::timestamptz, 'infinity'::timestamptz")
        #expect(rows.timestamp(0, 0) == .min)
        #expect(rows.timestamp(0, 1) == .max)
    }

    @Test func `nil is NULL of every type`() throws {
        var parameters = Parameters()
        parameters.append(int8: nil)
        parameters.append(int4: nil)
        parameters.append(int2: nil)
        parameters.append(float8: nil)
        parameters.append(bool: nil)
        parameters.append(text: nil)
        parameters.append(bytea: nil as [UInt8]?)
        parameters.append(timestamptz: nil)
        parameters.append(jsonb: nil)
        parameters.appendNull(.int8Array)
        let rows = try connection.query(
            "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10", parameters)
        for column in 0..<10 { #expect(rows.isNull(0, column)) }
    }

    @Test func `empty is not NULL`() throws {
        var parameters = Parameters()
        parameters.append(text: "")
        parameters.append(bytea: [])
        parameters.append(int8s: [])
        parameters.append(texts: [])
        let rows = try connection.query(
            "SELECT $1, $2, cardinality($3), cardinality($4), $3 IS NULL", parameters)
        #expect(rows.string(0, 0) == "")
        #expect(rows.bytes(0, 1).isEmpty)
        #expect(rows.int32(0, 2) == 0)
        #expect(rows.int32(0, 3) == 0)
        #expect(!rows.bool(0, 4))
    }

    @Test func `arrays unnest to their elements`() throws {
        var parameters = Parameters()
        parameters.append(int8s: [1, .min, .max])
        parameters.append(int4s: [1, .min, .max])
        parameters.append(timestamptzs: [nil, .min, 5])
        parameters.append(texts: ["a,\"b\\", nil, ""])
        parameters.append(byteas: [[0], nil, []])
        let rows = try connection.query(
            "SELECT * FROM unnest($1, $2, $3, $4, $5)", parameters)
        #expect(rows.count == 3)
        #expect((0..<3).map { rows.int64($0, 0) } == [1, .min, .max])
        #expect((0..<3).map { rows.int32($0, 1) } == [1, .min, .max])
        #expect((0..<3).map { rows.isNull($0, 2) ? nil : rows.timestamp($0, 2) } == [nil, .min, 5])
        #expect(
            (0..<3).map { rows.isNull($0, 3) ? nil : rows.string($0, 3) } == ["a,\"b\\", nil, ""])
        #expect(
            (0..<3).map { rows.isNull($0, 4) ? nil : Array(rows.bytes($0, 4)) } == [[0], nil, []])
    }

    @Test func `large values pass in both directions`() throws {
        let numbers = (0..<200_000).map { Int64($0) &* 0x9E37_79B9_7F4A_7C1 }
        let text = String(repeating: "größer ", count: 500_000)
        var parameters = Parameters()
        parameters.append(int8s: numbers)
        parameters.append(text: text)
        let rows = try connection.query(
            "SELECT n, CASE WHEN n = 0 THEN $2 END FROM unnest($1) n", parameters)
        #expect(rows.count == numbers.count)
        #expect((0..<rows.count).allSatisfy { rows.int64($0, 0) == numbers[$0] })
        #expect(rows.string(0, 1) == text)
    }

    @Test func `a buffer can be used again after it was emptied`() throws {
        var parameters = Parameters()
        parameters.append(texts: ["x", nil])
        parameters.removeAll(keepingCapacity: true)
        #expect(parameters.count == 0)
        parameters.append(int8s: [4, 5, 6].lazy.map { $0 * 2 })
        let rows = try connection.query("SELECT sum(n)::int8 FROM unnest($1) n", parameters)
        #expect(rows.int64(0, 0) == 30)
    }
}
