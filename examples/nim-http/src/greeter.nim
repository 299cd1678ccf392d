import std/[asynchttpserver, asyncdispatch, os, strutils]

proc answer(request: Request) {.async.} =
  await request.respond(Http200, "Hello from Nim\n")

waitFor newAsyncHttpServer().serve(Port(parseInt(getEnv("PORT", "8080"))), answer)
