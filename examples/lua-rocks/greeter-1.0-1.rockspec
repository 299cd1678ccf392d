package = "greeter"
version = "1.0-1"
source = { url = "." }
dependencies = { "luasocket" }
build = { type = "none" }
