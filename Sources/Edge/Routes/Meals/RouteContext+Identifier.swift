import HTTPTypes
import Hummingbird

extension RouteContext {
    /// The `{id}` of the path, percent-decoded.
    var identifier: String {
        get throws {
            guard let id = PathText.decoded(try parameters.require("id")) else {
                throw RouteFailure.notFound
            }
            return id
        }
    }
}

extension HTTPField.Name {
    /// `X-Durability`: which promise an answer gives.
    static let durability = HTTPField.Name("X-Durability")!
}
