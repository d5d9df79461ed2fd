import Access
import Foundation
import SluiceService

/// What `serve` says on standard output when clients can come in: where, what for, and a curl that
/// works as it stands.
struct Banner {
    let text: String

    init(_ announcement: Announcement) {
        let place = "\(ReachableHost.name(announcement.host)):\(announcement.port)"
        let url = (announcement.isSecure ? "https://" : "http://") + place
        var lines = ["", "  Sluice \(SluiceCommand.version) is serving.", ""]
        func line(_ name: String, _ value: String) {
            lines.append("  " + name.padding(toLength: 10, withPad: " ", startingAt: 0) + value)
        }
        line("address", "\(url)/ingest")
        let sockets = (announcement.isSecure ? "wss://" : "ws://") + place
        line("captures", "POST /upload/{id} and \(sockets)/ws/ios/{user}")
        line("meals", "POST /api/v1/meal-logs/natural and \(sockets)/ws/meal-logs")
        line("journal", "POST /api/users/user/{user}/moods/swift and its neighbours")
        line("routes", "all of them at \(url)/docs")
        line("watch", "\(url)/status or \(Self.program) top")
        line("open to", Self.audience(announcement.openness))
        line("data", announcement.dataDirectory)
        switch announcement.store {
        case .privateCluster(let home, let isNew):
            line("database", "private PostgreSQL\(isNew ? ", made now," : "") in \(home)")
        case .server(let host, let database):
            line("database", "\(database) on \(host)")
        }
        let option =
            announcement.dataDirectory == DataDirectory("./var").path
            ? "" : " --data-dir '\(announcement.dataDirectory)'"
        line("look", "\(Self.program) psql\(option) -c 'select * from analytics.gps'")
        let header: String
        switch announcement.keys {
        case .made(let key, let path):
            line("key", "\(key.revealed())  (made now, kept in \(path))")
            header = "\"X-API-Key: \(key.revealed())\""
        case .kept(let path):
            line("key", "in \(path)")
            header = "\"X-API-Key: $(cat '\(path)')\""
        case .configured(let count):
            line("key", count == 1 ? "INGEST_API_KEY" : "INGEST_API_KEY, \(count) of them")
            header = "\"X-API-Key: ${INGEST_API_KEY%%,*}\""
        }
        lines += [
            "", "  Try it:", "",
            "curl -X POST \(url)/ingest \\",
            "  -H \"Content-Type: application/json\" \\",
            "  -H \(header) \\",
            "  -d '\(Self.sample)'",
            "", "  Ctrl-C stops it.", "", "",
        ]
        text = lines.joined(separator: "\n")
    }

    func show() {
        print(text, terminator: "")
        fflush(nil)
    }

    private static func audience(_ openness: Openness) -> String {
        switch openness {
        case .nothing: "whoever has a token or a key"
        case .userInPath:
            "everybody without token or key: captures and the journal, of every user"
        case .everything: "everybody without token or key, but for /ingest"
        }
    }

    /// As it was called: in a checkout it is not in PATH.
    private static var program: String {
        let called = CommandLine.arguments.first ?? ""
        return called.contains("/") ? called : "sluice"
    }

    /// One reading of each kind.
    static let sample =
        #"{"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0","#
        + #""model_name":"iPhone 15 Pro"},"data":[{"t":"2026-02-10T14:57:07Z","type":"gps","#
        + #""lat":34.0522,"lon":-118.2437,"acc":5.0},{"t":"2026-02-10T14:57:02Z","#
        + #""type":"vital","code":1,"val":72},{"t":"2026-02-10T14:56:57Z","type":"event","#
        + #""label":"motion_state","val_text":"walking"}]}"#
}
