package com.example

import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing

fun main() {
  val port = System.getenv("PORT")?.toInt() ?: 8080
  embeddedServer(Netty, port) { routing { get("/") { call.respondText("Hello from Ktor\n") } } }.start(wait = true)
}
