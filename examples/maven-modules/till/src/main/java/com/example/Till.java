package com.example;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Till {
  public static void main(String[] args) throws Exception {
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try (var body = exchange.getResponseBody()) {
        body.write("Hello from Java\n".getBytes());
      }
    });
    server.start();
  }
}
