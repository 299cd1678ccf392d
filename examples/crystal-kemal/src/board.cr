require "kemal"

get("/") { "Hello from Kemal\n" }
Kemal.run ENV.fetch("PORT", "3000").to_i
