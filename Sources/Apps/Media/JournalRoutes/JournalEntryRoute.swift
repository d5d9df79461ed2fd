import Auth
import HTTP
import HTTPTypes
import Hummingbird
import Ingest
public import Media
public import Uploads

/// `POST /api/users/user/{userId}/{kind}/swift`: a form with a record's fields and its files.
///
/// Files are stored as they arrive. When the form is complete and its files are durable, a lane
/// commits the record and the rows that name its files together. If the form is rejected before
/// that, the sweeper removes its files. The database is required, so a client has to retry while it
/// is unreachable; see ``JournalRecord``.
///
/// Every success is a 200, which the shipped client expects.
struct JournalEntryRoute: Sendable {
    private let services: JournalServices
    private let path: JournalPath
    private let desk: UploadAdmission
    private let units: UnitAdmission
    private let durability: Durability

    init(_ services: JournalServices, _ files: FileServices, _ sink: any BatchSink) {
        self.services = services
        desk = files.uploads
        units = UnitAdmission(sink, within: services.acknowledgeWithin)
        durability = sink.durability
        path = JournalPath(services.access, files.configuration)
    }

    var routes: [Route] {
        JournalKind.allCases.map { kind in
            let path = "\(JournalPath.base)/{userId}/\(JournalPath.component(kind))/swift"
            return .post(path, label: "\(JournalPath.base)/swift") { request, context in
                try await create(kind, request, context)
            }
        }
    }

    private func create(
        _ kind: JournalKind, _ request: Request, _ context: RouteContext
    ) async throws -> Response {
        let (user, caller) = try await path.admit(request, context)
        let key = kind == .profilePicture ? nil : try IdempotencyKey.of(request)
        let filesURL = try path.filesURL(of: user, request, context)
        let boundary = try desk.boundary(of: request)
        let address = ClientAddress(context.channel)
        try desk.checkLength(
            of: request, caller, from: address, bytesMax: bodyBytesMax(kind))
        let client = InspectionClient(caller, from: address, user: user)
        if let time = services.library.inspectionWait(of: client) {
            throw RequestFailure.inspectionUsedUp(retryAfter: time)
        }
        let intake = services.library.intake(
            kind, for: client, boundary: boundary, keepLocation: try keepsLocation(request))
        let place = try desk.enter(caller, from: address)
        defer { withExtendedLifetime(place) {} }
        let entry = try await desk.receive(request, intake)
        let record = try await services.library.record(entry, user: user, key: key)
        let (promise, isNew) = try await commit(record)
        desk.count(bytes: entry.bytes, files: entry.fileCount, caller, from: address)
        let errors = entry.problems.map(\.sentence)
        var response: Response
        if isNew || key == nil {
            response = Response.json(.ok, try record.answer(filesURL: filesURL, errors: errors))
        } else {
            // A request with the same Idempotency-Key was first: its record is the answer.
            let answer = try await services.library.answer(
                record, user: user, filesURL: filesURL, errors: errors)
            guard let answer else { throw RequestFailure.idempotentItemDeleted }
            response = Response.json(.ok, answer)
        }
        response.headers[.durability] = promise
        return response
    }

    /// - Returns: the promise that the answer gives, `X-Durability`; whether the record is new.
    private func commit(
        _ record: JournalRecord
    ) async throws(RequestFailure) -> (promise: String, isNew: Bool) {
        switch try await units.outcome(of: record.unit) {
        case .committed(IdempotencyKey.different): throw .idempotencyKeyReused
        case .committed(let result): return (durability.rawValue, result != "same")
        // It was committed, but standbys did not confirm it, or a failover came first.
        case .spooled: return ("spooled", true)
        case .unavailable(let time): throw .databaseUnavailable(retryAfter: time)
        case .refused: throw .refusedByDatabase
        }
    }

    /// The query's `keepLocation`; the form may have a part with the same meaning.
    private func keepsLocation(_ request: Request) throws -> Bool {
        switch RequestQuery(request.uri.query).value("keepLocation") {
        case nil, "false": false
        case "true": true
        default: throw FieldFault(named: "keepLocation", .notBoolean)
        }
    }

    /// The largest possible form, if every file has its maximum size.
    private func bodyBytesMax(_ kind: JournalKind) -> Int {
        let limits = services.library.configuration
        let files =
            switch kind {
            case .profilePicture: limits.profilePictureBytesMax
            case .mood: limits.filesMax * limits.fileBytesMax + limits.voiceNoteBytesMax
            case .upload, .keepsake, .calendarEntry: limits.filesMax * limits.fileBytesMax
            }
        return files + limits.discardedBytesMax + RouteConfiguration.otherPartsBytesMax
    }
}

extension JournalIntake: UploadIntake {}
