import io.helidon.json.JsonNumber;
import io.helidon.jsonrpc.core.JsonRpcParams;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.jsonrpc.JsonRpcRouting;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The Helidon server of the benchmarks: {@code java HelidonServer.java TCP_NODELAY}. Prints its
 * port, and ends with its standard input. It is not part of the module, since Helidon needs a newer
 * JDK.
 */
final class HelidonServer {
  /**
   * Helidon logs each closed connection at length. Referenced, since the JDK holds loggers weakly.
   */
  private static final Logger LOGGER = Logger.getLogger("io.helidon");

  private HelidonServer() {}

  public static void main(String[] args) throws IOException {
    LOGGER.setLevel(Level.OFF);
    boolean noDelay = Boolean.parseBoolean(args[0]);
    JsonRpcRouting methods = JsonRpcRouting.builder()
        .register("/", "subtract", (request, response) -> {
          JsonRpcParams params = request.params();
          int minuend = params.get(0).asNumber().intValue();
          int subtrahend = params.get(1).asNumber().intValue();
          response.result(JsonNumber.create(minuend - subtrahend)).send();
        })
        .build();
    WebServer server = WebServer.builder()
        .host("127.0.0.1")
        .port(0)
        .connectionOptions(options -> {
          if (noDelay) {
            options.tcpNoDelay(true);
          }
        })
        .routing(routing -> routing.register("/", methods))
        .build()
        .start();
    System.out.println(server.port());
    System.in.readAllBytes();
    System.exit(0);
  }
}
