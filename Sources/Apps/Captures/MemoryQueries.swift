import JSONText
public import Postgres
import Times

/// What the app reads of a user, and how it gives a new user a profile.
///
/// One statement a route, two for ``initialize(user:_:on:)``, and one more to check a zone. Every
/// answer is a body in the contract's shape: arrays are always present, counts are integers, times
/// are UTC without a fraction.
public enum MemoryQueries {
    /// `GET /memories/{user_id}/{date}`: the summary of one of the user's days.
    ///
    /// - Parameter date: a day in the user's time zone; see ``isDate(_:)``.
    public static func day(
        _ date: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        precondition(isDate(date), "BUG: a date that was not checked")
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'data', jsonb_build_object(
                'summary', '', 'timeline', '[]'::jsonb, 'themes', '[]'::jsonb,
                'highlights', '[]'::jsonb, 'mood', '', 'peopleInteractions', '[]'::jsonb,
                'locations', '[]'::jsonb, 'accomplishments', '[]'::jsonb, 'morningOverview', '',
                'afternoonOverview', '', 'eveningOverview', '', 'totalCaptures', 0
            ) || jsonb_strip_nulls(content) || jsonb_build_object(
                'userId', user_id, 'date', to_char(date, 'YYYY-MM-DD'), 'timeZone', time_zone,
                'isFinal', is_final, 'updatedAt', \(time("updated_at"))
            ))::text
            from sluice.day_summary
            where user_id = $1 and date = $2::text::date
            """, parameters(user, date))
        return answer(rows, orNotFound: "No summary for \(date)")
    }

    /// `GET /user/{user_id}/profile`.
    public static func profile(
        ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'data', \(profile))::text
            from sluice.app_user u
            where user_id = $1 and profile is not null
            """, parameters(user))
        return answer(rows, orNotFound: "No profile for this user")
    }

    /// `GET /user/{user_id}/contacts`: the contacts that are mentioned most often come first; an
    /// empty list if the user has none.
    public static func contacts(
        ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'data', coalesce(json_agg(
                json_build_object(
                    'name', name, 'relationship', relationship, 'notes', notes,
                    'bestFacePhotoURL', best_face_photo_url, 'firstSeen', \(time("first_seen")),
                    'lastSeen', \(time("last_seen")), 'mentionCount', mention_count)
                order by mention_count desc, name_key), '[]'::json))::text
            from sluice.contact
            where user_id = $1
            """, parameters(user))
        return answer(rows, orNotFound: "")
    }

    /// `POST /init-user/{user_id}`: gives a user a profile; answers `exists` if the user has one.
    public static func initialize(
        user: String, _ request: ProfileRequest, on connection: Connection
    ) throws(PostgresError) -> Result<MemoryAnswer, ProfileFault> {
        do throws(PostgresError) {
            guard try isZone(request.timeZone, on: connection) else {
                return .failure(.timeZoneUnknown)
            }
            var parameters = parameters(user, request.summary)
            parameters.append(text: request.timeZone)
            let made = try connection.query(
                """
                insert into sluice.app_user as u (user_id, time_zone, profile, initialized_at)
                values ($1, $3, jsonb_build_object('summary', $2::text::jsonb), now())
                on conflict (user_id) do update set
                    profile = excluded.profile, initialized_at = now(),
                    time_zone = coalesce($3, u.time_zone)
                where u.profile is null
                returning 1
                """, parameters)
            let status = made.count == 1 ? MemoryAnswer.Status.success : .exists
            let message = made.count == 1 ? "User initialized" : "User already initialized"
            let rows = try connection.query(
                """
                select json_build_object('status', $2, 'message', $3, 'profile', \(profile),
                    'contactsCount', (select count(*) from sluice.contact where user_id = $1))::text
                from sluice.app_user u
                where user_id = $1
                """, Self.parameters(user, status.rawValue, message))
            return .success(answer(rows, status, orNotFound: "No such user"))
        } catch let error where error.sqlState == "22P05" || error.sqlState == "22P02" {
            return .failure(.notText)
        }
    }

    /// `PUT /user/{user_id}/profile`. With another time zone the user's hours and days are
    /// made again, by a trigger of `app_user`.
    public static func change(
        user: String, _ change: ProfileChange, on connection: Connection
    ) throws(PostgresError) -> Result<MemoryAnswer, ProfileFault> {
        do throws(PostgresError) {
            guard try isZone(change.timeZone, on: connection) else {
                return .failure(.timeZoneUnknown)
            }
            var parameters = parameters(user)
            parameters.append(text: change.summary)
            parameters.append(text: change.timeZone)
            let rows = try connection.query(
                """
                with before as (
                    select o.user_id from sluice.app_user o
                    where o.user_id = $1 and o.profile is not null
                    for no key update
                ), u as (
                    update sluice.app_user n set
                        profile = case
                            when $2::text is null then n.profile
                            else n.profile || jsonb_build_object('summary', $2::text::jsonb)
                        end,
                        time_zone = coalesce($3, n.time_zone)
                    from before b where n.user_id = b.user_id
                    returning n.user_id, n.time_zone, n.created_at, n.profile
                )
                select json_build_object('status', 'success', 'data', \(profile))::text from u
                """, parameters)
            return .success(answer(rows, orNotFound: "No profile for this user"))
        } catch let error where error.sqlState == "22P05" || error.sqlState == "22P02" {
            return .failure(.notText)
        }
    }

    /// `POST /user/{user_id}/rebuild`: all hours and days are made again, in the user's time zone.
    public static func rebuild(
        user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'message', 'Days are made again')::text,
                sluice.enqueue_job('user.rebuild', $1, json_build_object('user', $1)::text)
            from sluice.app_user where user_id = $1
            """, parameters(user))
        return answer(rows, orNotFound: "No such user")
    }

    /// `GET /user/{user_id}/captures`: the newest first.
    public static func captures(
        _ page: CapturePage, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        var parameters = parameters(user)
        parameters.append(text: page.date)
        parameters.append(int4: Int32(page.limit))
        parameters.append(int4: Int32(page.offset))
        let rows = try connection.query(
            """
            with page as (
                select c.capture_id, c.captured_at, c.photo_url, c.audio_url, c.transcription,
                    row_number() over (order by c.captured_at desc, c.capture_id desc) - $4 as place
                from sluice.capture c
                where c.user_id = $1 and c.deleted_at is null and ($2 is null or \(isOfDay))
                order by c.captured_at desc, c.capture_id desc
                limit $3 + 1 offset $4
            )
            select json_build_object('status', 'success', 'data', coalesce((
                select json_agg(
                    json_build_object(
                        'captureId', split_part(p.capture_id, '~', 1),
                        'timestamp', \(time("p.captured_at")), 'photoURL', p.photo_url,
                        'audioURL', p.audio_url, 'transcription', p.transcription,
                        'analysis', a.analysis)
                    order by p.place)
                from page p left join sluice.capture_analysis a using (capture_id)
                where p.place <= $3), '[]'::json),
                'hasMore', exists (select from page p where p.place > $3))::text
            """, parameters)
        return answer(rows, orNotFound: "")
    }

    /// `DELETE /user/{user_id}/captures/{capture_id}`.
    public static func deleteCapture(
        _ id: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'message', 'Capture deleted')::text
            from sluice.delete_captures($1, array[$2, sluice.own_capture_key($2, $1)]) n
            where n > 0
            """, parameters(user, id))
        return answer(rows, orNotFound: "No such capture")
    }

    /// `DELETE /memories/{user_id}/{date}`: the captures of a day; its summary goes by a job.
    public static func deleteDay(
        _ date: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        precondition(isDate(date), "BUG: a date that was not checked")
        let rows = try connection.query(
            """
            select json_build_object('status', 'success', 'message',
                format('%s captures deleted', n))::text
            from sluice.delete_captures($1, array(
                select c.capture_id from sluice.capture c
                where c.user_id = $1 and c.deleted_at is null and \(isOfDay))) n
            where n > 0
            """, parameters(user, date))
        return answer(rows, orNotFound: "No captures on \(date)")
    }

    /// `DELETE /user/{user_id}/contacts/{name}`: until a capture mentions the person again. Names are
    /// compared as `FoldedName` has them.
    public static func deleteContact(
        _ name: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MemoryAnswer {
        let rows = try connection.query(
            """
            with locked as (
                select u.user_id from sluice.app_user u where u.user_id = $1 for no key update
            ), gone as (
                delete from sluice.contact c using locked l
                where c.user_id = l.user_id and c.name_key = $2
                returning c.name_key
            ), unmentioned as (
                delete from sluice.contact_mention m using gone g
                where m.user_id = $1 and m.name_key = g.name_key
                returning 1
            )
            select json_build_object('status', 'success', 'message', 'Contact deleted')::text,
                (select count(*) from unmentioned)
            from gone limit 1
            """, parameters(user, FoldedName.key(of: name)))
        return answer(rows, orNotFound: "No such contact")
    }

    /// SQL: whether a row `c` of `capture` is of the day `$2` in the zone of its user, `$1`.
    private static var isOfDay: String {
        let zone = """
            coalesce((select days_in from sluice.app_user where user_id = $1), \
            '\(Captures.defaultTimeZone)')
            """
        return """
            c.captured_at >= $2::text::date::timestamp at time zone \(zone)
                and c.captured_at < ($2::text::date + 1)::timestamp at time zone \(zone)
            """
    }

    /// The user that owns a capture, by the capture's key; nil if there is no such capture. For
    /// access checks on the capture's files.
    public static func owner(
        ofCapture id: String, on connection: Connection
    ) throws(PostgresError) -> String? {
        let rows = try connection.query(
            "select user_id from sluice.capture where capture_id = $1", parameters(id))
        return rows.count == 0 ? nil : rows.string(0, 0)
    }

    /// Whether `text` is a valid date `YYYY-MM-DD` in the years 1 to 9999.
    public static func isDate(_ text: String) -> Bool {
        CivilDate(text) != nil
    }

    // MARK: Pieces

    /// Whether a name may be stored; nil is none.
    private static func isZone(
        _ name: String?, on connection: Connection
    ) throws(PostgresError) -> Bool {
        guard let name else { return true }
        return try TimeZoneNames.contains(name, on: connection)
    }

    private static func time(_ column: String) -> String {
        "to_char(\(column) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }

    /// SQL for the profile of a row `u` of `app_user`.
    private static var profile: String {
        """
        jsonb_build_object('userId', u.user_id, \
        'timeZone', coalesce(u.time_zone, '\(Captures.defaultTimeZone)'), \
        'createdAt', \(time("u.created_at"))) || u.profile
        """
    }

    private static func parameters(_ texts: String...) -> Parameters {
        var parameters = Parameters()
        for text in texts { parameters.append(text: text) }
        return parameters
    }

    private static func answer(
        _ rows: Rows, _ status: MemoryAnswer.Status = .success, orNotFound message: String
    ) -> MemoryAnswer {
        guard rows.count > 0 else {
            var json = "{\"status\":\"not_found\",\"message\":"
            JSONString.append(message, to: &json)
            return MemoryAnswer(status: .notFound, json: json + "}")
        }
        return MemoryAnswer(status: status, json: rows.string(0, 0))
    }
}
