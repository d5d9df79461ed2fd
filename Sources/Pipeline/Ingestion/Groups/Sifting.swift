import Readings
import Scanning

/// Decides which rows of a group are new. Pure; `GroupWriter` queries the database.
///
/// Rows of one kind that rise strictly and start after the watermark are certainly new and pass
/// unchecked; they move the watermark for the device's next parcel. Otherwise all rows of that
/// device and kind are compared one by one.
package struct Sifting {
    /// What is to be written of one parcel's rows of one kind.
    package enum Verdict: Equatable {
        case all
        /// Byte ranges of the tuples, neighbours joined, and how many tuples these are.
        case some([Range<Int>], count: Int)
    }

    /// A stretch of time in which stored rows of one device and kind must be looked at.
    package struct Span: Equatable {
        package let deviceKey: Int64
        /// Inclusive, microseconds since 2000.
        package var first: Int64
        package var last: Int64
    }

    /// A device and kind whose rows may not all be new.
    private struct Suspect {
        let kind: ReadingKind
        let place: Int
        var parcels: [Int]
    }

    private let parcels: [Parcel]
    private var suspects: [Suspect] = []
    /// Times up to which stored rows may equal ours, for each suspect.
    private var watermarks: [Int64] = []
    private(set) var verdicts: [ByKind<Verdict>]
    /// Late readings by device; only suspects can have any.
    private(set) var late: [LateReadings] = []
    private var latePlaces: [Int: Int] = [:]

    /// Received times further apart than this get separate spans, in microseconds: a device sends a
    /// reading of a kind every few seconds.
    static let gapMax: Int64 = 60_000_000

    /// - Parameters:
    ///   - placeOfParcel: the device of each parcel, as an index into `holdings`.
    ///   - holdings: old watermarks by device.
    init(_ parcels: [Parcel], placeOfParcel: [Int], holdings: [Holding]) {
        self.parcels = parcels
        verdicts = Array(repeating: ByKind(repeating: .all), count: parcels.count)
        var newest = holdings.map(\.watermarks)
        var suspectAt: [Int: ByKind<Int?>] = [:]
        for (index, parcel) in parcels.enumerated() {
            let place = placeOfParcel[index]
            for kind in ReadingKind.allCases {
                let rows = parcel.summary(of: kind)
                guard rows.count > 0 else { continue }
                let watermark = newest[place][kind]
                newest[place][kind] = max(watermark, rows.last)
                if rows.strictlyRising, rows.first > watermark { continue }
                guard suspectAt[place]?[kind] == nil else { continue }
                suspectAt[place, default: ByKind(repeating: nil)][kind] = suspects.count
                suspects.append(Suspect(kind: kind, place: place, parcels: []))
                watermarks.append(holdings[place].watermarks[kind])
            }
        }
        guard !suspects.isEmpty else { return }
        // All parcels of a suspect, including those before the one that made it suspect.
        for (index, place) in placeOfParcel.enumerated() {
            guard let ofPlace = suspectAt[place] else { continue }
            for kind in ReadingKind.allCases {
                guard let suspect = ofPlace[kind] else { continue }
                suspects[suspect].parcels.append(index)
            }
        }
    }

    var hasSuspects: Bool { !suspects.isEmpty }

    func verdict(of parcel: Int, _ kind: ReadingKind) -> Verdict {
        verdicts[parcel][kind]
    }

    /// What must be read back before ``decide(_:stored:)`` for `kind`.
    func spans(of kind: ReadingKind) -> [Span] {
        var spans: [Span] = []
        for (suspect, watermark) in zip(suspects, watermarks) where suspect.kind == kind {
            var times: [Int64] = []
            for index in suspect.parcels {
                parcels[index].withRows(of: kind) { rows in
                    guard rows.first <= watermark else { return }
                    Self.forEachTuple(rows.tuples.bytes) { tuples, range in
                        let time = TupleBuffer.time(in: tuples, at: range.lowerBound)
                        if time <= watermark { times.append(time) }
                    }
                }
            }
            guard let parcel = suspect.parcels.first else { continue }
            times.sort()
            let firstOfSuspect = spans.count
            for time in times {
                if spans.count > firstOfSuspect, time - spans[spans.count - 1].last <= Self.gapMax {
                    spans[spans.count - 1].last = time
                } else {
                    let key = parcels[parcel].key.value
                    spans.append(Span(deviceKey: key, first: time, last: time))
                }
            }
        }
        return spans
    }

    /// Drops those of the suspects' rows of one kind that are stored or repeat an earlier row.
    ///
    /// - Parameter stored: the tuples that were found in ``spans(of:)``, of all devices; the device
    ///   key is part of a tuple, so they can't be mixed up.
    mutating func decide(_ kind: ReadingKind, stored: inout TupleSet) {
        for (suspect, watermark) in zip(suspects, watermarks) where suspect.kind == kind {
            let place = latePlace(of: suspect)
            var newest = watermark
            for index in suspect.parcels {
                parcels[index].withRows(of: kind) { rows in
                    var kept: [Range<Int>] = []
                    var count = 0
                    Self.forEachTuple(rows.tuples.bytes) { tuples, range in
                        guard
                            stored.insert(UnsafeRawBufferPointer(rebasing: tuples[range]))
                        else { return }
                        count += 1
                        let time = TupleBuffer.time(in: tuples, at: range.lowerBound)
                        if time < newest { late[place].add(kind, by: newest - time) }
                        if kept.last?.upperBound == range.lowerBound {
                            let joined = kept[kept.count - 1].lowerBound..<range.upperBound
                            kept[kept.count - 1] = joined
                        } else {
                            kept.append(range)
                        }
                    }
                    newest = max(newest, rows.last)
                    if count < rows.count {
                        verdicts[index][kind] = .some(kept, count: count)
                    }
                }
            }
        }
    }

    private mutating func latePlace(of suspect: Suspect) -> Int {
        if let place = latePlaces[suspect.place] { return place }
        latePlaces[suspect.place] = late.count
        late.append(LateReadings(deviceKey: parcels[suspect.parcels[0]].key.value))
        return late.count - 1
    }

    private static func forEachTuple(
        _ tuples: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Range<Int>) -> Void
    ) {
        var start = 0
        while start < tuples.count {
            let end = TupleBuffer.tupleEnd(in: tuples, at: start)
            body(tuples, start..<end)
            start = end
        }
    }
}
