import Auth
import ArgumentParser
import Dispatch
import Foundation
import Instruments
import Logging
import Server
import Synchronization

/// What `serve` prints when clients can connect: the addresses, what they are for, and a curl
/// command to try.
struct Banner {
    let text: String

    /// - Parameters:
    ///   - options: with which `sluice psql` finds the database; nil: it does not.
    ///   - showsKey: prints a generated key. By default only to a terminal, because other output may
    ///     be a log.
    init(
        _ announcement: Announcement, options: String?, showsKey: Bool = isatty(STDOUT_FILENO) == 1
    ) {
        let place = "\(ReachableHost.name(announcement.host)):\(announcement.port)"
        let url = (announcement.isSecure ? "https://" : "http://") + place
        var lines = ["", "  Sluice \(CoreCommands.version) is serving.", ""]
        func line(_ name: String, _ value: String) {
            lines.append("  " + name.padding(toLength: 10, withPad: " ", startingAt: 0) + value)
        }
        line("address", "\(url)/ingest")
        let sockets = (announcement.isSecure ? "wss://" : "ws://") + place
        for (name, what) in BuiltIn.apps.flatMap({ $0.guide(sockets: sockets) }) {
            line(name, what)
        }
        if BuiltIn.document != nil { line("routes", "all routes are documented at \(url)/docs") }
        line("watch", "\(url)/status or \(Self.program) top --url \(url)")
        line("open to", Self.audience(announcement.openness))
        line("data", announcement.dataDirectory)
        switch announcement.store {
        case .privateCluster(let home, let isNew, let analystPort):
            line("database", "private PostgreSQL\(isNew ? ", new," : "") in \(home)")
            if let analystPort {
                line("SQL", "127.0.0.1:\(analystPort), for roles of \(Self.program) analyst create")
            }
        case .server(let host, let database):
            line("database", "\(database) on \(host)")
        }
        if let options {
            line("look", "\(Self.program) psql\(options) -c 'select * from analytics.gps'")
        }
        let header: String
        switch announcement.keys {
        case .made(let key, let path) where showsKey:
            line("key", "\(key.revealed())  (new, stored in \(path))")
            header = "\"X-API-Key: \(key.revealed())\""
        case .made(_, let path), .kept(let path):
            line("key", "in \(path)")
            header = "\"X-API-Key: $(cat '\(path)')\""
        case .configured(let count):
            line(
                "key", count == 1 ? "SLUICE_INGEST_API_KEY" : "SLUICE_INGEST_API_KEY, \(count) keys"
            )
            header = "\"X-API-Key: KEY\""
        }
        lines += [
            "", "  Try it\(header.hasSuffix(": KEY\"") ? ", with your key" : ""):", "",
            "curl -X POST \(url)/ingest \\",
            "  -H \"Content-Type: application/json\" \\",
            "  -H \(header) \\",
            "  -d '\(Self.sample(at: Date()))'",
            "", "  Ctrl-C stops it.", "", "",
        ]
        text = lines.joined(separator: "\n")
    }

    func show() {
        print(text, terminator: "")
        fflush(nil)
    }

    private static func audience(_ openness: AccessMode) -> String {
        switch openness {
        case .nothing: "clients with a token or a key"
        case .userInPath:
            "everybody, without token or key: captures and the journal of every user"
        case .everything:
            "everybody, without token or key, except /ingest and, from elsewhere, /status"
        }
    }

    /// The name that the program was called by: in a checkout it is not in PATH.
    private static var program: String {
        let called = CommandLine.arguments.first ?? ""
        return called.contains("/") ? called : "sluice"
    }

    /// One reading of each kind, the latest at `now`.
    static func sample(at now: Date) -> String {
        func time(_ secondsAgo: Double) -> String {
            now.addingTimeInterval(-secondsAgo).formatted(.iso8601)
        }
        let readings = [
            #"{"t":"\#(time(0))","type":"gps","lat":34.0522,"lon":-118.2437,"acc":5.0}"#,
            #"{"t":"\#(time(5))","type":"vital","code":1,"val":72}"#,
            #"{"t":"\#(time(10))","type":"event","label":"motion_state","val_text":"walking"}"#,
        ]
        return #"{"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0","#
            + #""model_name":"iPhone 15 Pro"},"data":["# + readings.joined(separator: ",") + "]}"
    }
}
