internal import Glibc
public import SpoolLog

/// A disk in memory that loses unsynced data in a crash and fails on demand.
///
/// - Bytes: a crash loses, keeps or tears what was written since the file's last sync,
///   independently for each sector.
/// - Names: of the changes since the last ``syncNames()``, a crash keeps a first part, as a journal
///   does.
/// - A sync that fails drops the unwritten bytes, and the next sync succeeds nevertheless.
///
/// The seed decides everything. For use by one thread.
public final class ModelDisk: Disk {
    private enum NameChange {
        case create(String, ModelNode)
        case rename(String, String)
        case remove(String)
    }

    var dice: Dice
    /// The names that processes see.
    private var seen: [String: ModelNode]
    private var durable: [String: ModelNode]
    private var changes: [NameChange] = []

    /// The disk's capacity in bytes.
    public var capacityBytes: Int
    /// Faults at certain calls, by call number, counted from 1.
    public var faults: [Int: DiskFault] = [:]
    /// Random faults.
    public var rates = FaultRates()
    /// Byte ranges, by file name, whose reads always fail.
    public var unreadable: [String: Range<Int>] = [:]
    /// With which `errno`.
    public var unreadableErrno = EIO
    /// The number of calls so far.
    public private(set) var calls = 0
    /// It has crashed; every call fails.
    public private(set) var isDead = false
    /// Its directory was removed. Files have no names any more; open files can still be read.
    public private(set) var isRemoved = false
    /// It was dead before the present call.
    private(set) var wasDeadBefore = false

    /// An empty disk.
    ///
    /// - Parameter capacityBytes: beyond it `create` fails with `ENOSPC`.
    public init(seed: UInt64, capacityBytes: Int = .max) {
        dice = Dice(seed: seed)
        self.capacityBytes = capacityBytes
        seen = [:]
        durable = [:]
    }

    /// Crashes the machine now and returns the disk as it is found afterwards. This disk is dead
    /// from here on; the new one has no faults set.
    public func crash() -> ModelDisk {
        isDead = true
        let found = ModelDisk(seed: dice.next(), capacityBytes: capacityBytes)
        var names = durable
        for change in changes.prefix(dice.below(changes.count + 1)) {
            Self.apply(change, to: &names)
        }
        for (name, node) in names.sorted(by: { $0.key < $1.key }) {
            let left = ModelNode(found: node.left(&dice))
            found.seen[name] = left
            found.durable[name] = left
        }
        return found
    }

    /// Ends the process now, by a crash or a stop, while the machine continues, and returns the
    /// disk as the next process finds it. This disk is dead from here on; the new one has no faults
    /// set.
    public func endOfProcess() -> ModelDisk {
        isDead = true
        let found = ModelDisk(seed: dice.next(), capacityBytes: capacityBytes)
        found.seen = seen
        found.durable = durable
        found.changes = changes
        return found
    }

    /// The bytes of a file as processes read them; nil if there is no such file.
    public func content(of name: String) -> [UInt8]? { seen[name]?.seen }

    /// The names of all files, sorted; does not count as a call.
    public var fileNames: [String] { seen.keys.sorted() }

    /// Adds a durable file.
    public func place(_ bytes: [UInt8], as name: String) {
        let node = ModelNode(found: bytes)
        seen[name] = node
        durable[name] = node
    }

    /// Changes a byte of a file without the knowledge of the process.
    public func spoil(_ name: String, at offset: Int, _ change: (UInt8) -> UInt8 = { $0 ^ 0xFF }) {
        seen[name]?.spoil(offset, change)
    }

    /// Truncates a file without the knowledge of the process; the rest is durable.
    public func cut(_ name: String, to bytes: Int) {
        guard let content = content(of: name) else { return }
        place(Array(content.prefix(bytes)), as: name)
    }

    /// Removes the directory and its files without the knowledge of the process.
    ///
    /// - Returns: the disk with the directory that the next process makes.
    public func removeDirectory() -> ModelDisk {
        isRemoved = true
        seen = [:]
        durable = [:]
        changes = []
        return ModelDisk(seed: dice.next(), capacityBytes: capacityBytes)
    }

    /// Removes a file without the knowledge of the process.
    public func removeFile(_ name: String) {
        seen[name] = nil
        durable[name] = nil
    }

    /// Bytes that all files occupy.
    public var bytesTaken: Int { seen.values.reduce(0) { $0 + $1.seen.count } }

    /// Counts a call and makes it fail if a fault is due.
    func call(_ operation: DiskError.Operation, _ name: String) throws(DiskError) {
        wasDeadBefore = isDead
        guard !isDead else { throw DiskError(operation, name, errno: ESHUTDOWN) }
        calls += 1
        switch faults[calls] {
        case .fails(let errno): throw DiskError(operation, name, errno: errno)
        case .crashes:
            isDead = true
            throw DiskError(operation, name, errno: ESHUTDOWN)
        case nil: break
        }
        if let rate = rates.perThousand[operation], dice.happens(perThousand: rate) {
            let choice = rates.errno[operation] ?? [EIO]
            throw DiskError(operation, name, errno: choice[dice.below(choice.count)])
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: ModelNode]) {
        switch change {
        case .create(let name, let node): names[name] = node
        case .rename(let name, let other): names[other] = names.removeValue(forKey: name)
        case .remove(let name): names[name] = nil
        }
    }

    /// A change of names; if its call fails, the change may happen nevertheless.
    private func change(
        _ operation: DiskError.Operation, _ name: String, _ change: NameChange
    ) throws(DiskError) {
        func happen() {
            Self.apply(change, to: &seen)
            changes.append(change)
        }
        do throws(DiskError) {
            try call(operation, name)
        } catch {
            if !wasDeadBefore, dice.below(2) == 0 { happen() }
            throw error
        }
        happen()
    }

    /// The names in random order.
    public func names() throws(DiskError) -> [String] {
        try call(.list, ".")
        return seen.keys.sorted().shuffled(using: &dice)
    }

    /// A failure may leave a partly made file.
    public func create(_ name: String, bytes: Int) throws(DiskError) -> ModelFile {
        guard !isRemoved else { throw DiskError(.create, name, errno: ENOENT) }
        guard seen[name] == nil else { throw DiskError(.create, name, errno: EEXIST) }
        do throws(DiskError) {
            guard bytes <= capacityBytes - bytesTaken else {
                throw DiskError(.create, name, errno: ENOSPC)
            }
            let node = ModelNode(bytes: bytes)
            try call(.create, name)
            seen[name] = node
            changes.append(.create(name, node))
            return ModelFile(self, node, name: name)
        } catch {
            if !wasDeadBefore, dice.below(2) == 0 {
                let room = max(0, min(bytes, capacityBytes - bytesTaken))
                let node = ModelNode(bytes: dice.below(room + 1))
                seen[name] = node
                changes.append(.create(name, node))
            }
            throw error
        }
    }

    /// Opens for reading and writing.
    public func open(_ name: String) throws(DiskError) -> ModelFile {
        try call(.open, name)
        guard let node = seen[name] else { throw DiskError(.open, name, errno: ENOENT) }
        return ModelFile(self, node, name: name)
    }

    /// Fails with `EEXIST` instead of replacing a file.
    public func rename(_ name: String, to other: String) throws(DiskError) {
        guard seen[name] != nil else { throw DiskError(.rename, name, errno: ENOENT) }
        guard seen[other] == nil else { throw DiskError(.rename, other, errno: EEXIST) }
        try change(.rename, name, .rename(name, other))
    }

    /// Frees its bytes at once.
    public func remove(_ name: String) throws(DiskError) {
        guard seen[name] != nil else { throw DiskError(.remove, name, errno: ENOENT) }
        try change(.remove, name, .remove(name))
    }

    /// Fails once the directory was removed.
    public func checkPath() throws(DiskError) {
        try call(.find, ".")
        guard !isRemoved else { throw DiskError(.find, ".", errno: ENOENT) }
    }

    /// Compares the identity of the nodes that hold the bytes.
    public func checkName(_ name: String, of file: ModelFile) throws(DiskError) {
        try call(.find, name)
        guard let node = seen[name] else { throw DiskError(.find, name, errno: ENOENT) }
        guard file.holds(node) else { throw DiskError(.find, name, errno: ESTALE) }
    }

    /// Makes the present names durable.
    public func syncNames() throws(DiskError) {
        try call(.syncNames, ".")
        durable = seen
        changes = []
    }

    /// Free bytes of the capacity.
    public func freeBytes() throws(DiskError) -> Int {
        try call(.freeBytes, ".")
        return capacityBytes - bytesTaken
    }
}
