import Auth
import HTTPTypes
import Instruments
import NIOCore
import Readings
import Scanner
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Where a key may be, and whose readings it brings.
@Suite struct IngestSenderTests {
    private static let secret = "a secret of more than thirty-two bytes"

    /// Keys that are bound as their names say.
    private struct BoundKeys: KeyAuthority {
        func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits? {
            let binding: KeyBinding?
            switch presented {
            case "anybody": binding = nil
            case "ann": binding = KeyBinding(user: "ann", device: nil)
            case "watch": binding = KeyBinding(user: nil, device: "Watch")
            case "both": binding = KeyBinding(user: "ann", device: "watch")
            default: return nil
            }
            return KeyLimits(KeyID(name: presented, id: 1), binding: binding)
        }
    }

    private static let reading = #"{"t":"2026-02-10T14:57:07Z","type":"gps","lat":1,"lon":2}"#

    private static func body(_ device: String, _ user: String?, _ other: String? = nil) -> String {
        let named = user.map { #","user_id":"\#($0)""# } ?? ""
        var readings = [reading]
        if let other {
            readings.append(
                #"{"device_id":"\#(other)","t":"2026-02-10T14:57:07Z","type":"gps","lat":1,"lon":2}"#
            )
        }
        return #"{"metadata":{"device_id":"\#(device)"\#(named)},"data":["#
            + readings.joined(separator: ",") + "]}"
    }

    @Test(
        arguments: [
            (["X-API-Key: the-good-key"], 200), (["Authorization: Bearer the-good-key"], 200),
            (["authorization: bearer  the-good-key"], 200),
            (["Authorization: Basic YW5uOnRoZS1nb29kLWtleQ=="], 200),
            (["X-API-Key: the-good-key", "Authorization: Bearer wrong"], 200),
            (["X-API-Key: wrong", "Authorization: Bearer the-good-key"], 401),
            (["X-API-Key:", "Authorization: Bearer the-good-key"], 401),
            (["Authorization: Bearer the-good-key", "Authorization: Bearer the-good-key"], 401),
            (["Authorization: Digest the-good-key"], 401), (["Authorization: the-good-key"], 401),
            (["Authorization:"], 401), ([], 401),
        ] as [([String], Int)])
    func `a key may come in three ways, on the quick path and beside it`(
        fields: [String], status: Int
    ) throws {
        for others in [[], ["Connection: Keep-Alive, x"]] {
            let rig = try ConnectionRig()
            try rig.send(Samples.post(key: nil, fields: fields + others))
            rig.commitHeld()
            #expect(try rig.answer().status == status)
            rig.expectNothingHeld()
        }
    }

    @Test(
        arguments: [
            ("ann", body("phone", nil), "ann"), ("ann", body("phone", "ann"), "ann"),
            // A user who is called like the device is one.
            ("ann", body("phone", "phone"), nil), ("ann", body("phone", "phone", "watch"), nil),
            ("ann", body("phone", "Ann"), nil), ("ann", body("ann", nil, "watch"), "ann"),
            ("ann", body("phone", "bob"), nil), ("ann", body("phone", nil, "watch"), "ann"),
            ("watch", body("WATCH", "bob"), "bob"), ("watch", body("watch", nil), "watch"),
            ("watch", body("phone", nil), nil), ("watch", body("watch", nil, "phone"), nil),
            ("both", body("watch", nil), "ann"), ("both", body("phone", "ann"), nil),
            ("both", body("watch", "bob"), nil), ("anybody", body("phone", "bob"), "bob"),
        ] as [(String, String, String?)])
    func `a key that is bound brings its own readings only`(
        key: String, body: String, user: String?
    ) throws {
        for isQuick in [true, false] {
            let rig = try ConnectionRig(keys: BoundKeys())
            let fields = isQuick ? [] : ["Connection: Keep-Alive, x"]
            try rig.send(Samples.post(body, key: key, fields: fields))
            guard let user else {
                let answer = try rig.answer()
                #expect(answer.status == 403)
                #expect(answer.detail?.contains("names another") == true)
                #expect(rig.sink.offers == 0 && rig.book.refused == rig.book.received)
                rig.expectNothingHeld()
                // The connection is kept, and the next request is taken.
                try rig.send(Samples.post(Self.body("x", nil), key: "anybody"))
                rig.commitHeld()
                #expect(try rig.answer().status == 200)
                continue
            }
            let batch = try #require(rig.sink.takeHeld().first?.batch)
            for part in batch.deviceBatches {
                #expect(part.userID == user)
                #expect(part.key == DeviceKey(of: part.deviceID, part.idKey, user: user))
            }
        }
    }

    @Test func `the rows have the user's key`() throws {
        let bodies = [Self.body("phone", nil, "watch"), Self.body("phone", "ann", "watch")]
        let rows = try zip(["ann", "anybody"], bodies).map { key, body in
            let rig = try ConnectionRig(keys: BoundKeys())
            try rig.send(Samples.post(body, key: key))
            let batch = try #require(rig.sink.takeHeld().first?.batch)
            return batch.deviceBatches.map { $0.tuples(of: .gps) }
        }
        #expect(rows[0] == rows[1] && rows[0].count == 2)
    }

    @Test func `a user's token brings that user's readings`() async throws {
        var configuration = AccessConfiguration()
        configuration.tokenSecret = Self.secret
        let ring = KeyRing(configured: .none, now: RoutesServer.now)
        ring.replaceIssued(with: [])
        let tokens = try await AccessPolicy(
            configuration, host: "127.0.0.1", keys: ring, now: RoutesServer.now)
        let ann = UserToken.bearer("ann", secret: Self.secret)
        let forged = UserToken.bearer("ann", secret: String(Self.secret.reversed()))
        for (field, body, status) in [
            (ann, Self.body("phone", nil), 200), (ann, Self.body("phone", "ann"), 200),
            (ann, Self.body("phone", "bob"), 403), (forged, Self.body("phone", nil), 401),
        ] {
            let rig = try ConnectionRig(keys: ring, tokens: tokens)
            try rig.send(Samples.post(body, key: nil, fields: [field]))
            if status == 200 {
                let user = rig.sink.takeHeld().first?.batch.deviceBatches[0].userID
                #expect(user == "ann")
            } else {
                #expect(try rig.answer().status == status)
                rig.expectNothingHeld()
            }
        }
    }
}
