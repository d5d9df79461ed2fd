import Glibc
import Synchronization

/// The highest ``Era`` that this node has seen, and so which servers it may write to.
///
/// Every session that is opened with it is checked before anything else is done there. What it does not
/// admit is refused with ``PostgresError/Kind/eraRefused``: batches go to the spool then, as they do
/// while the database is away. A higher timeline is a failover and taken at once; sessions that
/// began in a lower one are told that they are outdated.
///
/// What is known stands in a file, so that a restart does not forget it. An operator overrules it by
/// ``accept(_:on:)``: a number in the settings of the database (`sluice.accepted`) goes up, which
/// all nodes see at their next session.
///
/// The timeline's number does not tell two forks apart that began the same way, and a copy's log grows
/// like that of its original. So the server that is written to gets a mark now and then
/// (``raiseMark(of:on:)``), and one on the same timeline that lacks the last mark is refused.
public final class EraBook: Sendable {
    private struct State {
        var known: Era?
        /// What stands in the file.
        var written: Era?
        /// Why nothing can be known.
        var damage: String?
        /// How far the last failover fell behind what was known, until somebody asks.
        var loss: Loss?
        /// Where the log ended behind the last mark.
        var markedPosition: UInt64 = 0
    }

    /// A failover to a server that lacks what was on disk before.
    public struct Loss: Sendable, Equatable {
        /// The last that was seen before.
        public let before: Era
        /// The first that was seen of the new one.
        public let now: Era
    }

    private let path: String?
    private let state: Mutex<State>
    private let count = Atomic(0)
    private let lastHost = Atomic(0)

    /// Reads what is known.
    ///
    /// - Parameter path: of the file; nil: it is kept in memory only.
    public init(path: String?) {
        self.path = path
        var state = State()
        if let path { Self.read(path, into: &state) }
        self.state = Mutex(state)
    }

    /// A file that is there and can't be read is not a file that is missing: nothing was ever written
    /// to a server is what that would say.
    private static func read(_ path: String, into state: inout State) {
        state.damage = nil
        let text = Files.read(path)
        state.known = text.flatMap { Era(fileText: $0) }
        state.written = state.known
        guard state.known == nil, text != nil || Files.exists(path) else { return }
        var fault = "is damaged"
        if text == nil {
            let cause =
                access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            fault = "can't be read (\(cause))"
        }
        state.damage =
            "\(path) \(fault), so it is unknown which server was written to; nothing is written "
            + "until you mend it or name the server: sluice era accept"
    }

    /// In memory only.
    ///
    /// - Parameter known: the highest that was seen.
    public init(knowing known: Era?) {
        path = nil
        state = Mutex(State(known: known))
    }

    /// The highest that was seen; nil: none yet.
    public var known: Era? { state.withLock { $0.known } }

    /// Why nothing can be known, and what to do; nil: all is well.
    public var damage: String? { state.withLock { $0.damage } }

    /// Of several hosts in the URL, the place of the one that let in a session last.
    var host: Int {
        get { lastHost.load(ordering: .relaxed) }
        set { lastHost.store(newValue, ordering: .relaxed) }
    }

    /// Goes up with each change of the history; a session that began with a lower number is outdated.
    public var generation: Int { count.load(ordering: .acquiring) }

    /// The generation that a server belongs to; one below where a later one is known by now.
    package func generation(of era: Era) -> Int {
        state.withLock { state in
            let isCurrent =
                state.known?.timeline == era.timeline && state.known?.accepted == era.accepted
            return generation - (isCurrent ? 0 : 1)
        }
    }

    /// Notes a server, if it may be written to.
    ///
    /// - Parameters:
    ///   - era: what it said.
    ///   - asked: ``known`` before it was asked. Others may have noted a later position since.
    /// - Throws: `.eraRefused` with what an operator has to know.
    public func admit(_ era: Era, knownWhenAsked asked: Era?) throws(PostgresError) {
        var (era, asked) = (era, asked)
        try state.withLock { state throws(PostgresError) in
            // Somebody may have mended the file: `sluice era accept` beside a server does.
            if let path, state.damage != nil {
                Self.read(path, into: &state)
                asked = state.known
            }
            if let damage = state.damage { throw PostgresError(.eraRefused, message: damage) }
            if var known = state.known {
                // A server that hides its identifier for a while does not make it unknown.
                if era.systemID.isEmpty, era.accepted == known.accepted {
                    era.systemID = known.systemID
                }
                let isAsked = known.timeline == asked?.timeline
                known.position = isAsked ? asked?.position ?? 0 : 0
                known.mark = isAsked ? asked?.mark : nil
                if let objection = era.objection(knowing: known) {
                    throw PostgresError(
                        .eraRefused, message: objection.text(of: era, knowing: known))
                }
                if era.timeline != known.timeline || era.accepted != known.accepted {
                    count.add(1, ordering: .acquiringAndReleasing)
                    if era.accepted == known.accepted, era.position < known.position {
                        state.loss = Loss(before: known, now: era)
                    }
                } else if known.systemID.isEmpty == era.systemID.isEmpty {
                    // Only further on; the file follows now and then.
                    let position = max(era.position, state.known?.position ?? 0)
                    state.known?.position = position
                    if let mark = era.mark { Self.note(mark, in: &state) }
                    return
                }
            }
            state.known = era
            write(&state)
        }
    }

    /// Log that says that somebody has written: a mark takes less.
    private static let markedBytesMin: UInt64 = 512

    /// Marks a server that was admitted, unless nothing was written to it since the last mark.
    ///
    /// - Parameter era: what `connection` was told.
    public func raiseMark(of era: Era, on connection: Connection) throws(PostgresError) {
        let isWritten = state.withLock { state in
            era.position >= state.markedPosition &+ Self.markedBytesMin
                || era.position < state.markedPosition || state.known?.mark != era.mark
        }
        guard isWritten, let mark = try connection.raiseMark(of: era),
            let position = try connection.readEra()?.position
        else { return }
        state.withLock { state in
            state.markedPosition = position
            guard state.known?.timeline == era.timeline, state.known?.accepted == era.accepted
            else { return }
            Self.note(mark, in: &state)
        }
    }

    private static func note(_ mark: Era.Mark, in state: inout State) {
        if mark.lacks(state.known?.mark) { return }
        state.known?.mark = mark
    }

    /// Takes a server as the one to write to, whatever was known.
    public func accept(_ era: Era) throws(PostgresError) {
        try state.withLock { state throws(PostgresError) in
            (state.known, state.damage) = (era, nil)
            count.add(1, ordering: .acquiringAndReleasing)
            guard write(&state) else {
                throw PostgresError(
                    .settingsInvalid,
                    message: "\(path ?? ""): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Brings the file up to date.
    ///
    /// - Returns: whether the file has what is known.
    @discardableResult
    public func save() -> Bool {
        state.withLock { state in state.known == state.written || write(&state) }
    }

    /// What the last failover has lost for certain; each is told once.
    public func takeLoss() -> Loss? {
        state.withLock { state in
            defer { state.loss = nil }
            return state.loss
        }
    }

    /// A file that can't be written is tried again with the next change; the memory counts meanwhile.
    @discardableResult
    private func write(_ state: inout State) -> Bool {
        guard let path, let known = state.known else { return true }
        do {
            try Files.write(known.fileText, to: path, mode: 0o600, owner: nil)
            state.written = known
            return true
        } catch {
            return false
        }
    }
}

extension EraBook: Equatable {
    /// The same book.
    public static func == (left: EraBook, right: EraBook) -> Bool { left === right }
}

extension Era {
    /// A line each, with a sum of all of them at the end.
    fileprivate var fileText: String {
        let text =
            "system \(systemID)\ntimeline \(timeline)\nposition \(position)\n"
            + "accepted \(acceptance)\n" + (mark.map { "mark \($0.table) \($0.number)\n" } ?? "")
        return text + "sum \(Self.sum(text))\n"
    }

    /// nil: not what ``fileText`` gives.
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
        self.init(
            systemID: String(system), timeline: timeline, position: position, accepted: accepted,
            instead: acceptance.count > 1 ? String(acceptance[1]) : "",
            mark: mark.count != 2
                ? nil
                : UInt32(mark[0]).flatMap { table in
                    Int(mark[1]).map { Mark(table: table, number: $0) }
                })
        guard text == fileText else { return nil }
    }

    /// FNV-1a: against a file that was cut or mixed up, not against people.
    private static func sum(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
