import Foundation
import Load
import Oracle

/// Looks at a soak's processes and files, and lets things happen to them.
struct SoakWatch {
    let rig: Rig
    let clients: Clients
    let plan: SoakPlan
    private(set) var samples: [SoakSample] = []
    private let start = monotonicNanoseconds()
    private var databaseBytes = 0

    init(rig: Rig, clients: Clients, plan: SoakPlan) {
        self.rig = rig
        self.clients = clients
        self.plan = plan
    }

    private var elapsed: Double { Double(monotonicNanoseconds() - start) * 1e-9 }

    /// Until the soak's time is over, or somebody asks it to stop.
    mutating func run(_ acts: inout SoakActs) {
        var next = 0.0
        var strikesAt = acts.pause()
        while elapsed < plan.seconds, !Stopping.isAsked {
            rig.hold(seconds: 0.2)
            if elapsed >= next {
                let sample = look()
                samples.append(sample)
                tell(sample)
                next = elapsed + plan.sampleSeconds
            }
            // The last tenth is calm: it is compared, and what was spooled is replayed in it.
            guard elapsed >= strikesAt, elapsed < plan.seconds * 0.9 else { continue }
            let act = acts.next()
            do {
                let note = try act.strike(rig, clients, &acts.random)
                say("  " + act.name + (note.isEmpty ? "" : ": " + note))
            } catch {
                // The soak goes on, and is not good.
                rig.complain("\(act.name): \(error)")
                say("  \(act.name): \(error)")
            }
            strikesAt = elapsed + acts.pause()
        }
    }

    private mutating func look() -> SoakSample {
        let spools = rig.nodes.map { Self.files($0.directory + "/spool") }
        // While the database restarts, its size is the last one that was seen.
        if let session = try? rig.database.session(),
            let bytes = try? session.number("select pg_database_size(current_database())")
        {
            databaseBytes = bytes
        }
        return SoakSample(
            seconds: elapsed, readings: clients.storedReadings,
            residentBytes: rig.nodes[0].residentBytes, openFiles: rig.nodes[0].openFiles,
            spoolFiles: spools.reduce(0) { $0 + $1.count },
            spoolBytes: spools.reduce(0) { $0 + $1.bytes }, databaseBytes: databaseBytes,
            logBytes: Self.files(rig.database.data + "/pg_wal").bytes)
    }

    /// The files of a directory and of those in it.
    private static func files(_ path: String) -> (count: Int, bytes: Int) {
        var sum = (count: 0, bytes: 0)
        let files = FileManager.default
        for name in (try? files.subpathsOfDirectory(atPath: path)) ?? [] {
            let attributes = try? files.attributesOfItem(atPath: path + "/" + name)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            sum.count += 1
            sum.bytes += (attributes?[.size] as? NSNumber)?.intValue ?? 0
        }
        return sum
    }

    private func tell(_ sample: SoakSample) {
        say(
            String(
                format: "%5.0f of %.0f s  %@ readings  node 0 %.1f MiB, %d descriptors  spools %d "
                    + "files, %.0f MiB  %.1f B a reading  log %.0f MiB", sample.seconds,
                plan.seconds, Figures.short(Double(sample.readings)),
                Double(sample.residentBytes) / 1_048_576, sample.openFiles, sample.spoolFiles,
                Double(sample.spoolBytes) / 1_048_576, sample.bytesPerReading,
                Double(sample.logBytes) / 1_048_576))
    }

    private func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
