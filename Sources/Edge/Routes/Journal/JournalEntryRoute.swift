import Access
import HTTPTypes
import Hummingbird
import Media
import NIOCore

/// `POST /api/users/user/{userId}/{kind}/swift`: a form with a record's fields and its files.
///
/// Files are stored as they arrive. When the form is complete and its files are durable, the record
/// and the rows that name its files are committed together. If the form is rejected before that,
/// the sweeper removes its files. The database is required, so a client has to retry while it is
/// unreachable: a record in the spool would have to protect its files from the sweeper for as long.
///
/// Every success is a 200, which the shipped client expects.
struct JournalEntryRoute: Sendable {
    private let services: JournalServices
    private let path: JournalPath
    private let desk: UploadDesk

    init(_ services: JournalServices, _ desk: UploadDesk) {
        self.services = services
        self.desk = desk
        path = JournalPath(services)
    }

    func add(to router: Router<RouteContext>) {
        for kind in JournalKind.allCases {
            let component = JournalPath.component(kind)
            router.post("\(JournalPath.base)/{userId}/\(component)/swift") { request, context in
                try await create(kind, request, context)
            }
        }
    }

    private func create(
        _ kind: JournalKind, _ request: Request, _ context: RouteContext
    ) async throws -> Response {
        let (user, caller) = try await path.admit(request, context)
        let filesURL = try path.filesURL(of: user, request)
        let boundary = try desk.boundary(of: request)
        let address = ClientAddress(context.channel)
        try desk.checkLength(
            of: request, caller, from: address, bytesMax: bodyBytesMax(kind))
        let intake = services.library.intake(
            kind, user: user, boundary: boundary, keepLocation: try keepsLocation(request))
        try desk.enter(caller)
        defer { desk.leave(caller) }
        let entry = try await desk.receive(request, intake)
        let answer = try await services.library.commit(
            entry, user: user, filesURL: filesURL, errors: entry.problems.map(\.sentence))
        desk.count(bytes: entry.bytes, files: entry.fileCount, caller, from: address)
        return Response.json(.ok, answer)
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
