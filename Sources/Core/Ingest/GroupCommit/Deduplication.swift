package import Readings
import Scanner

/// Decides which rows of a group are new. Pure; ``GroupCommit`` queries the database.
///
/// Rows of one kind that rise strictly and start after the watermark are certainly new and pass
/// unchecked; they move the watermark for the device's next device batch. Otherwise all rows of
/// that device and kind are compared one by one. To this, the users of one device id are one
/// device, and their keys are one key (``Families``).
package struct Deduplication {
    /// What is to be written of one device batch's rows of one kind.
    package enum Verdict: Equatable {
        case all
        /// Byte ranges of the tuples, neighbours joined, and how many tuples these are.
        case some([Range<Int>], count: Int)
    }

    /// A stretch of time in which stored rows of one device and kind must be looked at.
    package struct Span: Equatable {
        package let deviceKey: Int64
        /// The key that rows of its device id are compared with, whichever they have.
        package let comparedKey: Int64
        /// Inclusive, microseconds since 2000.
        package var first: Int64
        package var last: Int64
    }

    /// A device and kind whose rows may not all be new.
    private struct Suspect {
        let kind: ReadingKind
        /// Set if the device id has several users.
        let family: Int?
        /// The time up to which stored rows may equal ours.
        let watermark: Int64
        var deviceBatches: [Int]
    }

    private let deviceBatches: [DeviceBatch]
    private let placeOfBatch: [Int]
    private let previousWatermarks: [Claim.Previous]
    private let families: Families
    private var suspects: [Suspect] = []
    private(set) var verdicts: [ByKind<Verdict>]
    /// Late readings by device; only suspects can have any.
    private(set) var late: [LateReadings] = []
    private var latePlaces: [Int: Int] = [:]

    /// Received times further apart than this get separate spans, in microseconds: a device sends a
    /// reading of a kind every few seconds.
    static let gapMax: Int64 = 60_000_000

    /// - Parameters:
    ///   - placeOfBatch: the device of each device batch, as an index into `previousWatermarks`.
    ///   - previousWatermarks: old watermarks by device.
    init(
        _ deviceBatches: [DeviceBatch], placeOfBatch: [Int],
        previousWatermarks: [Claim.Previous],
        families: Families = Families()
    ) {
        self.deviceBatches = deviceBatches
        self.placeOfBatch = placeOfBatch
        self.previousWatermarks = previousWatermarks
        self.families = families
        verdicts = Array(repeating: ByKind(repeating: .all), count: deviceBatches.count)
        // Devices first, and then families.
        let old =
            previousWatermarks.map(\.watermarks)
            + (0..<families.count).map { families[$0].watermarks }
        var newest = old
        var suspectAt: [Int: ByKind<Int?>] = [:]
        let familyOfParcel = deviceBatches.map { families.place(of: $0.key.value) }
        let places = placeOfBatch.indices.map { index in
            familyOfParcel[index].map { previousWatermarks.count + $0 } ?? placeOfBatch[index]
        }
        for (index, deviceBatch) in deviceBatches.enumerated() {
            let place = places[index]
            for kind in ReadingKind.allCases {
                let rows = deviceBatch.summary(of: kind)
                guard rows.count > 0 else { continue }
                let watermark = newest[place][kind]
                newest[place][kind] = max(watermark, rows.last)
                if rows.strictlyRising, rows.first > watermark { continue }
                guard suspectAt[place]?[kind] == nil else { continue }
                suspectAt[place, default: ByKind(repeating: nil)][kind] = suspects.count
                suspects.append(
                    Suspect(
                        kind: kind, family: familyOfParcel[index], watermark: old[place][kind],
                        deviceBatches: []))
            }
        }
        guard !suspects.isEmpty else { return }
        // All device batches of a suspect, including those before the one that made it suspect.
        for (index, place) in places.enumerated() {
            guard let ofPlace = suspectAt[place] else { continue }
            for kind in ReadingKind.allCases {
                guard let suspect = ofPlace[kind] else { continue }
                suspects[suspect].deviceBatches.append(index)
            }
        }
    }

    var hasSuspects: Bool { !suspects.isEmpty }

    func verdict(of deviceBatch: Int, _ kind: ReadingKind) -> Verdict {
        verdicts[deviceBatch][kind]
    }

    /// What must be read back before ``decide(_:stored:)`` for `kind`.
    func spans(of kind: ReadingKind) -> [Span] {
        var spans: [Span] = []
        for suspect in suspects where suspect.kind == kind {
            let watermark = suspect.watermark
            var times: [Int64] = []
            for index in suspect.deviceBatches {
                deviceBatches[index].withRows(of: kind) { rows in
                    guard rows.first <= watermark else { return }
                    Self.forEachTuple(rows.tuples.bytes) { tuples, range in
                        let time = TupleBuffer.time(in: tuples, at: range.lowerBound)
                        if time <= watermark { times.append(time) }
                    }
                }
            }
            guard let deviceBatch = suspect.deviceBatches.first else { continue }
            times.sort()
            let comparedKey = comparedKey(of: suspect) ?? deviceBatches[deviceBatch].key.value
            for key in suspect.family.map({ families[$0].keys }) ?? [comparedKey] {
                let firstOfKey = spans.count
                for time in times {
                    if spans.count > firstOfKey, time - spans[spans.count - 1].last <= Self.gapMax {
                        spans[spans.count - 1].last = time
                    } else {
                        spans.append(
                            Span(
                                deviceKey: key, comparedKey: comparedKey, first: time,
                                last: time))
                    }
                }
            }
        }
        return spans
    }

    /// Set if rows may have another key.
    private func comparedKey(of suspect: Suspect) -> Int64? {
        suspect.family.map { families[$0].keys[0] }
    }

    /// Drops those of the suspects' rows of one kind that are stored or repeat an earlier row.
    ///
    /// - Parameter stored: the tuples that were found in ``spans(of:)``, of all devices, each with
    ///   its span's ``Span/comparedKey``; the key is part of a tuple, so they can't be mixed up.
    mutating func decide(_ kind: ReadingKind, stored: inout TupleSet) {
        for suspect in suspects where suspect.kind == kind {
            let comparedKey = comparedKey(of: suspect)
            // Late is what is older than its own user's newest.
            var newestOfPlace: [Int: Int64] = [:]
            for index in suspect.deviceBatches {
                let place = latePlace(of: index)
                let holding = placeOfBatch[index]
                var newest = newestOfPlace[holding] ?? previousWatermarks[holding].watermarks[kind]
                defer { newestOfPlace[holding] = newest }
                deviceBatches[index].withRows(of: kind) { rows in
                    var kept: [Range<Int>] = []
                    var count = 0
                    Self.forEachTuple(rows.tuples.bytes) { tuples, range in
                        let tuple = UnsafeRawBufferPointer(rebasing: tuples[range])
                        let isNew =
                            comparedKey.map { stored.insert(tuple, withKey: $0) }
                            ?? stored.insert(tuple)
                        guard isNew else { return }
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

    private mutating func latePlace(of deviceBatch: Int) -> Int {
        if let place = latePlaces[placeOfBatch[deviceBatch]] { return place }
        latePlaces[placeOfBatch[deviceBatch]] = late.count
        late.append(LateReadings(deviceKey: deviceBatches[deviceBatch].key.value))
        return late.count - 1
    }

    /// The time of the newest row that is kept of a device batch; `Int64.min` if there is none.
    func newest(of deviceBatch: DeviceBatch, _ index: Int, _ kind: ReadingKind) -> Int64 {
        guard case .some(let ranges, _) = verdicts[index][kind] else {
            return deviceBatch.summary(of: kind).last
        }
        return deviceBatch.withRows(of: kind) { rows in
            var newest = Int64.min
            for range in ranges {
                let kept = UnsafeRawBufferPointer(rebasing: rows.tuples.bytes[range])
                Self.forEachTuple(kept) { tuples, range in
                    newest = max(newest, TupleBuffer.time(in: tuples, at: range.lowerBound))
                }
            }
            return newest
        }
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

extension Deduplication {
    /// The late readings that a group stores for one device: those older than the newest of their kind
    /// that was stored before the group or is in an earlier batch of it.
    package struct LateReadings {
        package let deviceKey: Int64
        package private(set) var count: Int64 = 0
        /// The greatest lateness by kind, in microseconds.
        package private(set) var byMax = ByKind<Int64>(repeating: 0)

        init(deviceKey: Int64) {
            self.deviceKey = deviceKey
        }

        mutating func add(_ kind: ReadingKind, by microseconds: Int64) {
            count += 1
            byMax[kind] = max(byMax[kind], microseconds)
        }
    }
}
