import Foundation
import PackagePlugin

/// Puts the text files of a target into its code: `page.js` becomes `Embedded.page_js`, the file's
/// bytes.
///
/// A file becomes one string literal. SwiftPM's `embedInCode` writes a literal for each byte:
/// with it, compiling took half a minute for the schema, and as long for the pages.
@main
struct EmbedText: BuildToolPlugin {
    private static let endings: Set = ["css", "html", "js", "json", "sql", "svg", "tsv"]

    /// Writes the code to the file `$1`, from the files that follow. The line break before the
    /// closing quotation marks is not part of the literal.
    private static let script = #####"""
        set -eu
        code=$1
        shift
        {
            echo 'enum Embedded {'
            for file; do
                name=$(basename "$file" | tr -c 'A-Za-z0-9\n' _)
                case $name in [0-9]*) name=_$name ;; esac
                printf '    static let %s = [UInt8](\n####"""\n' "$name"
                cat "$file"
                printf '\n"""####.utf8)\n'
            done
            echo '}'
        } >"$code"
        """#####

    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let files = (target.sourceModule?.sourceFiles.map(\.url) ?? [])
            .filter { Self.endings.contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
        let code = context.pluginWorkDirectoryURL.appending(component: "Embedded.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files in \(target.name)",
                executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, "embed", code.path] + files.map(\.path),
                inputFiles: files, outputFiles: [code])
        ]
    }
}
