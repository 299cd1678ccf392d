require "webrick"

server = WEBrick::HTTPServer.new(Port: ENV.fetch("PORT", "3000").to_i)
server.mount_proc("/") { |_, response| response.body = "Hello from Ruby\n" }
server.start
