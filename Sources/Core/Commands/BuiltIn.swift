package import Server
import TextTables

/// What this program has beside the core. Its main file chooses it before a command is read.
package struct BuiltIn: Sendable {
    /// The apps.
    let apps: [any App]
    /// The OpenAPI document of all routes; nil if there is none.
    let document: [UInt8]?

    /// - Parameters:
    ///   - apps: none by default.
    ///   - document: the OpenAPI document of all routes.
    package init(apps: [any App] = [], document: [UInt8]? = nil) {
        self.apps = apps
        self.document = document
    }

    /// Nothing, unless something was chosen.
    private static let chosen = ChosenOnce { BuiltIn() }

    /// Chooses this for the process.
    package func choose() { Self.chosen.choose(self) }

    static var apps: [any App] { chosen.value().apps }
    static var document: [UInt8]? { chosen.value().document }
}
