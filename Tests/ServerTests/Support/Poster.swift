import Foundation
import FoundationNetworking
import Testing

/// Sends batches without a process for each. For tests that send many batches or binary ones.
enum Poster {
    /// - Parameter fields: more header fields.
    /// - Returns: the status, and the answer as a JSON object.
    static func post(
        _ url: String, _ body: some Sequence<UInt8>, fields: [String: String] = [:]
    ) async throws -> (Int, [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.httpBody = Data(body)
        request.setValue("test-key", forHTTPHeaderField: "X-API-Key")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (status, object ?? [:])
    }

    /// Sends a body unchanged.
    static func post(_ url: String, _ body: String) async throws -> (Int, [String: Any]) {
        try await post(url, body.utf8)
    }
}
