internal import Glibc
public import Spooling

/// A disk in memory that forgets in a crash what it was not told to keep, and fails on demand.
///
/// - Bytes: what was written since the last sync of the file is lost, kept or torn, sector by
///   sector, independently of each other.
/// - Names: of the changes since the last ``syncNames()`` a first part is kept, as with a journal.
/// - A sync that fails drops what was to be written, and the next succeeds nevertheless.
///
/// All by chance, and all from the seed. For one thread.
public final class ModelDisk: Disk {
    private enum NameChange {
        case create(String, ModelNode)
        case rename(String, String)
        case remove(String)
    }

    var dice: Dice
    /// As processes see it.
    private var seen: [String: ModelNode]
    private var durable: [String: ModelNode]
    private var changes: [NameChange] = []

    /// Bytes that fit on it.
    public var capacityBytes: Int
    /// Faults at certain calls, by their number from 1.
    public var faults: [Int: DiskFault] = [:]
    /// Faults by chance.
    public var rates = FaultRates()
    /// Bytes of files, by name, whose reading fails with `EIO` as often as it is tried.
    public var unreadable: [String: Range<Int>] = [:]
    /// Calls so far.
    public private(set) var calls = 0
    /// It crashed; every call fails.
    public private(set) var isDead = false
    /// Its directory was removed: files have no names any more, and those that are open can be read.
    public private(set) var isRemoved = false
    /// It was dead before the present call.
    private(set) var wasDeadBefore = false

    /// An empty one.
    ///
    /// - Parameter capacityBytes: what fits on it; `create` fails with `ENOSPC` beyond it.
    public init(seed: UInt64, capacityBytes: Int = .max) {
        dice = Dice(seed: seed)
        self.capacityBytes = capacityBytes
        seen = [:]
        durable = [:]
    }

    /// The disk as it is found after a crash now. This one is dead from here on; the other has no
    /// faults set.
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

    /// The disk as the next process finds it when this one ends now, however it ends, and the machine
    /// goes on. This one is dead from here on; the other has no faults set.
    public func endOfProcess() -> ModelDisk {
        isDead = true
        let found = ModelDisk(seed: dice.next(), capacityBytes: capacityBytes)
        found.seen = seen
        found.durable = durable
        found.changes = changes
        return found
    }

    /// The bytes of a file as they are read; nil if there is none.
    public func content(of name: String) -> [UInt8]? { seen[name]?.seen }

    /// What is there, in order; no call of the disk.
    public var fileNames: [String] { seen.keys.sorted() }

    /// Puts a file there, durable.
    public func place(_ bytes: [UInt8], as name: String) {
        let node = ModelNode(found: bytes)
        seen[name] = node
        durable[name] = node
    }

    /// Changes a byte of a file behind everybody's back.
    public func spoil(_ name: String, at offset: Int, _ change: (UInt8) -> UInt8 = { $0 ^ 0xFF }) {
        seen[name]?.spoil(offset, change)
    }

    /// Cuts a file off behind everybody's back; what is left of it is durable.
    public func cut(_ name: String, to bytes: Int) {
        guard let content = content(of: name) else { return }
        place(Array(content.prefix(bytes)), as: name)
    }

    /// Removes the directory and all that is in it behind everybody's back.
    ///
    /// - Returns: the one that the next process makes in its place.
    public func removeDirectory() -> ModelDisk {
        isRemoved = true
        seen = [:]
        durable = [:]
        changes = []
        return ModelDisk(seed: dice.next(), capacityBytes: capacityBytes)
    }

    /// Removes a file behind everybody's back.
    public func removeFile(_ name: String) {
        seen[name] = nil
        durable[name] = nil
    }

    /// Bytes that all files take.
    public var bytesTaken: Int { seen.values.reduce(0) { $0 + $1.seen.count } }

    /// Counts a call and fails it if its turn has come.
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

    /// A change of names; if its call fails it may happen nevertheless.
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

    /// In an order that says nothing.
    public func names() throws(DiskError) -> [String] {
        try call(.list, ".")
        return seen.keys.sorted().shuffled(using: &dice)
    }

    /// A failure may leave a half-made file.
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

    /// To read and write.
    public func open(_ name: String) throws(DiskError) -> ModelFile {
        try call(.open, name)
        guard let node = seen[name] else { throw DiskError(.open, name, errno: ENOENT) }
        return ModelFile(self, node, name: name)
    }

    /// Replaces nothing.
    public func rename(_ name: String, to other: String) throws(DiskError) {
        guard seen[name] != nil else { throw DiskError(.rename, name, errno: ENOENT) }
        guard seen[other] == nil else { throw DiskError(.rename, other, errno: EEXIST) }
        try change(.rename, name, .rename(name, other))
    }

    /// Gives its bytes back at once.
    public func remove(_ name: String) throws(DiskError) {
        guard seen[name] != nil else { throw DiskError(.remove, name, errno: ENOENT) }
        try change(.remove, name, .remove(name))
    }

    /// Fails once the directory was removed.
    public func checkPath() throws(DiskError) {
        try call(.find, ".")
        guard !isRemoved else { throw DiskError(.find, ".", errno: ENOENT) }
    }

    /// By the identity of what holds the bytes.
    public func checkName(_ name: String, of file: ModelFile) throws(DiskError) {
        try call(.find, name)
        guard let node = seen[name] else { throw DiskError(.find, name, errno: ENOENT) }
        guard file.holds(node) else { throw DiskError(.find, name, errno: ESTALE) }
    }

    /// Keeps the names as they are.
    public func syncNames() throws(DiskError) {
        try call(.syncNames, ".")
        durable = seen
        changes = []
    }

    /// Of the capacity.
    public func freeBytes() throws(DiskError) -> Int {
        try call(.freeBytes, ".")
        return capacityBytes - bytesTaken
    }
}
