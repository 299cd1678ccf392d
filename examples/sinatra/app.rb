require "sinatra/base"

class App < Sinatra::Base
  get("/") { "Hello from Sinatra\n" }
end
