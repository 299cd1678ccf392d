local socket = require("socket")

local server = assert(socket.bind("0.0.0.0", tonumber(os.getenv("PORT") or "8080")))
while true do
  local client = server:accept()
  client:receive()
  client:send("HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\nHello from Lua\n")
  client:close()
end
