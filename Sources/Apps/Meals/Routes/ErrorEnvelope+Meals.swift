import HTTP
import JSONText

extension ErrorEnvelope {
    /// `{"error":{"message":…,"code":…}}`: meal logs. Also `field`, if one field is at fault.
    static let meals = ErrorEnvelope { problem in
        let code = problem.code ?? MealErrorCode(status: problem.status).rawValue
        let field = problem.field.map { ",\"field\":\(JSONString.quoted($0))" } ?? ""
        return "{\"error\":{\"message\":\(JSONString.quoted(problem.sentence)),"
            + "\"code\":\(JSONString.quoted(code))\(field)}}"
    }
}
