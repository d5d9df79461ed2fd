/// What is done with the elements of an XML file.
protocol XMLHandler: AnyObject {
    /// - Parameters:
    ///   - name: without the prefix of a namespace.
    ///   - line: where the element begins.
    func begin(_ name: String, _ attributes: XMLAttributes, line: Int) throws
    func end(_ name: String) throws
    /// A part of the text in an element; in UTF-8.
    func add(_ text: UnsafeRawBufferPointer) throws
}
