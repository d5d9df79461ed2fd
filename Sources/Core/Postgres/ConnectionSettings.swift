import CLibpq

/// The address of a server, the role, and how a session starts. Never prints its password.
public struct ConnectionSettings: Sendable, Equatable {
    /// libpq's keywords and values, as given.
    private var values: [String: String]

    /// Settings of every session, by name. The connection string's own `options` take precedence.
    /// They are set in the open session (see `Connection.beginSession`), because a pooler may not
    /// pass `options` on.
    public var sessionSettings: [String: String] = [
        "TimeZone": "UTC",
        "client_min_messages": "warning",
        // A backend whose client is gone (a missed deadline, a kill) soon releases its locks.
        "client_connection_check_interval": "2000",
    ]

    /// Decides which servers may be written to; nil allows all. On Citus it is asked for the
    /// coordinator only, because each worker is a cluster of its own.
    public var epochs: EpochFence?

    /// - Parameter text: a `postgresql://` URL or a libpq connection string.
    /// - Throws: `.settingsInvalid` without any part of `text`, which may hold a password.
    public init(_ text: String) throws(PostgresError) {
        guard !Self.hasStrayAt(text) else {
            throw PostgresError(
                .settingsInvalid,
                message: "in a URL's user and password, @ must be written as %40 and / as %2F")
        }
        guard let options = PQconninfoParse(text, nil) else {
            throw PostgresError(
                .settingsInvalid, message: "neither a postgresql:// URL nor a connection string")
        }
        defer { PQconninfoFree(options) }
        values = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
    }

    /// Whether libpq would take a part of a URL's password for its host or database, and name it in
    /// an error.
    private static func hasStrayAt(_ text: String) -> Bool {
        guard let scheme = text.firstRange(of: "://"),
            ["postgresql", "postgres"].contains(text[..<scheme.lowerBound])
        else { return false }
        let address = text[scheme.upperBound...].prefix { $0 != "?" }
        let path = address.firstIndex(of: "/") ?? address.endIndex
        return address[path...].contains("@") || address[..<path].count { $0 == "@" } > 1
    }

    /// A server on a Unix socket.
    ///
    /// - Parameter socketDirectory: absolute, holds the socket `.s.PGSQL.<port>`.
    public init(socketDirectory: String, port: Int = 5432, user: String, database: String) {
        values = [
            "host": socketDirectory, "port": String(port), "user": user, "dbname": database,
        ]
    }

    /// A host's name, or the directory of a Unix socket.
    public var host: String? { values["host"] }
    /// The role to connect as; as for all values here, nil leaves it to libpq.
    public var user: String? {
        get { values["user"] }
        set { values["user"] = newValue }
    }
    /// Digits; several, separated by commas, for several hosts.
    public var port: String? { values["port"] }
    /// Host and port, for people.
    public var hostAndPort: String {
        (host ?? "local socket") + (port.map { ":" + $0 } ?? "")
    }
    /// For a child process's PGPASSWORD, never for a log.
    public var password: String? { values["password"] }

    /// The database to connect to; set it to reach another on the same server.
    public var database: String? {
        get { values["dbname"] }
        set { values["dbname"] = newValue }
    }

    /// The same for another server: user, password, database and TLS stay, ``epochs`` does not.
    public func directed(toHost host: String, port: Int) -> ConnectionSettings {
        var settings = self
        settings.values["hostaddr"] = nil
        settings.values["host"] = host
        settings.values["port"] = String(port)
        settings.epochs = nil
        return settings
    }

    /// The same without `target_session_attrs`, so that standbys are accepted too.
    public var takingStandbys: ConnectionSettings {
        var settings = self
        settings.values["target_session_attrs"] = nil
        return settings
    }

    /// The same with ``epochs``.
    public func checked(by epochs: EpochFence?) -> ConnectionSettings {
        var settings = self
        settings.epochs = epochs
        return settings
    }

    /// One value per host if there are several hosts; else none.
    public var hostByHost: [ConnectionSettings] {
        func list(_ keyword: String) -> [String] {
            values[keyword]?.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init) ?? []
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        guard count > 1 else { return [] }
        return (0..<count).map { place in
            var settings = self
            settings.values["host"] = hosts.count > place ? hosts[place] : nil
            settings.values["hostaddr"] = addresses.count > place ? addresses[place] : nil
            settings.values["port"] = ports.count > place ? ports[place] : ports.first
            return settings
        }
    }

    /// The name that `pg_stat_activity` shows.
    public var applicationName: String? {
        get { values["application_name"] }
        set { values["application_name"] = newValue }
    }

    /// The connection string for libpq programs (`psql`), without the password, which is passed in
    /// the environment (`PGPASSWORD`).
    public var connectionStringWithoutPassword: String {
        values.filter { $0.key != "password" }.sorted { $0.key < $1.key }
            .map { "\($0.key)='\(Self.escape($0.value, [Character("'"), Character("\\")]))'" }
            .joined(separator: " ")
    }

    /// Keywords and values for libpq.
    var parameters: [(keyword: String, value: String)] {
        var all = values
        all["client_encoding"] = "UTF8"
        all["fallback_application_name"] = "sluice"
        return all.map { ($0.key, $0.value) }
    }

    /// The settings to apply in a new session, in this order.
    ///
    /// - Parameter behindPooler: includes `options`, which the pooler may have dropped.
    func sessionSettings(behindPooler: Bool) -> [(name: String, value: String)] {
        let given = optionSettings
        let names = Set(given.map { $0.name.lowercased() })
        let ours = sessionSettings.sorted { $0.key < $1.key }
            .filter { !names.contains($0.key.lowercased()) }
            .map { (name: $0.key, value: $0.value) }
        return behindPooler ? ours + given : ours
    }

    /// The settings in the connection string's `options`: `-c name=value` or `--name=value`; a
    /// backslash escapes a space.
    ///
    /// - Source: PostgreSQL, `pg_split_opts` and `ParseLongOption`.
    private var optionSettings: [(name: String, value: String)] {
        var words: [String] = [""]
        var isEscaped = false
        for character in values["options"] ?? "" {
            if !isEscaped, character.isWhitespace {
                words.append("")
            } else if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                words[words.count - 1].append(character)
                isEscaped = false
            }
        }
        words.removeAll(where: \.isEmpty)
        var settings: [(name: String, value: String)] = []
        for (index, word) in words.enumerated() {
            let isBehindSwitch = index > 0 && words[index - 1] == "-c"
            let isSwitch = word.hasPrefix("--") || (word.hasPrefix("-c") && word != "-c")
            guard isBehindSwitch || isSwitch, let sign = word.firstIndex(of: "=") else { continue }
            let name = String(word[..<sign].dropFirst(isBehindSwitch ? 0 : 2))
            let value = String(word[word.index(after: sign)...])
            settings.append((name.replacing("-", with: "_"), value))
        }
        return settings
    }

    private static func escape(_ value: String, _ special: Set<Character>) -> String {
        String(value.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
    }
}

extension ConnectionSettings: CustomStringConvertible, CustomReflectable {
    /// Everything but the password.
    public var description: String { connectionStringWithoutPassword }
    /// Keeps the password out of `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["settings": description]) }
}
