import Readings

/// One element of `data`, judged check by check in the order of `QuarantineReason`.
struct ReferenceReading {
    let node: JSONNode
    let body: [UInt8]
    /// There is no envelope: it names its device.
    let isBare: Bool
    let limits: ReadingLimits
    let now: Timestamp

    enum Judgement {
        /// The id is lower-cased; nil means the envelope's. Without an envelope, no user means the
        /// device id.
        case valid(ReferenceRow, deviceID: String?, userID: String?)
        case faulty(QuarantineReason)
    }

    /// What a reading names.
    struct Sender {
        let deviceID: String
        let userID: String?
    }

    /// Ends the checks at the first fault.
    struct Fault: Error {
        let reason: QuarantineReason
    }

    static let knownKeys =
        ReadingKind.allCases.flatMap(\.schema.fields).map(\.name)
        .reduce(into: ["t", "type", "device_id", "user_id", "metric"]) { keys, name in
            if !keys.contains(name) { keys.append(name) }
        }

    func judgement() -> Judgement {
        do throws(Fault) {
            try checkWhole()
            let kind = try kind()
            let time = try time()
            let deviceID = try deviceID()
            if isBare, deviceID == nil { throw Fault(reason: .deviceIDMissing) }
            let userID = isBare ? try userID() : nil
            let metric = try metric(kind)
            let fields = try kind.schema.fieldColumns.map { column throws(Fault) in
                metric != nil && column.name == "code" ? [0, 0] : try bytes(of: column)
            }
            return .valid(
                ReferenceRow(kind: kind, time: time, fields: fields, metric: metric),
                deviceID: deviceID,
                userID: userID)
        } catch {
            return .faulty(error.reason)
        }
    }

    /// The value of a field, nil when it is absent or null.
    func value(_ key: String) -> JSONNode? {
        let value = node.members?.first { $0.key.is(key) }?.value
        return value?.isNull == true ? nil : value
    }

    private func checkWhole() throws(Fault) {
        if node.range.count > limits.readingBytesMax { throw Fault(reason: .readingTooLarge) }
        if node.depth > limits.readingDepthMax { throw Fault(reason: .nestedTooDeep) }
        for key in Self.knownKeys {
            let times = node.members?.count { $0.key.is(key) } ?? 0
            if times > 1 { throw Fault(reason: .duplicateKey) }
        }
    }

    private func kind() throws(Fault) -> ReadingKind {
        guard let value = value("type") else { throw Fault(reason: .typeMissing) }
        guard let text = value.text,
            let kind = ReadingKind.allCases.first(where: { text.is("\($0.name)") })
        else { throw Fault(reason: .typeUnknown) }
        return kind
    }

    private func time() throws(Fault) -> Timestamp {
        guard let value = value("t") else { throw Fault(reason: .timeMissing) }
        guard let time = time(value) else { throw Fault(reason: .timeInvalid) }
        if time.microseconds > now.microseconds + limits.aheadMax.inMicroseconds {
            throw Fault(reason: .timeInFuture)
        }
        if time.microseconds < now.microseconds - limits.ageMax.inMicroseconds {
            throw Fault(reason: .timeTooOld)
        }
        return time
    }

    private func deviceID() throws(Fault) -> String? {
        guard let value = value("device_id") else { return nil }
        guard let id = id(value) else { throw Fault(reason: .deviceIDInvalid) }
        return id.lowercased()
    }

    /// The name of a measurement without code.
    private func metric(_ kind: ReadingKind) throws(Fault) -> String? {
        guard kind == .vital, value("code") == nil, let value = value("metric") else { return nil }
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789_.-".unicodeScalars.map(\.value)
        guard let points = value.text?.codePoints, (1...64).contains(points.count),
            points.allSatisfy(allowed.contains)
        else { throw Fault(reason: .metricInvalid) }
        return value.text?.string
    }

    private func userID() throws(Fault) -> String? {
        guard let value = value("user_id") else { return nil }
        guard let id = id(value) else { throw Fault(reason: .userIDInvalid) }
        return id
    }

    private func id(_ value: JSONNode) -> String? {
        guard let text = value.text, let string = text.string, !text.hasNul,
            (1...limits.deviceIDCharactersMax).contains(text.codePoints.count)
        else { return nil }
        return string
    }

    /// What it names, whatever else is wrong; of a repeated key the last one counts.
    func sender() -> Sender? {
        func last(_ key: String) -> JSONNode? {
            let value = node.members?.last { $0.key.is(key) }?.value
            return value?.isNull == true ? nil : value
        }
        guard let deviceID = last("device_id").flatMap(id) else { return nil }
        guard let user = last("user_id") else {
            return Sender(deviceID: deviceID.lowercased(), userID: nil)
        }
        return id(user).map { Sender(deviceID: deviceID.lowercased(), userID: $0) }
    }
}

extension Duration {
    fileprivate var inMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
