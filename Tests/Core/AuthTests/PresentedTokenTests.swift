import Auth
import Testing

@Suite struct PresentedTokenTests {
    @Test(arguments: [
        ("Bearer abc", nil as String?, nil as String?, "abc" as String?),
        ("bearer abc", nil, nil, "abc"), ("BEARER   abc", nil, nil, "abc"),
        ("Bearer", nil, nil, ""), ("Bearer ", nil, nil, ""), ("Bearerabc", nil, nil, ""),
        ("Bearer a b", nil, nil, "a b"), ("Basic abc", nil, nil, ""), ("", nil, nil, nil),
        ("", "", nil, ""), ("Bearer ", "key", nil, "key"), ("Basic abc", nil, "token=t", "t"),
        ("Basic abc", "key", nil, "key"), ("Bearer abc", "key", "token=t", "abc"),
        ("", "", "token=t", "t"), ("", nil, "a=b&token=t&token=u", "t"),
        ("", nil, "token=", ""), ("", nil, "tokens=t", nil), ("", nil, "atoken=t", nil),
        ("", nil, "token=a%2Bb%2f", "a+b/"), ("", nil, "token=a+b", "a+b"),
        ("", nil, "token=%zz", "%zz"), ("", nil, "token=%4", "%4"),
        ("", nil, "token=%ff", "%ff"), ("Bearer a b", "key", nil, "a b"),
    ])
    func `a token is found wherever it may be sent`(
        authorization: String, key: String?, query: String?, token: String?
    ) {
        let read = PresentedToken.read(
            authorization: authorization.isEmpty ? nil : authorization, apiKey: key, query: query)
        #expect(read == token)
    }
}
