import Postgres
import Testing

/// What each SQLSTATE means to the writer, said a second time and in another order than in the
/// table: a row that changes must change here too.
struct FailureClassTests {
    static let retry = [
        "08000", "08001", "08003", "08004", "08006", "08007", "25006", "25P03", "25P04", "26000",
        "3D000", "40000", "40001", "40003", "40P01", "42P05", "53000", "53100", "53200", "53300",
        "53400", "54000", "55006", "55P03", "57000", "57014", "57P01", "57P02", "57P03", "57P04",
        "57P05", "58000", "58030", "72000",
    ]
    static let poison = [
        "22000", "22001", "22003", "22007", "22008", "22021", "22023", "22P02", "22P03", "22P05",
        "23000", "23502", "23503", "23505", "23514", "23P01", "40002", "54001", "54011", "54023",
        "P0000", "P0001", "P0004",
    ]
    static let stop = [
        "00000", "01000", "02000", "03000", "08P01", "09000", "0A000", "0B000", "0F000", "0L000",
        "0P000", "0Z000", "10608", "20000", "21000", "24000", "25000", "25001", "25P02", "27000",
        "28000", "28P01", "2B000", "2D000", "2F000", "34000", "38000", "39000", "3B000", "3F000",
        "42501", "42601", "42703", "42P01", "44000", "55000", "55P02", "55P04", "58P01", "58P02",
        "58P03", "F0000", "HV000", "XX000", "XX001", "XX002", "ZZ999",
    ]
    /// What is done about a code when others can be written at the same moment.
    static let ofOne: [String: FailureClass] = [
        "09000": .stop, "20000": .stop, "21000": .stop, "25P04": .retry, "27000": .stop,
        "2F000": .stop, "38000": .stop, "39000": .stop, "40000": .retry, "40001": .retry,
        "40003": .retry, "40P01": .retry, "53200": .retry, "53400": .retry, "54000": .poison,
        "55P03": .retry, "57014": .retry, "58030": .retry, "XX000": .stop, "XX001": .stop,
        "XX002": .stop,
    ]
    static let ofSize = ["25P04", "53200", "53400", "57014"]

    @Test(arguments: retry)
    func `the moment was wrong`(code: String) throws {
        #expect(FailureClass(try #require(SQLState(code))) == .retry)
    }

    @Test(arguments: poison)
    func `a row is to blame`(code: String) throws {
        #expect(FailureClass(try #require(SQLState(code))) == .poison)
    }

    @Test(arguments: stop)
    func `an operator has to look`(code: String) throws {
        #expect(FailureClass(try #require(SQLState(code))) == .stop)
    }

    @Test(arguments: retry + poison + stop)
    func `one row, device or owner may be to blame, or its size`(code: String) throws {
        let state: SQLState = try #require(SQLState(code))
        let error = PostgresError(.refused, sqlState: state)
        #expect(error.classOfOne == Self.ofOne[code])
        #expect(error.mayBeOfSize == Self.ofSize.contains(code))
    }

    @Test func `every rule of the table is asked for by a code above`() {
        let codes = Self.retry + Self.poison + Self.stop
        for rule in FailureClass.rules {
            #expect(codes.contains { $0.hasPrefix(rule.code) }, "rule \(rule.code)")
            #expect(!rule.reason.isEmpty)
        }
    }

    @Test func `without a code the kind decides`() {
        #expect(PostgresError(.connectionLost).failureClass == .retry)
        #expect(PostgresError(.connectionFailed).failureClass == .retry)
        #expect(PostgresError(.deadlineExceeded).failureClass == .retry)
        #expect(PostgresError(.deadlineExceeded).classOfOne == .retry)
        #expect(PostgresError(.rowUnchanged).failureClass == .retry)
        #expect(PostgresError(.rowUnchanged).classOfOne == .retry)
        #expect(PostgresError(.connectionLost).classOfOne == nil)
        #expect(PostgresError(.connectionLost, sqlState: "25P04").failureClass == .retry)
        #expect(PostgresError(.refused, sqlState: "23502").ofTable.failureClass == .stop)
        #expect(PostgresError(.protocolViolation).failureClass == .stop)
        #expect(PostgresError(.connectionFailed, sqlState: "28P01").failureClass == .stop)
    }

    @Test func `a refusal that the session is to blame for ends it`() {
        for rule in FailureClass.rules {
            let code = rule.code + String(repeating: "0", count: 5 - rule.code.count)
            let error = PostgresError(.refused, sqlState: SQLState(code))
            #expect(error.isConnectionClosed == rule.endsSession, "\(code)")
        }
        let ending = FailureClass.rules.filter(\.endsSession)
        #expect(ending.map(\.code) == ["25006", "26", "42P05"])
        #expect(ending.allSatisfy { $0.failureClass == .retry })
    }

    @Test(arguments: ["", "2300", "230000", "23a00", "23 00", "23é0"])
    func `other texts are no SQLSTATE`(text: String) {
        #expect(SQLState(text) == nil)
    }

    @Test func `a SQLSTATE reads back`() {
        let state: SQLState = "40P01"
        #expect(state.description == "40P01")
        #expect(state.classCode == "40")
    }
}
