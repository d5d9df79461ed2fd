import Auth
import Foundation
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Every route for every caller in every mode: who gets in.
@Suite(.timeLimit(.minutes(10))) struct RouteAdmissionTests {
    private static let secret = "a secret of more than thirty-two bytes"

    enum Mode: CaseIterable {
        case loopback, allowedOpen, keys, tokens, trustedPaths

        func apply(to access: inout AccessConfiguration) {
            switch self {
            case .loopback: break
            case .allowedOpen: access.isOpenAllowed = true
            case .keys: access.applicationKeys = AppServer.key
            case .tokens: access.tokenSecret = secret
            case .trustedPaths: (access.tokenSecret, access.trustsPathUser) = (secret, true)
            }
        }
    }

    enum Caller: CaseIterable {
        case nobody, basic, emptyBearer, emptyKey, wrongKey, key, user, page

        var fields: [String] {
            switch self {
            case .nobody: []
            case .basic: ["Authorization: Basic cG8tbGluOng="]
            case .emptyBearer: ["Authorization: bearer "]
            case .emptyKey: ["X-API-Key:"]
            case .wrongKey: ["X-API-Key: wrong"]
            case .key: ["X-API-Key: \(AppServer.key)"]
            case .user: [UserToken.bearer("po-lin", secret: secret)]
            case .page: ["Origin: http://evil.example"]
            }
        }
    }

    enum Door {
        case everybody, metrics, status, path, meals

        init(_ method: String, _ path: String) {
            self =
                switch path {
                case "/", "/livez", "/health", "/readyz", "/openapi.json", "/docs",
                    "/status/page/{file}",
                    "/status/session":
                    .everybody
                case "/metrics": .metrics
                case _ where path.hasSuffix("/multimedia/files/{fileId}") && method == "get":
                    .everybody
                case _ where path.hasPrefix("/status"): .status
                case _ where path.hasPrefix("/api/v1/"): .meals
                default: .path
                }
        }

        /// Neither 401 nor 403.
        func isOpen(to caller: Caller, in mode: Mode) -> Bool {
            if self == .everybody { return true }
            switch mode {
            case .loopback: return caller != .page
            case .allowedOpen: return self != .status && caller != .page
            case .keys: return self == .metrics || caller == .key
            case .tokens: return self == .metrics || caller == .user && self != .status
            case .trustedPaths:
                return self == .metrics
                    || self != .status && (caller == .user || caller == .nobody && self == .path)
            }
        }
    }

    /// Answered before the router.
    private static func isElsewhere(_ path: String, _ table: RouteTable) -> Bool {
        let entry = table[table.id(of: path)]
        return entry.input != nil || entry.socket != nil
    }

    @Test(arguments: Mode.allCases) func `each route admits whom its door lets in`(
        _ mode: Mode
    ) async throws {
        try await AppServer.with(
            access: { mode.apply(to: &$0) }, host: mode == .allowedOpen ? "0.0.0.0" : "127.0.0.1"
        ) { server in
            for route in server.table.documented {
                let parts = route.split(separator: " ")
                let (method, path) = (String(parts[0]), String(parts[1]))
                if Self.isElsewhere(path, server.table) { continue }
                let door = Door(method, path)
                let target = path.replacing(#/\{[^}]*[uU]ser[^}]*\}/#, with: "po-lin")
                    .replacing("{file}", with: "page.js").replacing(#/\{[^}]*\}/#, with: "0")
                for caller in Caller.allCases {
                    let isGet = method == "get"
                    let answer = try await server.ask(
                        isGet ? "HEAD" : method.uppercased(), target, caller.fields,
                        host: "127.0.0.1:81", body: isGet ? nil : [])
                    let isIn = answer.status != 401 && answer.status != 403
                    #expect(
                        isIn == door.isOpen(to: caller, in: mode)
                            // The form says that no key opens the page.
                            || path == "/status/session",
                        "\(mode) \(caller) \(route): \(answer.status)")
                }
            }
        }
    }
}
