import com.sun.net.httpserver.HttpServer
import java.net.InetSocketAddress

fun main() {
  val port = System.getenv("PORT")?.toInt() ?: 8080
  HttpServer.create(InetSocketAddress(port), 0).start()
}
