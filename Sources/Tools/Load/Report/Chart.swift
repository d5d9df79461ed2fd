import Foundation

/// Escapes text for HTML elements and attributes.
func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.unicodeScalars.append(character)
        }
    }
    return result
}

/// An SVG picture with two axes. Colours are classes of the page's style sheet.
struct Chart {
    /// One curve; a point without a value is a gap.
    struct Line {
        let name: String
        let style: String
        let points: [(x: Double, y: Double?)]
    }

    let title: String
    let horizontal: Axis
    let vertical: Axis
    let horizontalLabel: (Double) -> String
    let verticalLabel: (Double) -> String

    private static let width = 760.0
    private static let height = 250.0
    private static let left = 64.0
    private static let right = 24.0
    private static let top = 30.0
    private static let bottom = 26.0

    private func x(_ value: Double) -> Double {
        Self.left + horizontal.place(value) * (Self.width - Self.left - Self.right)
    }

    private func y(_ value: Double) -> Double {
        Self.height - Self.bottom
            - vertical.place(value) * (Self.height - Self.top - Self.bottom)
    }

    func svg(lines: [Line]) -> String {
        var body = ""
        for line in lines {
            var path = ""
            var isDrawing = false
            for point in line.points {
                guard let value = point.y else {
                    isDrawing = false
                    continue
                }
                path += "\(isDrawing ? "L" : "M")\(Self.text(x(point.x))) \(Self.text(y(value)))"
                // A point without neighbours would be invisible.
                if !isDrawing { path += "h0.01" }
                isDrawing = true
            }
            body += "<path class=\"line \(line.style)\" d=\"\(path)\"/>\n"
        }
        return frame(body + legend(lines.map { ($0.name, $0.style) }))
    }

    func svg(bars: [(from: Double, to: Double, height: Double, hint: String)]) -> String {
        var body = ""
        let floor = Self.height - Self.bottom
        for bar in bars where bar.height > 0 {
            let (start, end, top) = (x(bar.from), x(bar.to), min(y(bar.height), floor - 1))
            body +=
                "<rect class=\"bar\" x=\"\(Self.text(start + 0.5))\" y=\"\(Self.text(top))\" "
                + "width=\"\(Self.text(max(1, end - start - 1)))\" "
                + "height=\"\(Self.text(floor - top))\"><title>\(escaped(bar.hint))</title></rect>\n"
        }
        return frame(body)
    }

    private func frame(_ body: String) -> String {
        var text =
            "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" "
            + "aria-label=\"\(escaped(title))\">\n<text class=\"title\" x=\"\(Int(Self.left))\" "
            + "y=\"16\">\(escaped(title))</text>\n"
        for tick in vertical.ticks {
            text +=
                "<path class=\"grid\" d=\"M\(Self.text(Self.left)) \(Self.text(y(tick)))"
                + "H\(Self.text(Self.width - Self.right))\"/>"
                + "<text class=\"tick end\" x=\"\(Self.text(Self.left - 7))\" "
                + "y=\"\(Self.text(y(tick) + 4))\">\(escaped(verticalLabel(tick)))</text>\n"
        }
        for tick in horizontal.ticks {
            text +=
                "<text class=\"tick middle\" x=\"\(Self.text(x(tick)))\" "
                + "y=\"\(Self.text(Self.height - 8))\">\(escaped(horizontalLabel(tick)))</text>\n"
        }
        return text + body + "</svg>\n"
    }

    private func legend(_ entries: [(name: String, style: String)]) -> String {
        var text = ""
        var end = Self.width - Self.right
        for entry in entries.reversed() {
            // About seven units per character, and the mark.
            let start = end - Double(entry.name.count) * 7 - 22
            text +=
                "<path class=\"line \(entry.style)\" d=\"M\(Self.text(start)) 12h14\"/>"
                + "<text class=\"tick\" x=\"\(Self.text(start + 18))\" y=\"16\">"
                + "\(escaped(entry.name))</text>\n"
            end = start - 12
        }
        return text
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
