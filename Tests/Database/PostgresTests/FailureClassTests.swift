import Postgres
import Testing

/// What each SQLSTATE means to the writer, said a second time and in another order than in the
/// table: a row that changes must change here too.
struct FailureClassTests {
    static let retry = [
        "08000", "08001", "08003", "08004", "08006", "08007", "25006", "25P03", "26000", "40000",
        "40001", "40003", "40P01", "42P05", "53000", "53100", "53200", "53300", "53400", "55006",
        "55P03", "57000", "57014", "57P01", "57P02", "57P03", "57P05", "58000", "58030", "72000",
    ]
    static let poison = [
        "22000", "22001", "22003", "22007", "22008", "22021", "22023", "22P02", "22P03", "22P05",
        "23000", "23502", "23503", "23505", "23514", "23P01", "40002", "54000", "54001", "54011",
        "P0000", "P0001", "P0004",
    ]
    static let stop = [
        "00000", "01000", "02000", "03000", "08P01", "09000", "0A000", "0B000", "0F000", "0L000",
        "0P000", "0Z000", "20000", "21000", "24000", "25000", "25001", "25P02", "27000", "28000",
        "28P01", "2B000", "2D000", "2F000", "34000", "38000", "39000", "3B000", "3D000", "3F000",
        "42501", "42601", "42703", "42P01", "44000", "55000", "55P02", "55P04", "57P04",
        "58P01", "58P02", "F0000", "HV000", "XX000", "XX001", "XX002", "ZZ999",
    ]

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
