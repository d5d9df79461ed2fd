extension Examination {
    private static let day: Int64 = 86_400

    /// The certificate, if there is one.
    static func certificate(_ facts: Facts) -> [Finding] {
        guard let certificate = facts.certificate else { return [] }
        var findings: [Finding] = []
        if let fault = certificate.fault {
            findings.append(
                .not(
                    .problem, .tls, "certificate", fault,
                    why:
                        "The server does not start; a running server keeps the previous certificate "
                        + "until it is restarted.",
                    fix: "SLUICE_TLS_CERT=… must be a certificate chain, and SLUICE_TLS_KEY=… the "
                        + "private key of its first certificate"))
        } else if let left = certificate.secondsLeft {
            let text =
                left < 0
                ? "expired \(Figures.seconds(Double(-left))) ago"
                : "\(Figures.seconds(Double(left))) left"
            let fix = "renew \(certificate.path); a running server reads it within seconds"
            if left < 7 * day {
                findings.append(
                    .not(
                        .problem, .tls, "certificate", text,
                        why: "Devices refuse to connect if the certificate has expired.",
                        fix: fix))
            } else if left < 21 * day {
                findings.append(
                    .not(
                        .warning, .tls, "certificate", text,
                        why: "It should have been renewed by now. Check the renewal.", fix: fix))
            } else {
                findings.append(.ok(.tls, "certificate", text))
            }
        }
        if let mode = certificate.keyMode, mode & 0o004 != 0 || mode & 0o022 != 0 {
            let text = String(mode & 0o777, radix: 8)
            findings.append(
                .not(
                    .warning, .tls, "private key", "mode \(text)",
                    why: "Other users here can read or replace it, and impersonate the server.",
                    fix: "chmod 600 \(certificate.keyPath)"))
        }
        return findings
    }

    /// The spool.
    static func spool(_ facts: Facts) -> [Finding] {
        guard facts.demand.spoolBytesMax > 0 else { return spoolOff(facts) }
        guard let spool = facts.spool else { return [.ok(.spool, "spool", "not used yet")] }
        if let fault = spool.fault {
            return [
                .not(
                    .problem, .spool, "spool", fault,
                    why: "The server needs it to start, and for every batch while the database is "
                        + "unreachable.", fix: "look at \(spool.path)")
            ]
        }
        return [
            fill(spool, facts), age(spool), unread(spool), damage(spool), setAsideIntact(spool),
            setAside(spool),
        ].compactMap { $0 }
    }

    private static func spoolOff(_ facts: Facts) -> [Finding] {
        var hasStandbys = false
        if case .reached(let database) = facts.database {
            hasStandbys = database.archive.standbys?.isEmpty == false
        }
        let tail =
            hasStandbys
            ? " SLUICE_TAIL_BYTES_MAX is off too: a failover loses acknowledged data that no standby "
                + "has yet." : ""
        var findings = [
            Finding.not(
                hasStandbys ? .warning : .notice, .spool, "spool", "switched off",
                why: "While the database is unreachable, every batch is refused." + tail,
                fix: "SLUICE_SPOOL_BYTES_MAX=4GiB")
        ]
        if let spool = facts.spool, spool.units ?? spool.files > 0 || !spool.unread.isEmpty {
            let units = spool.units.map { "\(Figures.count($0)) readings and units" }
            findings.append(
                .not(
                    .problem, .spool, "left over",
                    (units ?? "\(spool.files) files") + " in \(spool.path)",
                    why:
                        "They were acknowledged, and a server without a spool does not store them.",
                    fix: "sluice spool replay"))
        }
        return findings
    }

    private static func fill(_ spool: SpoolFacts, _ facts: Facts) -> Finding {
        let most = facts.demand.spoolBytesMax
        let waiting = spool.units.map { ", \(Figures.count($0)) readings and units pending" } ?? ""
        let text = "\(Figures.bytes(spool.bytes)) of \(Figures.bytes(most))\(waiting)"
        guard spool.bytes > most / 2 else { return .ok(.spool, "size", text) }
        return .not(
            spool.bytes > most / 10 * 9 ? .problem : .warning, .spool, "size", text,
            why: "When it is full, batches are refused until the database recovers.",
            fix: "sluice spool status", "SLUICE_SPOOL_BYTES_MAX=\(most >> 29)GiB")
    }

    private static func age(_ spool: SpoolFacts) -> Finding? {
        guard let seconds = spool.oldestSeconds, (spool.units ?? 0) > 0, seconds > 900 else {
            return nil
        }
        return .not(
            .warning, .spool, "oldest", Figures.seconds(Double(seconds)),
            why:
                "A running server replays the spool by itself. Either none runs on this data "
                + "directory, or the database does not accept the data.",
            fix: "sluice serve", "sluice spool replay   # without serving")
    }

    private static func damage(_ spool: SpoolFacts) -> Finding? {
        guard !spool.damaged.isEmpty else { return nil }
        return .not(
            .problem, .spool, "damage", spool.damaged.joined(separator: ", "),
            why: "Some acknowledged data can't be read any more.",
            fix: "sluice spool verify", "check the disk: dmesg, smartctl -a")
    }

    private static func unread(_ spool: SpoolFacts) -> Finding? {
        guard !spool.unread.isEmpty else { return nil }
        return .not(
            .problem, .spool, "unreadable now", spool.unread.joined(separator: ", "),
            why:
                "They hold acknowledged data, which is stored once they can be read. A running server "
                + "tries them again and again. Keep them.",
            fix: "check the disk: dmesg, smartctl -a", "sluice spool verify")
    }

    private static func setAsideIntact(_ spool: SpoolFacts) -> Finding? {
        guard !spool.setAsideIntact.isEmpty else { return nil }
        return .not(
            .problem, .spool, "moved aside, intact",
            "\(spool.setAsideIntact.count) files: "
                + spool.setAsideIntact.prefix(3).joined(separator: ", "),
            why:
                "Reads of them failed once, and their data may not be in the database. The next start "
                + "of the server stores it, and nothing twice.",
            fix: "restart the server", "sluice spool replay   # without a server")
    }

    private static func setAside(_ spool: SpoolFacts) -> Finding? {
        let damaged = spool.setAside.filter { !spool.setAsideIntact.contains($0) }
        guard !damaged.isEmpty else { return nil }
        return .not(
            .warning, .spool, "set aside",
            "\(damaged.count) files: " + damaged.prefix(3).joined(separator: ", "),
            why:
                "They are damaged. Their intact records were replayed, and the files are kept: what "
                + "is damaged in them was acknowledged and is nowhere else.",
            fix:
                "sluice spool replay --set-aside   # stores again what is readable, without a server",
            "then keep them elsewhere: mv \(spool.path)/bad-*.lz4 …")
    }

    /// Keys and open routes.
    static func keys(_ facts: Facts) -> [Finding] {
        let access = facts.access
        var findings: [Finding] = []
        var issued: Int?
        if case .reached(let database) = facts.database { issued = database.work.keysInForce }
        let total = access.ingestKeys + (issued ?? 0)
        if total > 0 {
            findings.append(
                .ok(
                    .keys, "keys",
                    "\(access.ingestKeys) configured"
                        + (issued.map { ", \($0) issued" } ?? "")))
        } else if issued != nil {
            findings.append(
                .not(
                    .notice, .keys, "keys", "none",
                    why:
                        "Neither the database nor this configuration has a key. A server without keys "
                        + "makes one when it starts.",
                    fix: "sluice keys create NAME"))
        }
        if access.isKeyFileOpen {
            findings.append(
                .not(
                    .warning, .keys, "key file", "other users may read ingest.key",
                    why: "Everybody on this machine can send readings.",
                    fix: "chmod 600 SLUICE_DATA_DIR/ingest.key"))
        }
        if case .reached(let database) = facts.database, !database.work.keysRunningOut.isEmpty {
            findings.append(
                .not(
                    .warning, .keys, "expiry",
                    "within a week: " + database.work.keysRunningOut.joined(separator: ", "),
                    why: "Devices with such a key will be locked out.",
                    fix: "sluice keys create NAME   # and give it to them"))
        }
        if access.isOpen, !access.isLoopback {
            findings.append(
                .not(
                    .problem, .keys, "open routes", "open to all on \(access.host)",
                    why:
                        "Anybody can read and write every user's captures, meals and journal. /status needs "
                        + "a key.",
                    fix: "SLUICE_JWT_SECRET=… or SLUICE_APP_KEYS=…"))
        } else if access.isOpen {
            findings.append(
                .not(
                    .notice, .keys, "open routes", "open to all on this machine",
                    why:
                        "Users' apps need no token as long as the server listens on loopback only.",
                    fix: "SLUICE_JWT_SECRET=… before others can reach it, also through a proxy"
                ))
        }
        if access.trustsPathUser, !access.isOpen {
            findings.append(
                .not(
                    access.isLoopback ? .notice : .warning, .keys, "trusted paths",
                    "captures and journal open to all on \(access.host)",
                    why: "Any client of the server can read and write as any user, except meals.",
                    fix: "SLUICE_TRUST_PATH_USER=false, unless every client is trusted"))
        }
        if !access.isSecure, !access.isLoopback {
            findings.append(
                .not(
                    .notice, .keys, "plain HTTP", "on \(access.host)",
                    why:
                        "Keys and readings can be read in transit, unless a proxy in front uses TLS.",
                    fix: "SLUICE_TLS_CERT=… SLUICE_TLS_KEY=…"))
        }
        return findings
    }
}
