/// Limits, memory and clock of the machine.
extension Check {
    static let machine = [fileLimit, memory, machineClock, backlog, inspector]

    private static let fileLimit = Check(.machine, "file limit") { facts in
        guard let limit = facts.machine.openFilesMax else { return [] }
        let needed = facts.demand.openFiles
        let isOfServer = facts.machine.isLimitOfServer
        let text =
            "\(Figures.count(limit)) open files\(isOfServer ? "" : " in this shell"), "
            + "up to \(Figures.count(needed)) are needed"
        if limit >= needed { return [.ok(text)] }
        return [
            .fault(
                isOfServer || facts.demand.openFilesMin != nil ? .warning : .notice, text,
                why: whyFiles(facts), fix: "LimitNOFILE=\(needed)   # in sluice.service",
                "or lower SLUICE_CONNECTIONS_MAX and SLUICE_SOCKETS_MAX")
        ]
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

    private static let memory = Check(.machine, "memory") { facts in
        let needed = facts.demand.memoryBytes
        guard let memory = facts.machine.memoryBytes, needed > 0 else { return [] }
        let text = "\(Figures.bytes(memory)), the server may use \(Figures.bytes(needed))"
        if needed <= memory / 10 * 8 { return [.ok(text)] }
        return [
            .fault(
                needed > memory ? .problem : .warning, text,
                why: "Under load the kernel may kill the server, or the database.",
                fix: "SLUICE_IN_FLIGHT_BYTES_MAX=\(max((memory / 4) >> 20, 16))MiB")
        ]
    }

    private static let machineClock = Check(.machine, "clock") { facts in
        guard let isSynchronised = facts.machine.isClockSynchronised else { return [] }
        if isSynchronised { return [.ok("synchronised")] }
        return [
            .notice(
                "not synchronised",
                why: "The clock follows no time server, and readings are refused as too new or "
                    + "too old by this clock. In a container, check the host.",
                fix: "timedatectl set-ntp true")
        ]
    }

    private static let backlog = Check(.machine, "backlog") { facts in
        let wanted = facts.demand.backlog
        guard let most = facts.machine.backlogMax, wanted > 0 else { return [] }
        let text = "\(most), the server asks for \(wanted)"
        if most >= wanted { return [.ok(text)] }
        return [
            .notice(
                text, why: "If many clients connect at once, some connections fail.",
                fix: "sysctl -w net.core.somaxconn=\(wanted)")
        ]
    }

    private static let inspector = Check(.machine, "inspector") { facts in
        guard let inspector = facts.machine.inspector else { return [] }
        if inspector.isInstalled { return [.ok(inspector.path)] }
        return [
            .warning(
                "there is no \(inspector.path)",
                why: "The journal stores no files, and photos are analysed without their facts.",
                fix:
                    "apt install the package sluice-inspect of the same version, or put it beside sluice"
            )
        ]
    }

    /// Free space on each file system, under the name of what is there.
    static let disks = Check(.disks, "disk") { facts in
        facts.disks.flatMap { disk in
            (space(disk, facts).map { [$0.named(disk.purpose.rawValue)] } ?? [])
                + (inodes(disk).map { [$0.named(disk.purpose.rawValue + ", inodes")] } ?? [])
        }
    }

    private static func space(_ disk: DiskFacts, _ facts: Facts) -> Verdict? {
        guard disk.isWritable else {
            return .problem(
                "can't write to \(disk.path)",
                why: "The server does not start, or rejects requests.",
                fix: "chown -R sluice \(disk.path)   # the user that runs sluice")
        }
        guard let bytes = disk.bytes, let free = disk.bytesFree, bytes > 0 else { return nil }
        let text = "\(Figures.bytes(free)) of \(Figures.bytes(bytes)) free on \(disk.path)"
        let needed = disk.purpose == .spool ? facts.demand.spoolFreeBytesMin : 0
        if isSpoolShut(disk, facts) {
            return .problem(
                text,
                why: "The spool must leave \(Figures.bytes(needed)) free, so it accepts nothing "
                    + "while the database is unreachable.",
                fix: "make room, or lower SLUICE_SPOOL_FREE_BYTES_MIN")
        }
        if free < 256 << 20 || free < bytes / 100 {
            return .problem(
                text, why: "The disk is nearly full; soon nothing more can be stored.",
                fix: "make room: df -h \(disk.path); du -xh \(disk.path) | sort -h | tail")
        }
        if free < bytes / 10 && free < 50 << 30 {
            return .warning(
                text, why: "The disk is filling up.", fix: "make room, or a larger disk")
        }
        if disk.purpose == .spool, free - needed < facts.demand.spoolBytesMax {
            return .notice(
                text,
                why: "SLUICE_SPOOL_BYTES_MAX is \(Figures.bytes(facts.demand.spoolBytesMax)): the "
                    + "disk fills up before the spool does.",
                fix: "SLUICE_SPOOL_BYTES_MAX=\(max((free - needed) >> 21, 64))MiB")
        }
        return .ok(text)
    }

    private static func isSpoolShut(_ disk: DiskFacts, _ facts: Facts) -> Bool {
        guard disk.purpose == .spool, facts.demand.spoolBytesMax > 0, let free = disk.bytesFree
        else { return false }
        return free <= facts.demand.spoolFreeBytesMin
    }

    private static func inodes(_ disk: DiskFacts) -> Verdict? {
        guard disk.isWritable, let files = disk.files, let free = disk.filesFree, files > 0,
            free < files / 20
        else { return nil }
        return .warning(
            "\(Figures.count(free)) left",
            why: "Without free inodes no file can be created, however much space is free.",
            fix: "remove small files: df -i \(disk.path)")
    }
}
