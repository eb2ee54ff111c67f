import io.helidon.json.JsonNumber;
import io.helidon.jsonrpc.core.JsonRpcParams;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.jsonrpc.JsonRpcRouting;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What the benchmarks serve, on Helidon: {@code java HelidonServer.java TCP_NODELAY}. Prints its port,
 * and ends with its standard input. Not a part of the module, since Helidon needs a newer JDK.
 */
final class HelidonServer {
  /** It reports each closed connection at length. Kept, since loggers nobody keeps forget. */
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
