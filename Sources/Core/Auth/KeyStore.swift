public import Postgres
public import Readings

/// The table `sluice.api_key`: all statements on it are here.
///
/// Each call is one statement on the caller's connection.
public enum KeyStore {
    /// Length of the part of a key that lists show, in characters; four of them are random.
    static let prefixLength = APIKey.prefix.count + 4

    /// Makes a key and stores its digest.
    ///
    /// - Parameter binding: whose readings it may bring; nil: anybody's.
    /// - Returns: the row, and the key itself, which can't be read again later.
    public static func create(
        name: String, scopes: Set<KeyScope>, expiresAt: Timestamp?, bytesPerSecond: Int? = nil,
        binding: KeyBinding? = nil, on connection: Connection
    ) throws(KeyStoreError) -> (record: KeyRecord, key: APIKey) {
        let key = APIKey.make()
        var parameters = Parameters()
        parameters.append(text: name)
        parameters.append(bytea: key.digest.bytes)
        parameters.append(text: String(key.revealed().prefix(prefixLength)))
        let words: [String] = scopes.map(\.rawValue).sorted()
        parameters.append(texts: words)
        parameters.append(timestamptz: expiresAt?.microseconds)
        parameters.append(int8: bytesPerSecond.map(Int64.init))
        parameters.append(text: binding?.user)
        parameters.append(text: binding?.device)
        let rows: Rows
        do throws(PostgresError) {
            rows = try connection.query(
                """
                insert into sluice.api_key
                    (name, hash, prefix, scopes, expires_at, bytes_per_second, user_id, device_id)
                values ($1, $2, $3, $4, $5, $6, $7, $8)
                on conflict (name) where revoked_at is null do nothing
                returning \(columns)
                """, parameters)
        } catch {
            throw .database(error)
        }
        guard rows.count == 1 else { throw .nameTaken(name) }
        return (record(rows, 0), key)
    }

    /// Every key ever made, the newest last.
    public static func list(on connection: Connection) throws(PostgresError) -> [KeyRecord] {
        let rows = try connection.query("select \(columns) from sluice.api_key order by id")
        return (0..<rows.count).map { record(rows, $0) }
    }

    /// Revokes the key in force with this name. Every node drops it within five seconds.
    ///
    /// - Returns: nil if there is no such key.
    public static func revoke(
        name: String, on connection: Connection
    ) throws(PostgresError) -> KeyRecord? {
        var parameters = Parameters()
        parameters.append(text: name)
        let rows = try connection.query(
            """
            update sluice.api_key set revoked_at = now()
            where name = $1 and revoked_at is null
            returning \(columns)
            """, parameters)
        return rows.count == 0 ? nil : record(rows, 0)
    }

    /// The columns that ``KeyRing`` needs, of every key that is neither revoked nor expired.
    public static func inForce(on connection: Connection) throws(PostgresError) -> [IssuedKey] {
        let rows = try connection.query(
            """
            select id, name, hash, array_to_string(scopes, ','), expires_at, bytes_per_second,
                user_id, device_id
            from sluice.api_key
            where revoked_at is null and (expires_at is null or expires_at > now())
            order by id
            """)
        return (0..<rows.count).compactMap { row in
            // A hash of another length can't be the digest of any key.
            guard let digest = KeyDigest(bytes: rows.bytes(row, 2)) else { return nil }
            let words = rows.string(row, 3).split(separator: ",")
            return IssuedKey(
                id: KeyID(name: rows.string(row, 1), id: rows.int64(row, 0)),
                digest: digest, scopes: Set(words.compactMap { KeyScope(rawValue: String($0)) }),
                expiresAt: time(rows, row, 4), bytesPerSecond: number(rows, row, 5),
                binding: binding(rows, row, 6))
        }
    }

    /// How many keys that are in force no more are still known by name.
    private static let departedMax = 1000

    /// The last keys that were revoked or have expired.
    static func departed(on connection: Connection) throws(PostgresError) -> [KeyDigest: KeyID] {
        let rows = try connection.query(
            """
            select id, name, hash
            from sluice.api_key
            where revoked_at is not null or expires_at <= now()
            order by least(revoked_at, expires_at) desc
            limit \(departedMax)
            """)
        return (0..<rows.count).reduce(into: [:]) { keys, row in
            guard let digest = KeyDigest(bytes: rows.bytes(row, 2)) else { return }
            keys[digest] = KeyID(name: rows.string(row, 1), id: rows.int64(row, 0))
        }
    }

    /// Moves `last_used_at` forward, never back; several nodes may call this at once.
    public static func noteUses(
        _ uses: [(id: Int64, at: Timestamp)], on connection: Connection
    ) throws(PostgresError) {
        guard !uses.isEmpty else { return }
        var parameters = Parameters()
        parameters.append(int8s: uses.map(\.id))
        parameters.append(timestamptzs: uses.map(\.at.microseconds))
        try connection.query(
            """
            update sluice.api_key k set last_used_at = u.at
            from (
                select a.id, n.at
                from unnest($1, $2) n (id, at)
                join sluice.api_key a using (id)
                where a.last_used_at is null or a.last_used_at < n.at
                order by a.id
                for no key update of a
            ) u
            where k.id = u.id
            """, parameters)
    }

    private static let columns = """
        id, name, prefix, array_to_string(scopes, ','), created_at, expires_at, revoked_at, \
        last_used_at, bytes_per_second, user_id, device_id
        """

    private static func record(_ rows: Rows, _ row: Int) -> KeyRecord {
        KeyRecord(
            id: rows.int64(row, 0), name: rows.string(row, 1), prefix: rows.string(row, 2),
            scopes: rows.string(row, 3).split(separator: ",").map(String.init),
            createdAt: Timestamp(microseconds: rows.timestamp(row, 4)),
            expiresAt: time(rows, row, 5), revokedAt: time(rows, row, 6),
            bytesPerSecond: number(rows, row, 8), binding: binding(rows, row, 9),
            lastUsedAt: time(rows, row, 7))
    }

    /// - Parameter column: that of the user; that of the device follows it.
    private static func binding(_ rows: Rows, _ row: Int, _ column: Int) -> KeyBinding? {
        func text(_ column: Int) -> String? {
            rows.isNull(row, column) ? nil : rows.string(row, column)
        }
        return KeyBinding(user: text(column), device: text(column + 1))
    }

    private static func number(_ rows: Rows, _ row: Int, _ column: Int) -> Int? {
        rows.isNull(row, column) ? nil : Int(rows.int64(row, column))
    }

    private static func time(_ rows: Rows, _ row: Int, _ column: Int) -> Timestamp? {
        rows.isNull(row, column)
            ? nil : Timestamp(microseconds: rows.timestamp(row, column))
    }
}
