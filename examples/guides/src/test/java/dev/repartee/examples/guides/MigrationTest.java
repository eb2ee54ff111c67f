package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.googlecode.jsonrpc4j.JsonRpcClientException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lets the programs before and after each migration call each other. */
@Timeout(60)
class MigrationTest {
  /** LSP4J logs each closed connection at length. Referenced, since the JDK holds loggers weakly. */
  private static final Logger LSP4J = Logger.getLogger("org.eclipse.lsp4j.jsonrpc");

  static {
    LSP4J.setLevel(Level.OFF);
  }

  private final BlockingQueue<Integer> percents = new LinkedBlockingQueue<>();

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void lsp4jAndRepartee(boolean serverMigrated, boolean clientMigrated) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(listening.getInetAddress(), listening.getLocalPort());
        Socket server = listening.accept()) {
      if (serverMigrated) {
        AfterLsp4j.serve(server.getInputStream(), server.getOutputStream());
      } else {
        Thread serving = new Thread(() -> {
          try {
            WithLsp4j.serve(server.getInputStream(), server.getOutputStream());
          } catch (Exception e) {
            // The test has closed the socket.
          }
        });
        serving.setDaemon(true);
        serving.start();
      }
      assertThat(clientMigrated ? callAfter(client) : callBefore(client)).isEqualTo("app.jar");
      assertThat(percents.poll(30, TimeUnit.SECONDS)).isEqualTo(50);
    }
  }

  private String callBefore(Socket socket) throws Exception {
    return WithLsp4j.call(
        socket.getInputStream(),
        socket.getOutputStream(),
        progress -> percents.add(progress.percent()));
  }

  private String callAfter(Socket socket) throws Exception {
    Service client = Service.builder()
        .method("build/progress", AfterLsp4j.Progress.class, Json.class, (progress, call) -> {
          percents.add(progress.percent());
          return Json.NULL;
        })
        .build();
    return AfterLsp4j.call(socket.getInputStream(), socket.getOutputStream(), client);
  }

  @Test
  void jsonrpc4jAndRepartee() throws Exception {
    org.eclipse.jetty.server.Server jetty =
        new org.eclipse.jetty.server.Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new WithJsonrpc4j.UserServlet(), "/users");
    jetty.setHandler(context);
    jetty.start();
    try (Server after = AfterJsonrpc4j.serve("http://127.0.0.1:0/users")) {
      String before = jetty.getURI().resolve("/users").toString();
      int i = 0;
      for (String uri : new String[] {before, after.endpoint().toString()}) {
        String old = "old" + i++;
        WithJsonrpc4j.UserService oldClient = WithJsonrpc4j.client(uri);
        assertThat(oldClient.create(old, 3)).isEqualTo("created " + old);
        assertThatThrownBy(() -> oldClient.create(old, 3))
            .isInstanceOf(
                uri.equals(before)
                    ? WithJsonrpc4j.UserExists.class // by the name of the class in the answer
                    : JsonRpcClientException.class)
            .hasMessage(old + " exists");
        String fresh = "new" + i++;
        AfterJsonrpc4j.UserService newClient = AfterJsonrpc4j.client(uri);
        assertThat(newClient.create(fresh, 3)).isEqualTo("created " + fresh);
        assertThatExceptionOfType(AfterJsonrpc4j.UserExists.class)
            .isThrownBy(() -> newClient.create(fresh, 3))
            .withMessage(fresh + " exists");
      }
    } finally {
      jetty.stop();
    }
  }
}
