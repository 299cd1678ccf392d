require "http/server"

server = HTTP::Server.new { |context| context.response.print "Hello from Crystal\n" }
server.bind_tcp "0.0.0.0", ENV.fetch("PORT", "3000").to_i
server.listen
