extension Examination {
    /// Limits, memory and clock of the machine.
    static func machine(_ facts: Facts) -> [Finding] {
        let machine = facts.machine
        var findings: [Finding] = []
        if let limit = machine.openFilesMax {
            let needed = facts.demand.openFiles
            let isOfServer = machine.isLimitOfServer
            let text =
                "\(Figures.count(limit)) open files\(isOfServer ? "" : " in this shell"), "
                + "up to \(Figures.count(needed)) are needed"
            findings.append(
                limit >= needed
                    ? .ok(.machine, "file limit", text)
                    : .not(
                        isOfServer || facts.demand.openFilesMin != nil ? .warning : .notice,
                        .machine, "file limit", text, why: whyFiles(facts),
                        fix: "LimitNOFILE=\(needed)   # in sluice.service",
                        "or lower SLUICE_CONNECTIONS_MAX and SLUICE_SOCKETS_MAX"))
        }
        if let memory = machine.memoryBytes, facts.demand.memoryBytes > 0 {
            let needed = facts.demand.memoryBytes
            let text = "\(Figures.bytes(memory)), the server may use \(Figures.bytes(needed))"
            findings.append(
                needed <= memory / 10 * 8
                    ? .ok(.machine, "memory", text)
                    : .not(
                        needed > memory ? .problem : .warning, .machine, "memory", text,
                        why: "Under load the kernel may kill the server, or the database.",
                        fix: "SLUICE_IN_FLIGHT_BYTES_MAX=\(max((memory / 4) >> 20, 16))MiB"))
        }
        if let isSynchronised = machine.isClockSynchronised {
            findings.append(
                isSynchronised
                    ? .ok(.machine, "clock", "synchronised")
                    : .not(
                        .notice, .machine, "clock", "not synchronised",
                        why:
                            "The clock follows no time server, and readings are refused as too new or "
                            + "too old by this clock. In a container, check the host.",
                        fix: "timedatectl set-ntp true"))
        }
        if let most = machine.backlogMax, facts.demand.backlog > 0 {
            let text = "\(most), the server asks for \(facts.demand.backlog)"
            findings.append(
                most >= facts.demand.backlog
                    ? .ok(.machine, "backlog", text)
                    : .not(
                        .notice, .machine, "backlog", text,
                        why: "If many clients connect at once, some connections fail.",
                        fix: "sysctl -w net.core.somaxconn=\(facts.demand.backlog)"))
        }
        if let inspector = machine.inspector {
            findings.append(
                inspector.isInstalled
                    ? .ok(.machine, "inspector", inspector.path)
                    : .not(
                        .problem, .machine, "inspector", "there is no \(inspector.path)",
                        why: "The journal stores no files, and photos are analysed without their "
                            + "facts.",
                        fix: "install sluice-inspect, of the same build, beside sluice"))
        }
        return findings
    }

    private static func whyFiles(_ facts: Facts) -> String {
        let demand = facts.demand
        if let least = demand.openFilesMin {
            return "The server does not start with fewer than \(Figures.count(least))."
        }
        let lowered =
            demand.loweredLimits.isEmpty ? "" : ": " + demand.loweredLimits.joined(separator: ", ")
        return "The server lowers its limits to what it may open\(lowered)."
            + (facts.machine.isLimitOfServer
                ? "" : " No running server was found to read it from.")
    }

    /// Free space on one file system.
    static func disk(_ disk: DiskFacts, _ facts: Facts) -> [Finding] {
        let name = disk.purpose.rawValue
        guard disk.isWritable else {
            return [
                .not(
                    .problem, .disks, name, "can't write to \(disk.path)",
                    why: "The server does not start, or rejects requests.",
                    fix: "chown -R sluice \(disk.path)   # the user that runs sluice")
            ]
        }
        guard let bytes = disk.bytes, let free = disk.bytesFree, bytes > 0 else { return [] }
        let text = "\(Figures.bytes(free)) of \(Figures.bytes(bytes)) free on \(disk.path)"
        let needed = disk.purpose == .spool ? facts.demand.spoolFreeBytesMin : 0
        if disk.purpose == .spool, facts.demand.spoolBytesMax > 0, free <= needed {
            return [
                .not(
                    .problem, .disks, name, text,
                    why:
                        "The spool must leave \(Figures.bytes(needed)) free, so it accepts nothing "
                        + "while the database is unreachable.",
                    fix: "make room, or lower SLUICE_SPOOL_FREE_BYTES_MIN")
            ]
        }
        var findings: [Finding] = []
        if free < 256 << 20 || free < bytes / 100 {
            findings.append(
                .not(
                    .problem, .disks, name, text,
                    why: "The disk is nearly full; soon nothing more can be stored.",
                    fix: "make room: df -h \(disk.path); du -xh \(disk.path) | sort -h | tail"))
        } else if free < bytes / 10 && free < 50 << 30 {
            findings.append(
                .not(
                    .warning, .disks, name, text, why: "The disk is filling up.",
                    fix: "make room, or a larger disk"))
        } else if disk.purpose == .spool, free - needed < facts.demand.spoolBytesMax {
            findings.append(
                .not(
                    .notice, .disks, name, text,
                    why:
                        "SLUICE_SPOOL_BYTES_MAX is \(Figures.bytes(facts.demand.spoolBytesMax)): the "
                        + "disk fills up before the spool does.",
                    fix: "SLUICE_SPOOL_BYTES_MAX=\(max((free - needed) >> 21, 64))MiB"))
        } else {
            findings.append(.ok(.disks, name, text))
        }
        if let files = disk.files, let filesFree = disk.filesFree, files > 0,
            filesFree < files / 20
        {
            findings.append(
                .not(
                    .warning, .disks, name + ", inodes", "\(Figures.count(filesFree)) left",
                    why: "Without free inodes no file can be created, however much space is free.",
                    fix: "remove small files: df -i \(disk.path)"))
        }
        return findings
    }
}
