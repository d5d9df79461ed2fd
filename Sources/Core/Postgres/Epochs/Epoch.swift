/// Which history of which database a server writes, and its position in it.
///
/// A *timeline* is PostgreSQL's number for a history: a promoted standby, and a server that was
/// restored to a point in time, begin a new one. Two servers of one cluster that both accept writes
/// have different timelines.
public struct Epoch: Sendable, Equatable {
    /// Decimal digits, made by initdb and the same in all copies of a cluster; empty if the server
    /// does not tell it.
    public var systemID: String
    /// nil: unknown, as in a file of an earlier version.
    public var database: Database?
    /// From 1 on.
    public var timeline: UInt32
    /// Bytes of write-ahead log that the server has on disk.
    public var position: UInt64
    /// How often an operator has accepted another history for this database; see ``EpochFence``.
    public var accepted: Int
    /// The ``identity`` that the last acceptance replaced; empty if none is named.
    public var instead: String
    /// nil if the database has no such table or the role may not read it.
    public var mark: Mark?

    /// A database of the cluster.
    public struct Database: Sendable, Equatable {
        /// Its OID. Standbys and physical copies share it, and a renamed database keeps it. A
        /// database that was created again, or as the copy of a template, has another.
        public var id: UInt32
        /// For messages, without control characters; two epochs are never compared by it.
        public var name: String

        /// Makes a database.
        public init(id: UInt32, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A counter in the database that the nodes raise while they write to it.
    ///
    /// A copy on the same timeline lacks the marks that were made after it, however its log grows.
    public struct Mark: Sendable, Equatable {
        /// The table's OID, which a copy shares: numbers of different tables can't be compared.
        public var table: UInt32
        /// Only increases.
        public var number: Int

        /// Makes a mark.
        public init(table: UInt32, number: Int) {
            self.table = table
            self.number = number
        }

        /// Whether a server with this mark lacks writes up to `known`.
        func lacks(_ known: Mark?) -> Bool {
            table == known?.table && number < known?.number ?? 0
        }
    }

    /// Makes an epoch.
    public init(
        systemID: String, database: Database? = nil, timeline: UInt32, position: UInt64,
        accepted: Int, instead: String = "", mark: Mark? = nil
    ) {
        self.systemID = systemID
        self.database = database
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

    /// Names the cluster, and the database in it if that is known. Has no spaces.
    public var identity: String { systemID + (database.map { "/\($0.id)" } ?? "") }

    /// ``accepted`` and ``instead`` as in the database's setting.
    var acceptance: String { instead.isEmpty ? "\(accepted)" : "\(accepted) \(instead)" }

    /// Why a server must not be written to.
    public enum Objection: Sendable, Equatable {
        case otherCluster
        /// Another one of the same cluster.
        case otherDatabase
        case olderTimeline
        case earlierPosition
        /// A copy from an earlier time whose log has grown since, or a second standby that was
        /// promoted to the same timeline as the first.
        case lacksMark
        /// A copy from before an operator's `sluice epoch accept`.
        case beforeAcceptance
    }

    /// Compares a server's epoch with a known one, or with the same one at an earlier moment.
    ///
    /// - Parameter known: the highest epoch that was ever seen.
    /// - Returns: nil if the server may be written to.
    public func objection(knowing known: Epoch) -> Objection? {
        // Each database counts its own acceptances, so another one must name the one that it
        // replaces.
        let isAccepted = accepted > known.accepted
        if !systemID.isEmpty, !known.systemID.isEmpty, systemID != known.systemID {
            // Earlier versions named only the cluster.
            let names = [known.identity, known.systemID]
            return isAccepted && names.contains(instead) ? nil : .otherCluster
        }
        if let database, let before = known.database, database.id != before.id {
            return isAccepted && instead == known.identity ? nil : .otherDatabase
        }
        if accepted > known.accepted { return nil }
        if accepted < known.accepted { return .beforeAcceptance }
        if timeline != known.timeline { return timeline > known.timeline ? nil : .olderTimeline }
        if position < known.position { return .earlierPosition }
        return mark?.lacks(known.mark) == true ? .lacksMark : nil
    }
}

extension Epoch.Objection {
    /// The message for the operator who has to decide.
    func text(of epoch: Epoch, knowing known: Epoch) -> String {
        let found =
            switch self {
            case .otherDatabase:
                "the database is another one (\(Self.name(epoch))) than before (\(Self.name(known)))"
            case .otherCluster:
                "the server is another cluster (system identifier \(epoch.systemID)) than before (\(known.systemID))"
            case .olderTimeline:
                "the server is on timeline \(epoch.timeline), and timeline \(known.timeline) was seen before: an old "
                    + "primary, or a copy of one"
            case .earlierPosition:
                "the server is at \(epoch.positionText) of timeline \(epoch.timeline), and \(known.positionText) was "
                    + "seen before: a copy from an earlier time"
            case .lacksMark:
                "the server is on timeline \(epoch.timeline) and lacks what was written to it last: a copy from an "
                    + "earlier time, or a second standby that was promoted"
            case .beforeAcceptance:
                "the server is a copy from before the last `sluice epoch accept`"
            }
        return "\(found); nothing is written to it. "
            + "If it is to be used from now on: sluice epoch accept"
    }

    private static func name(_ epoch: Epoch) -> String {
        epoch.database.map { "\"\($0.name)\", OID \($0.id)" } ?? "unknown"
    }
}
