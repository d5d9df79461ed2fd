extension Bottleneck {
    /// Judges a report in which only the bottleneck is missing.
    init(_ report: StatusReport, _ now: Sample, since earlier: Sample) {
        let judgement = Judgement(report, now, since: earlier)
        self =
            judgement.outage ?? judgement.fullEdge ?? judgement.fullLanes ?? judgement.fullSpool
            ?? judgement.limits ?? judgement.fullMachine ?? judgement.room
    }

    /// The checks, in the order in which they are made; each returns a verdict or nil.
    struct Judgement {
        let report: StatusReport
        let now: Sample
        let earlier: Sample

        init(_ report: StatusReport, _ now: Sample, since earlier: Sample) {
            self.report = report
            self.now = now
            self.earlier = earlier
        }

        private var loopShare: Double { report.process.loopBusyShare }
        private var hostShare: Double { report.process.hostBusyShare ?? 0 }
        private func stage(_ name: StageLoad.Name) -> StageLoad {
            guard let stage = report.stages.first(where: { $0.name == name }) else {
                preconditionFailure("BUG: a report without \(name)")
            }
            return stage
        }

        // MARK: Outages

        var outage: Bottleneck? {
            let refused = Figure.rate(report.rates.requestsRefused)
            guard report.available else {
                return Bottleneck(
                    stage: .down, level: .trouble,
                    sentence: "No batches are accepted: the database is unreachable and the spool "
                        + "accepts nothing. \(refused) requests a second are refused.")
            }
            let away = report.lanes.filter { !$0.up }.count
            guard !report.databaseUp || (away > 0 && !report.lanes.isEmpty) else { return nil }
            let whose =
                report.databaseUp
                ? "\(away) of \(report.lanes.count) lanes can't commit"
                : "The database is unreachable"
            return Bottleneck(
                stage: .away, level: .trouble,
                sentence: "\(whose): batches go to the spool, "
                    + "\(Figure.rate(report.spool.written)) readings a second. \(spoolRoom)")
        }

        /// How full the spool is, and when it will be full at the current rate.
        private var spoolRoom: String {
            let spool = report.spool
            guard spool.bytesMax > 0 else { return "" }
            let share = Figure.percent(spool.bytes / spool.bytesMax)
            let growth = Rate.of(
                now.spool?.bytes ?? 0, earlier.spool?.bytes ?? 0, report.intervalSeconds)
            let left = spool.bytesMax - spool.bytes
            guard growth > 0, left > 0 else { return "\(share) of its room is used." }
            return "\(share) of its room is used; at this rate it is full in "
                + "\(Figure.span(left / growth))."
        }

        // MARK: Stages without time left

        var fullEdge: Bottleneck? {
            guard loopShare >= Bottleneck.fullShare else { return nil }
            let loops = Int(report.process.loops)
            let spare = (report.process.hostCores ?? 0) - report.process.loops
            let help =
                hostShare < Bottleneck.busyShare && spare >= 1
                ? "The machine has cores to spare: raise SLUICE_EVENT_LOOPS."
                : "More cores, or another node, would help."
            return Bottleneck(
                stage: .edge, level: .limit,
                sentence: "Event loops are the bottleneck: \(loops) of \(loops) busy "
                    + "\(Figure.percent(loopShare)) of the time with reading, scanning and "
                    + "answering \(Figure.rate(report.rates.requests)) requests a second. \(help)")
        }

        var fullLanes: Bottleneck? {
            let lanes = stage(.lanes)
            guard let busy = lanes.busyShare, busy >= Bottleneck.fullShare else { return nil }
            let (wait, stay) = (stage(.queue).seconds ?? 0, lanes.seconds ?? 0)
            let isStuck = lanes.perSecond == 0 && report.rates.commits == 0
            if isStuck { return stuck }
            guard wait > Bottleneck.waitToStayMax * stay || fullestQueue >= 0.5 else { return nil }
            let count = report.lanes.count
            let facts =
                "\(count) of \(count) lanes are busy \(Figure.percent(busy)) of the time, a batch "
                + "waits \(Figure.time(wait)) for \(Figure.time(stay)) of work"
            if hostShare >= Bottleneck.machineFullShare { return machine(facts) }
            return cause(facts)
        }

        private var fullestQueue: Double {
            report.lanes.map { $0.waitingBytesMax > 0 ? $0.waitingBytes / $0.waitingBytesMax : 0 }
                .max() ?? 0
        }

        private var stuck: Bottleneck {
            Bottleneck(
                stage: .database, level: .trouble,
                sentence: "The database does not answer: all lanes wait for it, and nothing was "
                    + "committed in the last \(Figure.time(report.intervalSeconds)). "
                    + "Check for locks and for a full disk.")
        }

        private func machine(_ facts: String) -> Bottleneck {
            let cores = Int(report.process.hostCores ?? 0)
            return Bottleneck(
                stage: .cpu, level: .limit,
                sentence: "The machine's cores are the bottleneck: \(Figure.percent(hostShare)) of "
                    + "\(cores) are used, \(Figure.number(report.process.cpuCores)) by Sluice, the rest by "
                    + "PostgreSQL or other programs. \(facts). More lanes would not help; a database on a machine of its own "
                    + "would.")
        }

        /// Finds out what lanes spend their time on.
        private func cause(_ facts: String) -> Bottleneck {
            let count = Double(report.lanes.count)
            func share(_ field: (LaneReport) -> Double) -> Double {
                let busy = report.lanes.reduce(0) { $0 + $1.busyShare }
                return busy > 0 ? report.lanes.reduce(0) { $0 + field($1) } / busy : 0
            }
            let claim = share { $0.claimShare }
            let commit = share { $0.commitShare }
            let steps = share { $0.claimShare + $0.siftShare + $0.copyShare + $0.commitShare }
            func database(_ why: String) -> Bottleneck {
                Bottleneck(
                    stage: .database, level: .limit,
                    sentence: "The database is the bottleneck: \(why). \(facts).")
            }
            if steps < 0.5 {
                return database(
                    "\(Figure.percent(1 - steps)) of the lanes' time goes into attempts that "
                        + "fail and the pauses between them; the log says why")
            }
            if claim > 0.5 {
                return database(
                    "lanes spend \(Figure.percent(claim)) of their time waiting for rows of devices: "
                        + "another session has locked them, or looking them up is slow")
            }
            let bytes =
                report.rates.commits > 0 ? report.rates.tupleBytes / report.rates.commits : 0
            if commit > 0.5, bytes < Bottleneck.smallGroupBytes {
                return database(
                    "lanes spend \(Figure.percent(commit)) of their time waiting for commits of "
                        + "\(Figure.bytes(bytes)) each, so for its disk")
            }
            return Bottleneck(
                stage: .lanes, level: .limit,
                sentence: "Lanes are the bottleneck: \(facts). "
                    + (hostShare < Bottleneck.busyShare || count < (report.process.hostCores ?? 0)
                        ? "If the database has cores to spare, more lanes would help: raise SLUICE_LANES."
                        : "A larger database, or a second one, would help."))
        }

        var fullSpool: Bottleneck? {
            guard let busy = stage(.spool).busyShare, busy >= Bottleneck.fullShare else {
                return nil
            }
            return Bottleneck(
                stage: .spool, level: .limit,
                sentence:
                    "The spool's disk is the bottleneck: it is busy \(Figure.percent(busy)) of "
                    + "the time, \(Figure.time(report.latency.spoolSync.last.mean ?? 0)) a group.")
        }

        /// Requests are refused although no stage is busy all the time.
        var limits: Bottleneck? {
            let connections = report.connections
            let bytes = Self.fill(connections.inFlightBytes, connections.inFlightBytesMax)
            let open = Self.fill(connections.open, connections.max)
            func refusing(_ what: String) -> Bottleneck {
                let refused = report.rates.requestsRefused + connections.refused
                return Bottleneck(
                    stage: .limits, level: .limit,
                    sentence:
                        "A limit is the bottleneck: \(what). \(Figure.rate(refused)) requests a "
                        + "second are refused. \(underWay)")
            }
            if bytes >= Bottleneck.fullShare {
                return refusing(
                    "bodies in flight take \(Figure.percent(bytes)) of "
                        + "\(Figure.bytes(connections.inFlightBytesMax)) "
                        + "(SLUICE_IN_FLIGHT_BYTES_MAX)")
            }
            if open >= Bottleneck.fullShare {
                return refusing(
                    "\(Figure.number(connections.open)) of \(Figure.number(connections.max)) "
                        + "connections are open (SLUICE_CONNECTIONS_MAX)")
            }
            if fullestQueue >= Bottleneck.fullShare {
                return refusing("the queue of a lane is full (SLUICE_LANE_BYTES_MAX)")
            }
            return nil
        }

        private static func fill(_ level: Double, _ max: Double) -> Double {
            max > 0 ? level / max : 0
        }

        var fullMachine: Bottleneck? {
            guard hostShare >= Bottleneck.machineFullShare else { return nil }
            let cores = Int(report.process.hostCores ?? 0)
            let own = report.process.cpuCores
            let used =
                "\(Figure.percent(hostShare)) are in use, \(Figure.number(own)) of \(cores) by Sluice"
            if own >= Bottleneck.ownShare * hostShare * Double(cores)
                || max(laneShare, loopShare) >= Bottleneck.busyShare
            {
                return Bottleneck(
                    stage: .cpu, level: report.rates.requests > 1 ? .limit : .busy,
                    sentence: "The machine's cores are the bottleneck: \(used). \(underWay)")
            }
            guard !isIdle else { return nil }
            return Bottleneck(
                stage: .others, level: .busy,
                sentence: "Other programs use this machine's cores: \(used). "
                    + "Lanes are busy \(Figure.percent(laneShare)) of the time.")
        }

        private var laneShare: Double { stage(.lanes).busyShare ?? 0 }

        /// Neither clients nor lanes have work.
        private var isIdle: Bool {
            report.rates.requests < 1 && laneShare < 0.05 && loopShare < 0.05
        }

        // MARK: Room

        var room: Bottleneck {
            if isIdle {
                let replay = report.spool.replayed
                guard replay == 0 else { return draining(replay) }
                let others =
                    hostShare >= Bottleneck.machineFullShare
                    ? " Other programs use this machine's cores." : ""
                return Bottleneck(
                    stage: .idle, level: .ok,
                    sentence: "The server has almost no work." + others)
            }
            let isLane = laneShare >= loopShare
            let (name, share) = isLane ? ("lanes", laneShare) : ("event loops", loopShare)
            let level: Level = share >= Bottleneck.busyShare ? .busy : .ok
            let batches = report.groups.batchesMean ?? 0
            let why =
                isLane && level == .busy && batches > 0
                ? "Lanes have a group to commit \(Figure.percent(share)) of the time, but there is room: "
                    + "groups of \(Figure.number(batches)) batches grow with the queue."
                : "There is room: the busiest stage, the \(name), works "
                    + "\(Figure.percent(share)) of the time."
            return Bottleneck(
                stage: isLane ? .lanes : .edge, level: level, sentence: "\(why) \(underWay)")
        }

        private func draining(_ replay: Double) -> Bottleneck {
            Bottleneck(
                stage: .lanes, level: .ok,
                sentence: "The spool is being replayed: \(Figure.rate(replay)) readings a second, "
                    + "\(Figure.number(report.spool.waitingReadings)) are pending.")
        }

        /// Where the batches in progress are, by Little's law.
        private var underWay: String {
            let counts = report.stages.map(\.count)
            let total = counts.reduce(0, +)
            guard total >= 0.05 else { return "On average less than one batch is in progress." }
            // A batch of several devices counts once for each device in the lanes.
            let areParts = stage(.lanes).perSecond > 1.05 * stage(.edge).perSecond
            let what =
                stage(.edge).perSecond == 0
                ? "units of work" : areParts ? "parts of batches (one for each device)" : "batches"
            func part(_ name: StageLoad.Name, _ what: String) -> String? {
                let count = stage(name).count
                return count >= 0.05 ? "\(Figure.number(count)) \(what)" : nil
            }
            let parts = [
                part(.edge, "at the edge"), part(.queue, "waiting for a lane"),
                part(.lanes, "being committed"), part(.spool, "being spooled"),
            ].compactMap { $0 }
            return
                "\(Figure.number(total)) \(what) are in progress: \(parts.joined(separator: ", "))."
        }
    }
}
