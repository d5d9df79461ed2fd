import Glibc
import SpoolLog
import SpoolLogSupport

/// A process's view of a ``ModelDisk``. Each call takes time, the process may crash in it, and it
/// has no effect once the process is dead.
final class SimulatedDisk: Disk, @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) private let run: Run
    private let storage: ModelDisk
    unowned(unsafe) private let life: Life

    init(_ run: Run, _ life: Life, _ storage: ModelDisk) {
        self.run = run
        self.life = life
        self.storage = storage
    }

    /// One call. The process may crash before it, in the middle of it, or after it.
    func call<Result>(
        _ operation: DiskError.Operation, _ name: String,
        _ body: () throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        let dead = DiskError(operation, name, errno: ESHUTDOWN)
        guard !life.isDead else { throw dead }
        run.scheduler.spend(Int64(run.scheduler.dice.below(200_000)))
        life.step()
        guard !life.isDead else { throw dead }
        if life.canCrash, run.scheduler.dice.below(100_000) < run.scenario.crashRate {
            // Any part of the call's effect may happen.
            storage.faults[storage.calls + 1] = .fails(errno: EIO)
            _ = try? body()
            life.toreWrite = operation == .write
            life.crash()
            throw dead
        }
        defer { life.step() }
        return try body()
    }

    func names() throws(DiskError) -> [String] {
        try call(.list, ".") { () throws(DiskError) in try storage.names() }
    }

    func create(_ name: String, bytes: Int) throws(DiskError) -> SimulatedFile {
        try call(.create, name) { () throws(DiskError) in
            SimulatedFile(self, try storage.create(name, bytes: bytes), name)
        }
    }

    func open(_ name: String) throws(DiskError) -> SimulatedFile {
        try call(.open, name) { () throws(DiskError) in
            SimulatedFile(self, try storage.open(name), name)
        }
    }

    func rename(_ name: String, to other: String) throws(DiskError) {
        try call(.rename, name) { () throws(DiskError) in try storage.rename(name, to: other) }
    }

    func remove(_ name: String) throws(DiskError) {
        try call(.remove, name) { () throws(DiskError) in try storage.remove(name) }
    }

    func checkPath() throws(DiskError) {
        try call(.find, ".") { () throws(DiskError) in try storage.checkPath() }
    }

    func checkName(_ name: String, of file: SimulatedFile) throws(DiskError) {
        try call(.find, name) { () throws(DiskError) in
            try storage.checkName(name, of: file.file)
        }
    }

    func syncNames() throws(DiskError) {
        if run.sabotage == .syncsNoNames { return }
        try call(.syncNames, ".") { () throws(DiskError) in try storage.syncNames() }
    }

    func freeBytes() throws(DiskError) -> Int {
        try call(.freeBytes, ".") { () throws(DiskError) in try storage.freeBytes() }
    }

    var syncsNothing: Bool { run.sabotage == .syncsNothing }
}
