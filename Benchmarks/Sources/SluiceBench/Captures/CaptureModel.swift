import Foundation

/// Memory captures that are computed from their numbers, so that nothing has to be kept to check
/// them.
struct CaptureModel {
    /// Part of every id, so that no two runs share an id.
    let run: String

    static let firstSecond = 1_769_250_600

    func user(_ socket: Int) -> String { "\(run)-user-\(socket)" }

    func id(_ socket: Int, _ number: Int) -> String { "\(run)-\(socket)-\(number)" }

    /// Whole seconds since 1970.
    func second(_ socket: Int, _ number: Int) -> Int {
        Self.firstSecond + number * 60 + socket % 60
    }

    func transcription(_ socket: Int, _ number: Int) -> String {
        let friend = Self.friends[(socket + number) % Self.friends.count]
        let place = Self.places[(socket * 3 + number) % Self.places.count]
        return "Met \(friend) at the \(place) to talk about the project, number \(number)."
    }

    func photoURL(_ socket: Int, _ number: Int) -> String {
        "https://media.example/memories/\(id(socket, number))/photo.jpg"
    }

    func time(_ socket: Int, _ number: Int) -> String { Self.time(second(socket, number)) }

    /// The frame that the app sends.
    func frame(_ socket: Int, _ number: Int) -> String {
        "{\"type\":\"memory_capture\",\"id\":\"\(id(socket, number))\",\"timestamp\":\""
            + time(socket, number) + "\",\"photoURL\":\"\(photoURL(socket, number))\","
            + "\"transcription\":\"\(transcription(socket, number))\"}"
    }

    /// The text that a lane passes to PostgreSQL for a capture; see `sluice.store_captures`.
    func payload(_ socket: Int, _ number: Int) -> String {
        let time = time(socket, number)
        return "{\"id\":\"\(id(socket, number))\",\"user\":\"\(user(socket))\",\"t\":\"\(time)\","
            + "\"at\":\"\(time)\",\"photo\":\"\(photoURL(socket, number))\","
            + "\"text\":\"\(transcription(socket, number))\"}"
    }

    private static let friends = ["John", "Maria", "Ahmed", "Li Wei", "Sofia", "Kofi", "Anna"]
    private static let places = ["coffee shop", "library", "park", "station", "office"]

    /// `2026-01-24T10:30:00Z`.
    private static func time(_ second: Int) -> String {
        var moment = time_t(second)
        var parts = tm()
        gmtime_r(&moment, &parts)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        for (value, after) in [
            (parts.tm_year / 100 + 19, ""), (parts.tm_year % 100, "-"), (parts.tm_mon + 1, "-"),
            (parts.tm_mday, "T"), (parts.tm_hour, ":"), (parts.tm_min, ":"), (parts.tm_sec, "Z"),
        ] {
            text.append(UInt8(48 + value / 10))
            text.append(UInt8(48 + value % 10))
            text.append(contentsOf: after.utf8)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
