import Glibc
import Synchronization

/// The highest ``Epoch`` that this node has seen. It decides which databases the node may write to.
///
/// Every session that is opened with a book is checked before it does anything else. A server that
/// the book does not admit is refused with ``PostgresError/Kind/epochRefused``: batches then go to
/// the spool, as they do while the database is unreachable. A higher timeline is a failover and is
/// accepted at once; sessions on a lower timeline are then outdated.
///
/// The known epoch is stored in a file, so that it survives a restart. An operator overrules it by
/// ``Connection/accept(into:)``: that raises a number in the settings of the database
/// (`sluice.accepted`), which all nodes see at their next session.
///
/// The timeline's number can't distinguish two forks that began the same way, and a copy's log
/// grows like that of its original. So the server in use is marked from time to time
/// (``raiseMark(of:on:)``), and a server on the same timeline without the last mark is refused.
public final class EpochFence: Sendable {
    private struct State {
        var known: Epoch?
        /// The content of the file.
        var written: Epoch?
        /// Why the known epoch can't be read.
        var damage: String?
        /// The loss of the last failover, until it is taken.
        var loss: Loss?
        /// The log's position after the last mark.
        var markedPosition: UInt64 = 0
    }

    /// A failover to a server that lacks log that was on disk before.
    public struct Loss: Sendable, Equatable {
        /// The last epoch before the failover.
        public let before: Epoch
        /// The first epoch that was seen after it.
        public let now: Epoch
    }

    private let path: String?
    private let state: Mutex<State>
    private let count = Atomic(0)
    private let lastHost = Atomic(0)

    /// Reads the known epoch.
    ///
    /// - Parameter path: the file; nil keeps the epoch in memory only.
    public init(path: String?) {
        self.path = path
        var state = State()
        if let path { Self.read(path, into: &state) }
        self.state = Mutex(state)
    }

    /// A file that can't be read is not the same as a missing file, which means that no server was
    /// written to yet.
    private static func read(_ path: String, into state: inout State) {
        state.damage = nil
        let text = ClusterFiles.read(path)
        state.known = text.flatMap { Epoch(fileText: $0) }
        state.written = state.known
        guard state.known == nil, text != nil || !ClusterFiles.isAbsent(path) else { return }
        var fault = "is damaged"
        if text == nil {
            let cause =
                access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            fault = "can't be read (\(cause))"
        }
        state.damage =
            "\(path) \(fault), so it is unknown which server was written to; nothing is written "
            + "until you mend it or name the server: sluice epoch accept"
    }

    /// Keeps the epoch in memory only.
    ///
    /// - Parameter known: the highest epoch that was seen.
    public init(knowing known: Epoch?) {
        path = nil
        state = Mutex(State(known: known))
    }

    /// The highest epoch that was seen; nil if there is none yet.
    public var known: Epoch? { state.withLock { $0.known } }

    /// Why the known epoch can't be read, and what to do; nil if there is no fault.
    public var damage: String? { state.withLock { $0.damage } }

    /// If the URL has several hosts, the index of the one that accepted a session last.
    var host: Int {
        get { lastHost.load(ordering: .relaxed) }
        set { lastHost.store(newValue, ordering: .relaxed) }
    }

    /// Increases with each change of the history; a session that began with a lower number is
    /// outdated.
    public var generation: Int { count.load(ordering: .acquiring) }

    /// A server's generation: the current one, or one below it if another epoch is known by now.
    package func generation(of epoch: Epoch) -> Int {
        state.withLock { state in
            let isCurrent =
                state.known?.timeline == epoch.timeline && state.known?.accepted == epoch.accepted
            return generation - (isCurrent ? 0 : 1)
        }
    }

    /// Checks that a server may be written to, and notes its epoch.
    ///
    /// - Parameters:
    ///   - epoch: the server's epoch.
    ///   - asked: ``known`` before the server was asked. Other sessions may have noted a later
    ///     position since.
    /// - Throws: `.epochRefused` with a message for the operator.
    public func admit(_ epoch: Epoch, knownWhenAsked asked: Epoch?) throws(PostgresError) {
        var (epoch, asked) = (epoch, asked)
        try state.withLock { state throws(PostgresError) in
            // The file may have been repaired, for example by `sluice epoch accept` beside a
            // running server.
            if let path, state.damage != nil {
                Self.read(path, into: &state)
                asked = state.known
            }
            if let damage = state.damage { throw PostgresError(.epochRefused, message: damage) }
            if var known = state.known {
                // If a server hides its identifier for a while, the known one stays.
                if epoch.systemID.isEmpty, epoch.accepted == known.accepted {
                    epoch.systemID = known.systemID
                }
                let isAsked = known.timeline == asked?.timeline
                known.position = isAsked ? asked?.position ?? 0 : 0
                known.mark = isAsked ? asked?.mark : nil
                if let objection = epoch.objection(knowing: known) {
                    throw PostgresError(
                        .epochRefused, message: objection.text(of: epoch, knowing: known))
                }
                if epoch.timeline != known.timeline || epoch.accepted != known.accepted {
                    count.add(1, ordering: .acquiringAndReleasing)
                    if epoch.accepted == known.accepted, epoch.position < known.position {
                        state.loss = Loss(before: known, now: epoch)
                    }
                } else {
                    let position = max(epoch.position, state.known?.position ?? 0)
                    state.known?.position = position
                    if let mark = epoch.mark { Self.note(mark, in: &state) }
                    // Mostly nothing else has changed; the file is brought up to date from time to
                    // time.
                    let isNamed =
                        known.systemID.isEmpty == epoch.systemID.isEmpty
                        && known.database == epoch.database
                    if isNamed { return }
                    state.known?.systemID = epoch.systemID
                    state.known?.database = epoch.database
                    try? write(&state)
                    return
                }
            }
            state.known = epoch
            try? write(&state)
        }
    }

    /// The least log that counts as a write; a mark itself takes less.
    private static let markedBytesMin: UInt64 = 512

    /// Marks a server that was admitted, unless nothing was written to it since the last mark.
    ///
    /// - Parameter epoch: the server's epoch, as `connection` has read it.
    public func raiseMark(of epoch: Epoch, on connection: Connection) throws(PostgresError) {
        let isWritten = state.withLock { state in
            epoch.position >= state.markedPosition &+ Self.markedBytesMin
                || epoch.position < state.markedPosition || state.known?.mark != epoch.mark
        }
        guard isWritten, let mark = try connection.raiseMark(of: epoch),
            let position = try connection.readEpoch()?.position
        else { return }
        state.withLock { state in
            state.markedPosition = position
            guard state.known?.timeline == epoch.timeline, state.known?.accepted == epoch.accepted
            else { return }
            Self.note(mark, in: &state)
        }
    }

    private static func note(_ mark: Epoch.Mark, in state: inout State) {
        if mark.lacks(state.known?.mark) { return }
        state.known?.mark = mark
    }

    /// Accepts a server as the one to write to, whatever was known.
    public func accept(_ epoch: Epoch) throws(PostgresError) {
        try state.withLock { state throws(PostgresError) in
            (state.known, state.damage) = (epoch, nil)
            count.add(1, ordering: .acquiringAndReleasing)
            do throws(ClusterError) {
                try write(&state)
            } catch {
                throw PostgresError(.settingsInvalid, message: "\(error)")
            }
        }
    }

    /// Brings the file up to date.
    ///
    /// - Returns: whether the file has the known epoch.
    @discardableResult
    public func save() -> Bool {
        state.withLock { state in state.known == state.written || (try? write(&state)) != nil }
    }

    /// The certain loss of the last failover; returned once.
    public func takeLoss() -> Loss? {
        state.withLock { state in
            defer { state.loss = nil }
            return state.loss
        }
    }

    /// If the file can't be written, the next change tries again; until then the epoch in memory is
    /// used.
    private func write(_ state: inout State) throws(ClusterError) {
        guard let path, let known = state.known else { return }
        try ClusterFiles.write(known.fileText, to: path, mode: 0o600, owner: nil)
        state.written = known
    }
}

extension EpochFence: Equatable {
    /// The same book.
    public static func == (left: EpochFence, right: EpochFence) -> Bool { left === right }
}

extension Epoch {
    /// One line per value, and a checksum of them at the end.
    fileprivate var fileText: String {
        let text =
            "system \(systemID)\ntimeline \(timeline)\nposition \(position)\n"
            + "accepted \(acceptance)\n"
            + (database.map { "database \($0.id) \"\($0.name)\"\n" } ?? "")
            + (mark.map { "mark \($0.table) \($0.number)\n" } ?? "")
        return text + "sum \(Self.sum(text))\n"
    }

    /// Returns nil unless `text` is exactly what ``fileText`` writes.
    fileprivate init?(fileText text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let timeline = values["timeline"].flatMap({ UInt32($0) }),
            let position = values["position"].flatMap({ UInt64($0) }),
            let acceptance = values["accepted"]?.split(separator: " "),
            let accepted = acceptance.first.flatMap({ Int($0) }), let system = values["system"]
        else { return nil }
        let mark = values["mark"]?.split(separator: " ") ?? []
        let database = values["database"]?.split(separator: " ", maxSplits: 1) ?? []
        self.init(
            systemID: String(system),
            database: database.count != 2
                ? nil
                : UInt32(database[0]).map {
                    Database(
                        id: $0,
                        name: String(
                            decoding: database[1].utf8.dropFirst().dropLast(), as: UTF8.self))
                },
            timeline: timeline, position: position, accepted: accepted,
            instead: acceptance.count > 1 ? String(acceptance[1]) : "",
            mark: mark.count != 2
                ? nil
                : UInt32(mark[0]).flatMap { table in
                    Int(mark[1]).map { Mark(table: table, number: $0) }
                })
        guard text == fileText else { return nil }
    }

    /// FNV-1a: protects against truncated or corrupted files, not against people.
    private static func sum(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
