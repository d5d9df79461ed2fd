import Postgres

/// Keys and open routes.
extension Check {
    static let keys = [
        keysInForce, keyFile, expiry, openRoutes, trustedPaths, plainHTTP,
    ]

    /// ``expiry`` has asked.
    private static let keysInForce = Check(
        .keys, "keys",
        findsOfAll: { facts in
            let configured = facts.access.ingestKeys
            var issued: Int?
            if case .reached(let database) = facts.database { issued = database.work.keysInForce }
            if configured + (issued ?? 0) > 0 {
                return [
                    .ok("\(configured) configured" + (issued.map { ", \($0) issued" } ?? ""))
                ]
            }
            guard issued != nil else { return [] }
            return [
                .notice(
                    "none",
                    why: "Neither the database nor this configuration has a key. A server without "
                        + "keys makes one when it starts.", fix: "sluice keys create NAME")
            ]
        })

    private static let keyFile = Check(.keys, "key file") { facts in
        guard facts.access.isKeyFileOpen else { return [] }
        return [
            .warning(
                "other users may read ingest.key",
                why: "Everybody on this machine can send readings.",
                fix: "chmod 600 SLUICE_DATA_DIR/ingest.key")
        ]
    }

    private static let expiry = Check(
        .keys, "expiry", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let keys = """
                select name, coalesce(expires_at < now() + interval '7 days', false),
                    scopes && '{captures,meals,media}'
                from sluice.api_key
                where revoked_at is null and (expires_at is null or expires_at > now())
                order by expires_at
                """
            guard let rows = try interview.ask(keys) else { return }
            facts.work.keysInForce = rows.count
            facts.work.hasApplicationKeys = (0..<rows.count).contains { rows.bool($0, 2) }
            facts.work.keysRunningOut = (0..<rows.count).filter { rows.bool($0, 1) }
                .map { rows.string($0, 0) }
        },
        judges: { database, _ in
            guard !database.work.keysRunningOut.isEmpty else { return nil }
            return .warning(
                "within a week: " + database.work.keysRunningOut.joined(separator: ", "),
                why: "Devices with such a key will be locked out.",
                fix: "sluice keys create NAME   # and give it to them")
        })

    private static let openRoutes = Check(.keys, "open routes") { facts in
        guard facts.access.isOpen else { return [] }
        guard facts.access.isLoopback else {
            return [
                .problem(
                    "open to all on \(facts.access.host)",
                    why: "Anybody can read and write every user's captures, meals and journal. "
                        + "/status needs a key.",
                    fix: "SLUICE_JWT_SECRET=… or SLUICE_APP_KEYS=…")
            ]
        }
        return [
            .notice(
                "open to all on this machine",
                why: "Users' apps need no token as long as the server listens on loopback only.",
                fix: "SLUICE_JWT_SECRET=… before others can reach it, also through a proxy")
        ]
    }

    private static let trustedPaths = Check(.keys, "trusted paths") { facts in
        let access = facts.access
        guard access.trustsPathUser, !access.isOpen else { return [] }
        return [
            .fault(
                access.isLoopback ? .notice : .warning,
                "captures and journal open to all on \(access.host)",
                why: "Any client of the server can read and write as any user, except meals.",
                fix: "SLUICE_TRUST_PATH_USER=false, unless every client is trusted")
        ]
    }

    private static let plainHTTP = Check(.keys, "plain HTTP") { facts in
        guard !facts.access.isSecure, !facts.access.isLoopback else { return [] }
        return [
            .notice(
                "on \(facts.access.host)",
                why: "Keys and readings can be read in transit, unless a proxy in front uses TLS.",
                fix: "SLUICE_TLS_CERT=… SLUICE_TLS_KEY=…")
        ]
    }
}
