import Access
import Ingestion
import Instruments
import NIOCore
import NIOHTTP1
import Readings
import Scanning

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
    func judge(_ head: IngestHead, now: NIODeadline) -> Bool {
        switch admission(of: head, now: now) {
        case .success(let admitted):
            request = admitted
            admitted.scanner.scanner.begin(now: loop.wallClock)
            return machine.admit(head.framing, now: now)
        case .failure(let failure):
            loop.instruments.refusedEarly.increment()
            answer(failure, machine.refuse(head.framing, now: now))
            return false
        }
    }

    /// All checks that need no body, in the order in which failures are reported.
    private func admission(of head: IngestHead, now: NIODeadline) -> Result<IngestRequest, Failure>
    {
        guard head.method == .POST else { return .failure(.methodNotAllowed) }
        guard let presented = head.presentedKey else { return .failure(.unauthorized) }
        guard let account = loop.keys.authenticate(presented, for: .ingest) else {
            // Not a 401 while keys may be missing: a device that gets a 401 may never try again.
            return .failure(
                loop.keys.knowsAllKeys ? .unauthorized : .unavailable(retryAfter: .seconds(2)))
        }
        if let fault = head.fault(loop.configuration) { return .failure(fault) }

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
                account: account, scanner: loop.scanners.take(),
                decoder: encoding == .identity
                    ? nil
                    : BodyDecoder(encoding, limits: loop.decoderLimits, scratch: loop.scratch),
                reservedBytes: declared, expectedBytes: declared,
                awaitsDevice: encoding != .identity || declared == 0
                    || declared > Self.smallBodyBytes,
                startedAt: now))
    }

    /// Asks the lanes whether they take that many bytes.
    private func refusal(ofBytes bytes: Int, of device: DeviceKey?) -> Failure? {
        switch loop.sink.refusal(forBytes: bytes, of: device) {
        case .full(let time), .shareUsedUp(let time): .overloaded(retryAfter: time)
        case .unavailable(let time): .unavailable(retryAfter: time)
        case nil, .taken: nil
        }
    }

    /// Takes the body out of ``EdgeLoop/expectedBytes``: it is complete, will not come, or is slow.
    func stopExpecting() {
        loop.expectedBytes -= request?.expectedBytes ?? 0
        request?.expectedBytes = 0
    }

    /// Scans a piece of the body, as received.
    func scan(_ chunk: ByteBuffer) {
        do throws(Failure) {
            guard let decoder = request?.decoder else {
                try scanDecoded(chunk.readableBytesSpan)
                return
            }
            try decoder.decode(chunk.readableBytesSpan) { (bytes) throws(Failure) in
                loop.instruments.bodyBytesDecoded.increment(by: bytes.byteCount)
                try scanDecoded(bytes)
            }
        } catch {
            fail(error)
        }
    }

    private func scanDecoded(_ bytes: RawSpan) throws(Failure) {
        guard let scanner = request?.scanner else {
            preconditionFailure("BUG: a body without a request")
        }
        try grow(by: bytes.byteCount)
        var rest = bytes
        if request?.awaitsDevice == true {
            let first = bytes.extracting(first: Self.envelopeBytes)
            rest = bytes.extracting(droppingFirst: first.byteCount)
            try Self.scan(first, with: scanner)
            try look(at: scanner)
        }
        try Self.scan(rest, with: scanner)
    }

    private static func scan(_ bytes: RawSpan, with scanner: PooledScanner) throws(Failure) {
        do throws(ScanError) {
            try scanner.scanner.scan(bytes)
        } catch {
            throw .scan(error)
        }
    }

    /// Once the device is known, its lane may turn out to have no room. Then the body is rejected
    /// before the rest of it is scanned.
    private func look(at scanner: PooledScanner) throws(Failure) {
        guard let request, let device = scanner.scanner.device else { return }
        self.request?.awaitsDevice = false
        // Not what others are expected to bring: most of that goes to other lanes.
        guard let failure = refusal(ofBytes: request.reservedBytes, of: device) else { return }
        loop.instruments.refusedEarly.increment()
        throw failure
    }

    /// Counts bytes of the decompressed body, and reserves those that the head did not declare.
    private func grow(by bytes: Int) throws(Failure) {
        let bodyBytes = (request?.bodyBytes ?? 0) + bytes
        request?.bodyBytes = bodyBytes
        let bytesMax = loop.configuration.bodyBytesMax
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
        let batch: ScannedBatch
        do throws(Failure) {
            try request.decoder?.finish()
            batch = try finish(request.scanner)
        } catch {
            fail(error)
            return
        }
        stopExpecting()
        self.request = nil
        loop.scanners.give(request.scanner)
        let offer = loop.offer(
            batch, account: request.account, for: self, reservedBytes: request.reservedBytes,
            startedAt: request.startedAt)
        switch offer {
        case .success(let ticket):
            self.ticket = ticket
            machine.offered(now: loop.lastNow)
        case .failure(let failure):
            answer(failure, machine.settle())
        }
    }

    private func finish(_ scanner: PooledScanner) throws(Failure) -> ScannedBatch {
        do throws(ScanError) {
            return try scanner.scanner.finish()
        } catch {
            throw .scan(error)
        }
    }

    /// The body will not become a batch.
    private func fail(_ failure: Failure) {
        abandonRequest()
        answer(failure, machine.settle())
    }

    /// Releases all that is held for a body; the readings seen in it count as refused.
    func abandonRequest() {
        stopExpecting()
        guard let request = request.take() else { return }
        let received = request.scanner.scanner.received
        loop.ledger.enter {
            $0.received += received
            $0.refused += received
        }
        loop.budget.release(request.reservedBytes, for: request.account)
        loop.scanners.give(request.scanner)
    }

    /// The lane has delivered the outcome. The answer is written, not flushed.
    func acknowledged(_ outcome: CommitOutcome, of entry: IngestTicket, now: NIODeadline) {
        ticket = nil
        let persistence = machine.settle()
        switch outcome {
        case .committed(let stored, let duplicates, let quarantined, let refusals):
            let latency = now - entry.startedAt
            loop.instruments.acknowledgementSeconds.record(Int(latency.nanoseconds))
            let told = CommittedAnswer(
                records: entry.received, stored: stored, duplicates: duplicates,
                quarantined: quarantined, problems: entry.problems, refusals: refusals)
            write(loop.answers.committed(header(persistence)) { told.write(to: &$0) })
        case .spooled:
            let latency = now - entry.startedAt
            loop.instruments.acknowledgementSeconds.record(Int(latency.nanoseconds))
            let told = SpooledAnswer(
                records: entry.received, quarantined: entry.quarantined, problems: entry.problems)
            write(loop.answers.spooled(header(persistence)) { told.write(to: &$0) })
        case .recorded:
            preconditionFailure("BUG: a batch was answered as a unit")
        case .unavailable(let time):
            answer(.unavailable(retryAfter: time), persistence)
        case .refused(let sqlState):
            answer(.refusedByDatabase(sqlState: sqlState), persistence)
        }
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
