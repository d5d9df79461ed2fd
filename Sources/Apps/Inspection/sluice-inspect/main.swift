// `sluice-inspect`: the server starts it for each uploaded file (``Inspection``).

import Inspecting

Inspection.run(CommandLine.arguments)
