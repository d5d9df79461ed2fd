import Postgres

/// Two users who have used every feature, in rows as the server writes them.
enum Household {
    static let alice = "alice@example.org"
    static let bob = "bob@example.org"

    /// Names with characters that are special in regular expressions, in JSON and in `encode`.
    static let aliceDevices = ["alice-phone", "alice.watch(é)\\\"[1]"]
    static let bobDevices = ["bob-phone"]

    /// The content of files that both users have.
    static let sharedObject = String(repeating: "5", count: 64)

    static func object(_ user: String, _ number: Int) -> String {
        let digit = user == alice ? "a" : "b"
        return String(repeating: digit, count: 60) + String(1000 + number)
    }

    static func devices(of user: String) -> [String] {
        user == alice ? aliceDevices : bobDevices
    }

    static func execute(
        _ sql: String, _ texts: String..., on connection: Connection
    ) throws {
        var parameters = Parameters()
        for text in texts { parameters.append(text: text) }
        try connection.query(sql, parameters)
    }

    /// - Parameter readings: the number for each kind, device and day.
    static func settle(
        _ user: String, readings: Int = 7, on connection: Connection
    ) throws {
        for device in devices(of: user) {
            try settle(device: device, of: user, readings, on: connection)
        }
        try settleCaptures(of: user, on: connection)
        try settleMeals(of: user, on: connection)
        try settleJournal(of: user, on: connection)
        for topic in ["capture", "meal"] {
            try execute(
                "select sluice.post_notice($2, $1, 'for ' || $1)", user, topic, on: connection)
        }
        for (kind, key) in [
            ("user.condense", user), ("user.summarise", "\(user)/2026-03-02"),
            ("other", "1\(user)"),
        ] {
            try execute(
                "select sluice.enqueue_job($2, $3, json_build_object('user', $1)::text)", user,
                kind,
                key, on: connection)
        }
        // Rejected for their U+0000, their invalid bytes or their form.
        for payload in [
            #"convert_to(format('{"user":%s,"text":"\u0000"}', to_json($1::text)), 'UTF8')"#,
            #"convert_to(format('{"user":%s,"text":"', to_json($1::text)), 'UTF8') || '\xff'::bytea"#,
            #"convert_to(format('{"user":%s,,}', to_json($1::text)), 'UTF8')"#,
        ] {
            try execute(
                """
                insert into sluice.unit_set_aside (kind, payload, sqlstate, reason, received_at)
                values ('capture', \(payload), '22P05', 'x', '2026-03-02')
                """, user, on: connection)
        }
    }

    private static func settle(
        device: String, of user: String, _ readings: Int, on connection: Connection
    ) throws {
        try connection.execute("select sluice.ensure_days('2026-03-01', '2026-03-03')")
        let key = "('x' || left(md5($1), 16))::bit(64)::bigint"
        try execute(
            "insert into sluice.device (device_key, device_id, user_id) values (\(key), $1, $2)",
            device, user, on: connection)
        try execute(
            """
            insert into sluice.device_state (device_key, key_check, gps_until)
            values (\(key), 1, '2026-03-03 12:00Z')
            """, device, on: connection)
        for table in [
            "gps (device_key, t, lat, lon) select \(key), t, 1, 2",
            "vital (device_key, t, code, val) select \(key), t, 1, 60",
            "event (device_key, t, label, metadata) select \(key), t, 'x', json_build_object('of', $1)::jsonb",
            "kept_position select \(key), t + n * interval '1 ms', 1, 2",
            "gps_rollup select \(key), t, 1, 0, 0, 1",
            "vital_rollup select \(key), t, 1, 1, 0, 0, 60, 60, 60, 60",
        ] {
            // Several readings at one time.
            try execute(
                """
                insert into sluice.\(table)
                from generate_series(timestamptz '2026-03-01 06:00Z', '2026-03-03 06:00Z', '1 day') d,
                    generate_series(1, \(readings)) n, lateral (select d + n / 3 * interval '1 s') w (t)
                """, device, on: connection)
        }
        try execute(
            """
            insert into sluice.rollup_due
            select \(key), '2026-03-01 06:00Z', k from unnest('{gps,vital}'::text[]) k
            """, device, on: connection)
        try execute(
            """
            insert into sluice.quarantine (device_key, device_id, reason, body, reading_index, api_key)
            values (\(key), $1, 't_invalid', convert_to('{"t":"' || $1 || '"}', 'UTF8'), 0, 'k')
            """, device, on: connection)
        // A reading that came through a device without a user.
        try execute(
            """
            insert into sluice.quarantine (device_key, device_id, reason, body, reading_index, api_key)
            values (77, 'hub', 't_invalid',
                convert_to('{"device_id" : ' || to_json(upper($1)) || '}', 'UTF8'), 0, 'k')
            """, device, on: connection)
    }

    private static func settleCaptures(of user: String, on connection: Connection) throws {
        for number in 1...3 {
            try execute(
                """
                select sluice.store_captures(array[json_build_object('id', $1 || '-' || $2, 'user', $1,
                    't', '2026-03-02T10:00:00Z', 'at', '2026-03-02T10:00:01Z',
                    'photo', 'https://x/media/memories/loose-' || $1 || $2 || '/photo.jpg')::text])
                """, user, "\(number)", on: connection)
            // With a token, without a token, and with an id that only the URL names.
            try store("memories/\(user)-\(number)/photo.jpg", of: user, number, nil, on: connection)
            try store("memories/\(user)-\(number)/audio.m4a", of: user, 10, user, on: connection)
            try store(
                "memories/loose-\(user)\(number)/photo.jpg", of: user, 20 + number, nil,
                on: connection)
            try execute(
                """
                insert into sluice.capture_analysis
                    (capture_id, user_id, captured_at, revision, number, analyser, analysis)
                values ($1 || '-' || $2, $1, '2026-03-02', 1, 1, 'local', '{"mood": "fine"}')
                """, user, "\(number)", on: connection)
            try execute(
                """
                insert into sluice.contact_mention (user_id, name_key, capture_id, captured_at, name)
                values ($1, 'carol', $1 || '-' || $2, '2026-03-02', 'Carol')
                """, user, "\(number)", on: connection)
        }
        for sql in [
            "contact (user_id, name_key, name, first_seen, last_seen, mention_count) "
                + "values ($1, 'carol', 'Carol', '2026-03-02', '2026-03-02', 3)",
            "hour_due values ($1, '2026-03-02 10:00Z')",
            "hour_summary (user_id, hour, time_zone, captures, content) "
                + "values ($1, '2026-03-02', 'UTC', 3, '{}')",
            "day_summary (user_id, date, time_zone, is_final, content) "
                + "values ($1, '2026-03-02', 'UTC', false, '{}')",
        ] { try execute("insert into sluice.\(sql)", user, on: connection) }
    }

    private static func settleMeals(of user: String, on connection: Connection) throws {
        for (number, rest) in [
            #""text":"two eggs""#,
            #""items":[{"order_index":0,"item_id":"00000000-0000-4000-8000-000000000001","food_name":"egg","#
                + #""food_type":"food","quantity":1,"unit":"g","calories":1,"protein_g":1,"carbs_g":1,"fat_g":1}],"#
                + #""totals":{"calories":1,"protein":1,"carbs":1,"fat":1}"#,
            #""text":"gone""#,
        ].enumerated() {
            let id = "(left(md5($1), 30) || '0\(number)')::uuid"
            try execute(
                """
                select sluice.store_meal_logs(array[format('{"id":%s,"user":%s,"at":"2026-03-02T10:00:00Z",'
                    '"t":"2026-03-02T10:00:00Z","type":"lunch",%s}', to_json(\(id)::text), to_json($1::text), $2)])
                """, user, rest, on: connection)
            if number == 2 {
                try execute("select sluice.delete_meal_log(\(id), $1)", user, on: connection)
            }
        }
        for sql in [
            "consultation values (md5($1)::uuid, $1, 'active', now(), now())",
            "api_key (name, hash, prefix, scopes, user_id) "
                + "values ('key of ' || $1, sha256(convert_to($1, 'UTF8')), 'slk_1', '{ingest}', $1)",
            "undelivered (topic, user_id, subject, payload) values ('meal', $1, md5($1)::uuid, '{}')",
            "user_food (user_id, name, energy_kcal, protein_g, carbs_g, fat_g) "
                + "values ($1, 'stew of ' || $1, 1, 1, 1, 1)",
        ] { try execute("insert into sluice.\(sql)", user, on: connection) }
    }

    private static func settleJournal(of user: String, on connection: Connection) throws {
        for sql in [
            "keyed_request (item_id, user_id, fingerprint) values (md5('u' || $1), $1, 'x')",
            "upload (upload_id, user_id) values (md5('u' || $1), $1)",
            "mood (mood_id, user_id, mood, created_at) values (md5('m' || $1), $1, 'fine', now())",
            "keepsake (keepsake_id, user_id, title, created_at) values (md5('k' || $1), $1, $1, now())",
            "calendar_entry (entry_id, user_id, title, date_text, starts_at) "
                + "values (md5('c' || $1), $1, $1, '2026-03-02', '2026-03-02')",
        ] { try execute("insert into sluice.\(sql)", user, on: connection) }
        let prefix = user == alice ? "a" : "b"
        for number in 30...34 {
            let id = prefix + String(repeating: "0", count: 29) + "\(number)"
            try store("journal/\(id)", of: user, number, user, on: connection)
            let isPicture = number == 34
            try execute(
                """
                insert into sluice.journal_file (file_id, user_id, kind, record_id, place, name)
                values ($2, $1, \(isPicture ? "'profile_picture', null" : "'mood', md5('m' || $1)"), 0, 'x')
                """, user, id, on: connection)
            // Thumbnails, made for any reader.
            try store("journal/\(id)/w100", of: user, 100 + number, nil, on: connection)
            try execute(
                "insert into sluice.journal_thumbnail (file_id, width) values ($1, 100)", id,
                on: connection)
            if isPicture {
                try execute(
                    "insert into sluice.profile_picture (user_id, file_id) values ($1, $2)", user,
                    id,
                    on: connection)
            }
        }
        try store("journal-\(user)", of: user, 40, user, on: connection)
        try store("same-\(user)", object: sharedObject, owner: user, on: connection)
    }

    private static func store(
        _ path: String, of user: String, _ number: Int, _ owner: String?, on connection: Connection
    ) throws {
        try store(path, object: object(user, number), owner: owner, on: connection)
    }

    private static func store(
        _ path: String, object: String, owner: String?, on connection: Connection
    ) throws {
        var parameters = Parameters()
        parameters.append(text: path)
        parameters.append(text: object)
        parameters.append(text: owner)
        try connection.query(
            """
            select sluice.store_media_file($1, $2, decode($2, 'hex'), 1000, 'image/jpeg', $3)
            """, parameters)
    }
}
