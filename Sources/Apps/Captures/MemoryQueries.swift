import JSONText
public import Postgres
import Times

/// What the app may read of a user, and how a user begins; one statement a route.
///
/// Every answer is a body in the contract's shape: arrays are always there, counts are integers,
/// times are UTC without a fraction.
public enum MemoryQueries {
    /// `GET /memories/{user_id}/{date}`: the summary of one of the user's days.
    ///
    /// - Parameter date: see ``isDate(_:)``; of the user's time zone.
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

    /// `GET /user/{user_id}/contacts`: the most often named first; an empty list for who has none.
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

    /// `POST /init-user/{user_id}`: gives a user a profile, once.
    public static func initialize(
        user: String, _ request: ProfileRequest, on connection: Connection
    ) throws(PostgresError) -> Result<MemoryAnswer, ProfileFault> {
        do throws(PostgresError) {
            var parameters = parameters(user, request.summary)
            parameters.append(text: request.timeZone)
            let made = try connection.query(
                """
                insert into sluice.app_user as u (user_id, time_zone, profile, initialized_at)
                select $1, coalesce(zone, 'America/New_York'),
                    jsonb_build_object('summary', $2::text::jsonb), now()
                from (select $3 as zone) given
                -- Fails for a name that is none.
                where now() at time zone coalesce(zone, 'UTC') is not null
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
        } catch let error where error.sqlState == "22023" {
            return .failure(.timeZoneUnknown)
        } catch let error where error.sqlState == "22P05" || error.sqlState == "22P02" {
            return .failure(.notText)
        }
    }

    /// Whose a capture is, by its key; nil for one that nobody has sent. For those who guard its files.
    public static func owner(
        ofCapture id: String, on connection: Connection
    ) throws(PostgresError) -> String? {
        let rows = try connection.query(
            "select user_id from sluice.capture where capture_id = $1", parameters(id))
        return rows.count == 0 ? nil : rows.string(0, 0)
    }

    /// Whether `text` is a day of the calendar, `YYYY-MM-DD`, year 1 to 9999.
    public static func isDate(_ text: String) -> Bool {
        CivilDate(text) != nil
    }

    // MARK: Pieces

    private static func time(_ column: String) -> String {
        "to_char(\(column) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }

    /// The profile of a row `u` of `app_user`.
    private static var profile: String {
        """
        jsonb_build_object('userId', u.user_id, 'timeZone', u.time_zone, \
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
