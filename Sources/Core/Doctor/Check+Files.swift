/// The certificate, if there is one.
extension Check {
    private static let day: Int64 = 86_400

    static let certificate = Check(.tls, "certificate") { facts in
        guard let certificate = facts.certificate else { return [] }
        if let fault = certificate.fault {
            return [
                .problem(
                    fault,
                    why: "The server does not start; a running server keeps the previous "
                        + "certificate until it is restarted.",
                    fix: "SLUICE_TLS_CERT=… must be a certificate chain, and SLUICE_TLS_KEY=… the "
                        + "private key of its first certificate")
            ]
        }
        guard let left = certificate.secondsLeft else { return [] }
        let text =
            left < 0
            ? "expired \(Figures.seconds(Double(-left))) ago"
            : "\(Figures.seconds(Double(left))) left"
        let fix = "renew \(certificate.path); a running server reads it within seconds"
        if left < 7 * day {
            return [
                .problem(
                    text, why: "Devices refuse to connect if the certificate has expired.",
                    fix: fix)
            ]
        }
        if left < 21 * day {
            return [
                .warning(
                    text, why: "It should have been renewed by now. Check the renewal.", fix: fix)
            ]
        }
        return [.ok(text)]
    }

    static let privateKey = Check(.tls, "private key") { facts in
        guard let certificate = facts.certificate, let mode = certificate.keyMode,
            mode & 0o004 != 0 || mode & 0o022 != 0
        else { return [] }
        return [
            .warning(
                "mode \(String(mode & 0o777, radix: 8))",
                why: "Other users here can read or replace it, and impersonate the server.",
                fix: "chmod 600 \(certificate.keyPath)")
        ]
    }
}

/// The spool.
extension Check {
    static let spool = Check(.spool, "spool") { facts in
        guard facts.demand.spoolBytesMax > 0 else { return spoolOff(facts) }
        guard let spool = facts.spool else { return [.ok("not used yet")] }
        if let fault = spool.fault {
            return [
                .problem(
                    fault,
                    why: "The server needs it to start, and for every batch while the database is "
                        + "unreachable.", fix: "look at \(spool.path)")
            ]
        }
        return [
            fill(spool, facts), age(spool), unread(spool), damage(spool), setAsideIntact(spool),
            setAside(spool),
        ].compactMap { $0 }
    }

    private static func spoolOff(_ facts: Facts) -> [Verdict] {
        var hasStandbys = false
        if case .reached(let database) = facts.database {
            hasStandbys = database.archive.standbys?.isEmpty == false
        }
        let tail =
            hasStandbys
            ? " SLUICE_UNREPLICATED_BYTES_MAX is off too: a failover loses acknowledged data that no standby "
                + "has yet." : ""
        var verdicts = [
            Verdict.fault(
                hasStandbys ? .warning : .notice, "switched off",
                why: "While the database is unreachable, every batch is refused." + tail,
                fix: "SLUICE_SPOOL_BYTES_MAX=4GiB")
        ]
        if let spool = facts.spool, spool.units ?? spool.files > 0 || !spool.unread.isEmpty {
            let units = spool.units.map { "\(Figures.count($0)) readings and units" }
            verdicts.append(
                .problem(
                    (units ?? "\(spool.files) files") + " in \(spool.path)",
                    why:
                        "They were acknowledged, and a server without a spool does not store them.",
                    fix: "sluice spool replay"
                ).named("left over"))
        }
        return verdicts
    }

    private static func fill(_ spool: SpoolFacts, _ facts: Facts) -> Verdict {
        let most = facts.demand.spoolBytesMax
        let waiting = spool.units.map { ", \(Figures.count($0)) readings and units pending" } ?? ""
        let text = "\(Figures.bytes(spool.bytes)) of \(Figures.bytes(most))\(waiting)"
        guard spool.bytes > most / 2 else { return .ok(text).named("size") }
        return .fault(
            spool.bytes > most / 10 * 9 ? .problem : .warning, text,
            why: "When it is full, batches are refused until the database recovers.",
            fix: "sluice spool status", "SLUICE_SPOOL_BYTES_MAX=\(most >> 29)GiB"
        ).named("size")
    }

    private static func age(_ spool: SpoolFacts) -> Verdict? {
        guard let seconds = spool.oldestSeconds, (spool.units ?? 0) > 0, seconds > 900 else {
            return nil
        }
        return .warning(
            Figures.seconds(Double(seconds)),
            why:
                "A running server replays the spool by itself. Either none runs on this data "
                + "directory, or the database does not accept the data.",
            fix: "sluice serve", "sluice spool replay   # without serving"
        ).named("oldest")
    }

    private static func damage(_ spool: SpoolFacts) -> Verdict? {
        guard !spool.damaged.isEmpty else { return nil }
        return .problem(
            spool.damaged.joined(separator: ", "),
            why: "Some acknowledged data can't be read any more.",
            fix: "sluice spool verify", "check the disk: dmesg, smartctl -a"
        ).named("damage")
    }

    private static func unread(_ spool: SpoolFacts) -> Verdict? {
        guard !spool.unread.isEmpty else { return nil }
        return .problem(
            spool.unread.joined(separator: ", "),
            why:
                "They hold acknowledged data, which is stored once they can be read. A running server "
                + "tries them again and again. Keep them.",
            fix: "check the disk: dmesg, smartctl -a", "sluice spool verify"
        ).named("unreadable now")
    }

    private static func setAsideIntact(_ spool: SpoolFacts) -> Verdict? {
        guard !spool.setAsideIntact.isEmpty else { return nil }
        return .problem(
            "\(spool.setAsideIntact.count) files: "
                + spool.setAsideIntact.prefix(3).joined(separator: ", "),
            why:
                "Reads of them failed once, and their data may not be in the database. The next start "
                + "of the server stores it, and nothing twice.",
            fix: "restart the server", "sluice spool replay   # without a server"
        ).named("moved aside, intact")
    }

    private static func setAside(_ spool: SpoolFacts) -> Verdict? {
        let damaged = spool.setAside.filter { !spool.setAsideIntact.contains($0) }
        guard !damaged.isEmpty else { return nil }
        return .warning(
            "\(damaged.count) files: " + damaged.prefix(3).joined(separator: ", "),
            why:
                "They are damaged. Their intact records were replayed, and the files are kept: what "
                + "is damaged in them was acknowledged and is nowhere else.",
            fix:
                "sluice spool replay --set-aside   # stores again what is readable, without a server",
            "then keep them elsewhere: mv \(spool.path)/bad-*.lz4 …"
        ).named("set aside")
    }
}
