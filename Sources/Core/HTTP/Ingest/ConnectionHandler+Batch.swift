import Auth
import HTTPTypes
import Ingest
import Instruments
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Readings
import Scanner

/// How a batch flows through ``ConnectionHandler``: from the head to the outcome.
extension ConnectionHandler {
    /// A body that may be larger is rejected as soon as its device's lane is known to have no room.
    /// Smaller ones cost less to scan than to ask twice.
    private static let smallBodyBytes = 8 * 1024
    /// Nearly all envelopes end within so many bytes.
    private static let envelopeBytes = 1024

    /// Decides from the head whether the body is admitted.
    ///
    /// - Returns: whether the client has to be sent `100 Continue`.
    func judge(
        _ head: IngestHead, _ format: InputFormat, _ request: InputRequest, now: NIODeadline
    ) -> Bool {
        switch admission(of: head, format, request, now: now) {
        case .success(let admitted):
            self.request = admitted
            admitted.scanner.scanner.begin(now: loop.wallClock, shape: head.shape)
            return machine.admit(head.framing, now: now)
        case .failure(let failure):
            loop.instruments.refusedEarly.increment()
            if failure.status != .serviceUnavailable {
                let presented = head.presentedKey ?? request.pathKey
                let account = presented.flatMap { self.account(of: $0) }
                let key = account?.id ?? presented.flatMap(loop.keys.id(of:))
                loop.note(failure, of: key, account?.binding?.device, on: entry.label)
            }
            answer(failure, machine.refuse(head.framing, now: now))
            return false
        }
    }

    /// All checks that need no body, in the order in which failures are reported.
    private func admission(
        of head: IngestHead, _ format: InputFormat, _ request: InputRequest, now: NIODeadline
    ) -> Result<IngestRequest, RequestFailure> {
        guard loop.instruments.routes.allows(head.method, on: route) else {
            return .failure(.methodNotAllowed(entry.methods))
        }
        guard let presented = head.presentedKey ?? request.pathKey else {
            return .failure(.keyRefused(format.challenge))
        }
        guard let account = account(of: presented) else {
            if loop.keys.isInForce(presented) { return .failure(.scopeMissing(.ingest)) }
            // Not a 401 while keys may be missing: a device that gets a 401 may never try again.
            return .failure(
                loop.keys.knowsAllKeys
                    ? .keyRefused(format.challenge)
                    : .databaseUnavailable(retryAfter: .seconds(2)))
        }
        if let fault = head.fault(loop.configuration, format) { return .failure(fault) }

        let declared = head.framing.declaredBytes ?? 0
        guard loop.budget.reserve(declared, for: account) else {
            return .failure(.overloaded(retryAfter: loop.budget.drainTime))
        }
        if let failure = refusal(ofBytes: declared + loop.expectedBytes, of: nil)
            ?? account.spend(declared).map({ .quotaUsedUp(retryAfter: $0) })
        {
            loop.budget.release(declared, for: account)
            return .failure(failure)
        }
        loop.expectedBytes += declared
        let encoding = head.encoding ?? .identity
        return .success(
            IngestRequest(
                account: account, format: format, head: request.of(account.binding),
                scanner: loop.scanners.take(),
                collected: format.isTranslated ? ByteBuffer() : nil,
                decoder: encoding == .identity
                    ? nil
                    : BodyDecoder(encoding, limits: loop.decoderLimits, scratch: loop.scratch),
                reservedBytes: declared, expectedBytes: declared,
                awaitsDevice: !format.isTranslated
                    && (encoding != .identity || declared == 0
                        || declared > Self.smallBodyBytes),
                startedAt: now))
    }

    /// The sender's account: that of a key, or of the user of a token.
    private func account(of presented: String) -> KeyLimits? {
        if let account = loop.keys.authenticate(presented, for: .ingest) { return account }
        // No issued key has a point, and every token has two.
        guard let tokens = loop.tokens, presented.utf8.contains(UInt8(ascii: ".")) else {
            return nil
        }
        return tokens.sender(presented)
    }

    /// Asks the lanes whether they take that many bytes.
    private func refusal(ofBytes bytes: Int, of device: DeviceKey?) -> RequestFailure? {
        switch loop.sink.refusal(forBytes: bytes, of: device) {
        case .full(let time), .shareUsedUp(let time): .overloaded(retryAfter: time)
        case .unavailable(let time): .databaseUnavailable(retryAfter: time)
        case nil, .taken: nil
        }
    }

    /// Takes the body out of ``ConnectionLoop/expectedBytes``: it is complete, will not come, or is
    /// slow.
    func stopExpecting() {
        loop.expectedBytes -= request?.expectedBytes ?? 0
        request?.expectedBytes = 0
    }

    /// Scans a piece of the body, as received.
    func scan(_ chunk: ByteBuffer) {
        do throws(RequestFailure) {
            guard let decoder = request?.decoder else {
                try scanDecoded(chunk.readableBytesSpan)
                return
            }
            try decoder.decode(chunk.readableBytesSpan) { (bytes) throws(RequestFailure) in
                loop.instruments.bodyBytesDecoded.increment(by: bytes.byteCount)
                try scanDecoded(bytes)
            }
        } catch {
            fail(error)
        }
    }

    private func scanDecoded(_ bytes: RawSpan) throws(RequestFailure) {
        guard let scanner = request?.scanner else {
            preconditionFailure("BUG: a body without a request")
        }
        try grow(by: bytes.byteCount)
        if request?.collected != nil {
            request?.collected?.writeBytes(bytes)
            return
        }
        var rest = bytes
        if request?.awaitsDevice == true {
            let first = bytes.extracting(first: Self.envelopeBytes)
            rest = bytes.extracting(droppingFirst: first.byteCount)
            try Self.scan(first, with: scanner)
            try look(at: scanner)
        }
        try Self.scan(rest, with: scanner)
    }

    private static func scan(_ bytes: RawSpan, with scanner: PooledScanner) throws(RequestFailure) {
        do throws(ScanError) {
            try scanner.scanner.scan(bytes)
        } catch {
            throw .scan(error)
        }
    }

    /// Once the device is known, its lane may turn out to have no room. Then the body is rejected
    /// before the rest of it is scanned.
    private func look(at scanner: PooledScanner) throws(RequestFailure) {
        guard let request, let device = scanner.scanner.device else { return }
        self.request?.awaitsDevice = false
        // Not what others are expected to bring: most of that goes to other lanes.
        guard let failure = refusal(ofBytes: request.reservedBytes, of: device) else { return }
        loop.instruments.refusedEarly.increment()
        throw failure
    }

    /// Counts bytes of the decompressed body, and reserves those that the head did not declare.
    private func grow(by bytes: Int) throws(RequestFailure) {
        let bodyBytes = (request?.bodyBytes ?? 0) + bytes
        request?.bodyBytes = bodyBytes
        let bytesMax = min(loop.configuration.bodyBytesMax, request?.format.bytesMax ?? .max)
        guard bodyBytes <= bytesMax else { throw .bodyTooLarge(bytesMax: bytesMax) }
        let missing = bodyBytes - (request?.reservedBytes ?? 0)
        guard missing > 0, let account = request?.account else { return }
        guard loop.budget.reserve(missing, for: account) else {
            throw .overloaded(retryAfter: loop.budget.drainTime)
        }
        account.spendMore(missing)
        request?.reservedBytes += missing
    }

    /// The body is complete.
    func finishRequest() {
        guard let request else { preconditionFailure("BUG: an end without a request") }
        let batch: ScannedBatch?
        do throws(RequestFailure) {
            try request.decoder?.finish()
            if case .translated(_, let translation) = request.format.body {
                let body = request.collected ?? ByteBuffer()
                if body.readableBytes > TranslatedBody.inlineBytes, let workers = loop.workers {
                    translate(body, translation, of: request, on: workers)
                    return
                }
                batch = try request.scanner.scanner.batch(of: body, translation, request.head)
            } else {
                batch = try finish(request.scanner)
            }
        } catch {
            fail(error)
            return
        }
        offer(batch, of: request)
    }

    /// Translates a large body on a worker's thread. What the body takes of the budget is released
    /// only afterwards, even if the client is gone: until then its memory is in use.
    private func translate(
        _ body: ByteBuffer, _ translation: @escaping InputFormat.Translation,
        of request: IngestRequest, on workers: NIOThreadPool
    ) {
        machine.translates(now: loop.lastNow)
        stopExpecting()
        let reserved = request.reservedBytes
        self.request?.reservedBytes = 0
        self.request?.collected = nil
        let handler = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let (eventLoop, account, head) = (loop.eventLoop, request.account, request.head)
        let (limits, now) = (loop.scanners.limits, loop.wallClock)
        workers.submit { _ in
            let translated = TranslatedBody(body, translation, head, limits: limits, now: now)
            eventLoop.execute {
                handler.value.finish(translated, reserved: reserved, of: account)
            }
        }
    }

    private func finish(_ translated: TranslatedBody, reserved: Int, of account: KeyLimits) {
        loop.readClock()
        guard machine.phase == .translating, var request else {
            loop.budget.release(reserved, for: account)
            return
        }
        request.reservedBytes = reserved
        self.request = request
        switch translated.batch {
        case .success(let batch): offer(batch, of: request)
        case .failure(let failure): fail(failure, received: translated.received)
        }
        flushIfNeeded()
    }

    /// Offers what a body has become.
    ///
    /// - Parameter batch: nil: there is nothing to store.
    private func offer(_ batch: consuming ScannedBatch?, of request: IngestRequest) {
        guard let batch else {
            answerEmpty(request)
            return
        }
        do throws(RequestFailure) {
            if let binding = request.account.binding { try Self.claim(batch, binding) }
        } catch {
            fail(error)
            return
        }
        stopExpecting()
        self.request = nil
        loop.scanners.give(request.scanner)
        let offer = loop.offer(batch, of: request, for: self)
        switch offer {
        case .success(let ticket):
            self.ticket = ticket
            machine.offered(now: loop.lastNow)
        case .failure(let failure):
            answer(failure, machine.settle())
        }
    }

    /// There is nothing to store.
    private func answerEmpty(_ request: IngestRequest) {
        abandonRequest()
        let outcome = InputOutcome(
            records: 0, stored: 0, duplicates: 0, quarantined: 0, problems: [],
            ignored: IgnoredFields(), refusals: LaneRefusals(), limits: loop.scanners.limits)
        answer(outcome, request.format, request.head, machine.settle())
    }

    private static func claim(
        _ batch: ScannedBatch, _ binding: KeyBinding
    ) throws(RequestFailure) {
        switch batch.claim(user: binding.user, device: binding.device) {
        case .user: throw .userForeign
        case .device: throw .deviceForeign
        case nil: return
        }
    }

    private func finish(_ scanner: PooledScanner) throws(RequestFailure) -> ScannedBatch {
        do throws(ScanError) {
            return try scanner.scanner.finish()
        } catch {
            throw .scan(error)
        }
    }

    /// The body will not become a batch.
    ///
    /// - Parameter received: readings seen on another thread.
    private func fail(_ failure: RequestFailure, received: Int = 0) {
        if let request {
            loop.note(
                failure, of: request.account.id,
                request.scanner.scanner.deviceID ?? request.account.binding?.device,
                on: entry.label)
        }
        abandonRequest(received: received)
        answer(failure, machine.settle())
    }

    /// Releases all that is held for a body; the readings seen in it count as refused.
    ///
    /// - Parameter received: readings seen on another thread.
    func abandonRequest(received: Int = 0) {
        stopExpecting()
        guard let request = request.take() else { return }
        let received = request.scanner.scanner.received + received
        loop.ledger.enter {
            $0.received += received
            $0.refused += received
        }
        loop.budget.release(request.reservedBytes, for: request.account)
        loop.scanners.give(request.scanner)
    }

    /// The lane has delivered the outcome. The answer is written, not flushed.
    func acknowledged(_ outcome: BatchOutcome, of entry: IngestTicket, now: NIODeadline) {
        ticket = nil
        let persistence = machine.settle()
        switch outcome {
        case .committed(let counts):
            noteLatency(of: entry, now: now)
            let outcome = InputOutcome(
                records: entry.received, stored: counts.stored, duplicates: counts.duplicates,
                quarantined: counts.quarantined, problems: entry.problems, ignored: entry.ignored,
                refusals: counts.refusals,
                limits: loop.scanners.limits)
            answer(outcome, entry.format, entry.head, persistence)
        case .spooled:
            noteLatency(of: entry, now: now)
            let outcome = InputOutcome(
                records: entry.received, stored: nil, duplicates: 0,
                quarantined: entry.quarantined, problems: entry.problems, ignored: entry.ignored,
                refusals: LaneRefusals(), limits: loop.scanners.limits)
            answer(outcome, entry.format, entry.head, persistence)
        case .unavailable(let time):
            answer(.databaseUnavailable(retryAfter: time), persistence)
        case .refused(let sqlState):
            loop.logger.debug("batch refused", metadata: ["sqlstate": "\(sqlState)"])
            loop.note(.batchRefused, of: entry.account.id, entry.deviceID, on: self.entry.label)
            answer(.batchRefused, persistence)
        }
    }

    private func noteLatency(of entry: IngestTicket, now: NIODeadline) {
        let latency = now - entry.startedAt
        loop.instruments.acknowledgementSeconds.record(Int(latency.nanoseconds))
    }

    /// Answers with what became of the readings.
    private func answer(
        _ outcome: InputOutcome, _ format: InputFormat, _ request: InputRequest,
        _ persistence: RequestStateMachine.Persistence
    ) {
        write(
            loop.answers.answer(
                isCommitted: outcome.stored != nil, header(persistence),
                spooledStatus: format.spooledStatus,
                contentType: format.contentType ?? request.mediaType
            ) { format.answer(outcome, request, &$0) })
    }

    /// Stops waiting for the outcome. The batch may still be committed; if the client then sends it
    /// again, its readings are counted as duplicates.
    func giveUpOnAcknowledgement(_ persistence: RequestStateMachine.Persistence) {
        guard let ticket = ticket.take() else { preconditionFailure("BUG: no ticket to give up") }
        loop.forget(ticket)
        loop.instruments.acknowledgementsLate.increment()
        answer(.acknowledgementLate(retryAfter: loop.budget.drainTime), persistence)
    }
}
