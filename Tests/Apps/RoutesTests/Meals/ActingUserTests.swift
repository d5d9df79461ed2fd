import Auth
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import MealRoutes

@Suite struct ActingUserTests {
    private static let key = Caller.key(KeyLimits(KeyID(name: "app", id: 1)))
    private static let long = String(repeating: "x", count: 129)

    @Test(
        arguments: [
            (Caller.user("anna", until: nil), nil, "anna"),
            (.user("anna", until: nil), "anna", "anna"),
            (.anybody, nil, ActingUser.nobody), (.anybody, "bob", "bob"), (key, "bob", "bob"),
        ] as [(Caller, String?, String)])
    func `a caller with a token, with a key or with neither acts for a user`(
        _ caller: Caller, _ named: String?, _ user: String
    ) throws {
        #expect(try ActingUser.of(caller, named: named) == user)
    }

    @Test(
        arguments: [
            (Caller.user("anna", until: nil), "bob", .forbidden),
            (.user("anna", until: nil), "", .forbidden),
            (key, nil, .userMissing), (key, "", .userInvalid), (key, "a\nb", .userInvalid),
            (.anybody, long, .userInvalid), (.user(long, until: nil), nil, .userInvalid),
        ] as [(Caller, String?, RequestFailure)])
    func `a forbidden, missing or invalid user id is refused`(
        _ caller: Caller, _ named: String?, _ failure: RequestFailure
    ) {
        #expect(throws: failure) { try ActingUser.of(caller, named: named) }
    }
}
