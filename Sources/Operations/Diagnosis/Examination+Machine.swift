extension Examination {
    /// Limits, memory, clock.
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
                        isOfServer ? .warning : .notice, .machine, "file limit", text,
                        why: "Clients beyond it are not accepted, and files can't be opened."
                            + (isOfServer ? "" : " No server runs here that could be looked at."),
                        fix: "LimitNOFILE=\(needed)   # in sluice.service",
                        "or SLUICE_CONNECTIONS_MAX and SLUICE_SOCKETS_MAX lower"))
        }
        if let memory = machine.memoryBytes, facts.demand.memoryBytes > 0 {
            let needed = facts.demand.memoryBytes
            let text = "\(Figures.bytes(memory)), the server may take \(Figures.bytes(needed))"
            findings.append(
                needed <= memory / 10 * 8
                    ? .ok(.machine, "memory", text)
                    : .not(
                        needed > memory ? .problem : .warning, .machine, "memory", text,
                        why: "Under load the kernel ends the server, or the database with it.",
                        fix: "SLUICE_IN_FLIGHT_BYTES_MAX=\(max((memory / 4) >> 20, 16))MiB"))
        }
        if let isSynchronised = machine.isClockSynchronised {
            findings.append(
                isSynchronised
                    ? .ok(.machine, "clock", "synchronised")
                    : .not(
                        .notice, .machine, "clock", "not synchronised",
                        why:
                            "The kernel knows of no time server; readings are refused as too new or "
                            + "too old by this clock. In a container it may be the host's business.",
                        fix: "timedatectl set-ntp true"))
        }
        if let most = machine.backlogMax, facts.demand.backlog > 0 {
            let text = "\(most), \(facts.demand.backlog) are asked for"
            findings.append(
                most >= facts.demand.backlog
                    ? .ok(.machine, "backlog", text)
                    : .not(
                        .notice, .machine, "backlog", text,
                        why: "When many clients connect at once, some are turned away.",
                        fix: "sysctl -w net.core.somaxconn=\(facts.demand.backlog)"))
        }
        return findings
    }

    /// Room on one file system.
    static func disk(_ disk: DiskFacts, _ facts: Facts) -> [Finding] {
        let name = disk.purpose.rawValue
        guard disk.isWritable else {
            return [
                .not(
                    .problem, .disks, name, "\(disk.path) can't be written",
                    why: "The server does not start, or refuses what it is sent.",
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
                        "The spool leaves \(Figures.bytes(needed)) free: it takes nothing when the "
                        + "database is away.",
                    fix: "make room, or SLUICE_SPOOL_FREE_BYTES_MIN=… lower")
            ]
        }
        var findings: [Finding] = []
        if free < 256 << 20 || free < bytes / 100 {
            findings.append(
                .not(
                    .problem, .disks, name, text,
                    why: "It is nearly full: nothing more can be stored soon.",
                    fix: "make room: df -h \(disk.path); du -xh \(disk.path) | sort -h | tail"))
        } else if free < bytes / 10 && free < 50 << 30 {
            findings.append(
                .not(
                    .warning, .disks, name, text, why: "It will be full.",
                    fix: "make room, or a larger disk"))
        } else if disk.purpose == .spool, free - needed < facts.demand.spoolBytesMax {
            findings.append(
                .not(
                    .notice, .disks, name, text,
                    why:
                        "SLUICE_SPOOL_BYTES_MAX is \(Figures.bytes(facts.demand.spoolBytesMax)): the "
                        + "disk is full before the spool is.",
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
                    why: "When they are used up no file can be made, however much room there is.",
                    fix: "remove small files: df -i \(disk.path)"))
        }
        return findings
    }
}
