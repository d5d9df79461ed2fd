import Access
import MediaStorage
import Multimedia

/// Finds files for many requests at once: one statement for all that are asked for with a capture's
/// path, one round for all of the journal.
///
/// It finds what may be sent whole and at once. All else it leaves to the router, and says nothing
/// about why: what is not there, who may not have it, what is not open yet, a database that is away.
/// So there is one place where errors are told, and it decides anew.
struct FileFinder: Sendable {
    let captures: CaptureServices?
    let journal: JournalServices?

    /// - Returns: in the order of `requests`; nil: the router's.
    func find(_ requests: [FileWanted]) async -> [ReadyFile?] {
        var found = [ReadyFile?](repeating: nil, count: requests.count)
        await findJournalFiles(requests, &found)
        await findCaptureFiles(requests, &found)
        return found
    }

    // MARK: /media

    private func findCaptureFiles(_ requests: [FileWanted], _ found: inout [ReadyFile?]) async {
        guard let captures else { return }
        var admitted: [(place: Int, path: Int, caller: Caller)] = []
        // Each that is asked for once, and where it stands.
        var paths: [MediaPath] = []
        var places: [String: Int] = [:]
        var last: (credentials: Credentials, caller: Caller?)?
        for (place, request) in requests.enumerated() where request.route == .media {
            if last?.credentials != request.credentials {
                let caller = await Self.caller(request.credentials, captures.access)
                last = (request.credentials, caller)
            }
            guard let caller = last?.caller else { continue }
            if let path = places[request.path] {
                admitted.append((place, path, caller))
            } else if let path = Self.capturePath(request.path) {
                places[request.path] = paths.count
                admitted.append((place, paths.count, caller))
                paths.append(path)
            }
        }
        guard let open = try? await captures.media.findOpen(paths) else { return }
        let files = paths.map { path in
            open[path].map { (file: $0.file, ready: MediaRoute.answer(for: $0.file).ready($0)) }
        }
        for (place, path, caller) in admitted {
            guard let file = files[path], Self.isOwn(file.file, of: caller) else { continue }
            found[place] = file.ready
        }
    }

    private static func caller(
        _ credentials: Credentials, _ access: AccessPolicy
    ) async -> Caller? {
        guard
            case .admitted(let caller) = await access.admit(
                credentials, user: nil, scope: .captures)
        else { return nil }
        return caller
    }

    private static func capturePath(_ text: String) -> MediaPath? {
        guard text.hasPrefix("/media/"),
            let path = MediaPath(String(text.dropFirst("/media/".utf8.count))),
            path.captureID != nil
        else { return nil }
        return path
    }

    /// As far as the file's row tells.
    private static func isOwn(_ file: MediaFile, of caller: Caller) -> Bool {
        guard caller.user != nil else { return true }
        return file.owner.map(caller.mayReach) ?? false
    }

    // MARK: The journal

    private func findJournalFiles(_ requests: [FileWanted], _ found: inout [ReadyFile?]) async {
        guard let journal else { return }
        // By the paths of requests.
        var wanted: [String: (user: String, id: String)] = [:]
        for request in requests
        where request.route == .journalFile && wanted[request.path] == nil {
            wanted[request.path] = Self.journalFile(request.path)
        }
        guard !wanted.isEmpty,
            let open = try? await journal.library.findOpen(Array(Set(wanted.values.map(\.id))))
        else { return }
        let files = wanted.compactMapValues { user, id -> ReadyFile? in
            guard let (file, media) = open[id], file.user == user else { return nil }
            return JournalFileRoute.answer(for: file, media.file).ready(media)
        }
        for (place, request) in requests.enumerated() where request.route == .journalFile {
            found[place] = files[request.path]
        }
    }

    private static func journalFile(_ text: String) -> (user: String, id: String)? {
        guard text.hasPrefix(JournalPath.base + "/") else { return nil }
        let parts = text.dropFirst(JournalPath.base.utf8.count + 1).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "multimedia", parts[2] == "files",
            let user = try? PathText.user(parts[0])
        else { return nil }
        return (user, String(parts[3]))
    }
}
