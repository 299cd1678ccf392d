version = "1.0.0"
author = "example"
description = "Says hello"
license = "MIT"
srcDir = "src"
bin = @["greeter"]

requires "nim >= 2.0.0"
