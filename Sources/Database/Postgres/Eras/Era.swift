/// Which history of which cluster a server writes, and how far it has come.
///
/// A *timeline* is PostgreSQL's number for a history: a promoted standby and a server that was restored
/// to a moment begin a new one. Two servers of one cluster that both take writes differ in it.
public struct Era: Sendable, Equatable {
    /// Decimal digits, made by initdb and the same in all copies of a cluster; empty where the server
    /// does not tell.
    public var systemID: String
    /// From 1 on.
    public var timeline: UInt32
    /// Bytes of write-ahead log that are on disk there.
    public var position: UInt64
    /// How often an operator has accepted another history for this database; see ``EraBook``.
    public var accepted: Int
    /// The cluster that was given up then; empty: none is named.
    public var instead: String
    /// nil: the database has no such table, or not for this role.
    public var mark: Mark?

    /// How often nodes have noted in the database that they write to it.
    ///
    /// A copy on the same timeline lacks what was noted after it was made, however its log grows.
    public struct Mark: Sendable, Equatable {
        /// The table's identity, which a copy shares: numbers of two tables say nothing of each other.
        public var table: UInt32
        /// Goes up.
        public var number: Int

        /// A mark by its parts.
        public init(table: UInt32, number: Int) {
            self.table = table
            self.number = number
        }

        /// Whether a server that says this lacks what `known` was read from.
        func lacks(_ known: Mark?) -> Bool {
            table == known?.table && number < known?.number ?? 0
        }
    }

    /// A value by its parts.
    public init(
        systemID: String, timeline: UInt32, position: UInt64, accepted: Int, instead: String = "",
        mark: Mark? = nil
    ) {
        self.systemID = systemID
        self.timeline = timeline
        self.position = position
        self.accepted = accepted
        self.instead = instead
        self.mark = mark
    }

    /// ``position`` as PostgreSQL writes it, such as `0/3000060`.
    public var positionText: String {
        String(position >> 32, radix: 16, uppercase: true) + "/"
            + String(position & 0xFFFF_FFFF, radix: 16, uppercase: true)
    }

    /// ``accepted`` and ``instead`` as the database's setting has them.
    var acceptance: String { instead.isEmpty ? "\(accepted)" : "\(accepted) \(instead)" }

    /// Why a server must not be written to.
    public enum Objection: Sendable, Equatable {
        case otherCluster
        case olderTimeline
        case earlierPosition
        /// A copy from an earlier time whose log has grown since, or a second standby that was
        /// promoted to the timeline of the first.
        case lacksMark
        /// A copy from before an operator's `sluice era accept`.
        case beforeAcceptance
    }

    /// What a server is to somebody who knows of another era, or of the same one at another moment.
    ///
    /// - Parameter known: the highest that was ever seen.
    /// - Returns: nil: it may be written to.
    public func objection(knowing known: Era) -> Objection? {
        if !systemID.isEmpty, !known.systemID.isEmpty, systemID != known.systemID {
            // Another cluster counts its own acceptances, too: it has to name the one it is for.
            return accepted > known.accepted && instead == known.systemID ? nil : .otherCluster
        }
        if accepted > known.accepted { return nil }
        if accepted < known.accepted { return .beforeAcceptance }
        if timeline != known.timeline { return timeline > known.timeline ? nil : .olderTimeline }
        if position < known.position { return .earlierPosition }
        return mark?.lacks(known.mark) == true ? .lacksMark : nil
    }
}

extension Era.Objection {
    /// For whoever has to decide what to do.
    func text(of era: Era, knowing known: Era) -> String {
        let found =
            switch self {
            case .otherCluster:
                "another cluster (system identifier \(era.systemID)) than before (\(known.systemID))"
            case .olderTimeline:
                "on timeline \(era.timeline), and timeline \(known.timeline) was seen before: an old "
                    + "primary, or a copy of one"
            case .earlierPosition:
                "at \(era.positionText) of timeline \(era.timeline), and \(known.positionText) was "
                    + "seen before: a copy from an earlier time"
            case .lacksMark:
                "on timeline \(era.timeline) and lacks what was written to it last: a copy from an "
                    + "earlier time, or a second standby that was promoted"
            case .beforeAcceptance:
                "a copy from before the last `sluice era accept`"
            }
        return "the server is \(found); nothing is written to it. "
            + "If it is to be used from now on: sluice era accept"
    }
}
