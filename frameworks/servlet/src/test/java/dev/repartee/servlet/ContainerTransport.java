package dev.repartee.servlet;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Listens with a servlet in a container, and connects as repartee-netty does.
 *
 * @param kind the kind of the container
 */
record ContainerTransport(Container.Kind kind) implements Transport {
  private static final Endpoint CLIENT = Endpoint.parse("ws://127.0.0.1/");

  @Override
  public Set<String> schemes() {
    return Set.of("ws");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    return Transport.of(CLIENT).connect(endpoint, limits, headers);
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    ServletTransport transport = new ServletTransport();
    transport.listen(Endpoint.parse("servlet:"), limits, acceptor);
    Container container;
    try {
      container = kind.start(Container.Settings.DEFAULT, context -> {
        ServletRegistration.Dynamic added =
            context.addServlet("rpc", new Plain(transport.listening()));
        added.addMapping("/");
        added.setAsyncSupported(true);
      });
    } catch (Exception e) {
      throw new IOException(e);
    }
    return new Listening() {
      @Override
      public Endpoint endpoint() {
        return Endpoint.parse("ws://127.0.0.1:" + container.port() + "/");
      }

      @Override
      public CompletionStage<?> finish(Duration limit) {
        CompletionStage<?> finished = transport.listening().finish(limit);
        close();
        return finished;
      }

      @Override
      public void close() {
        try {
          container.close();
        } catch (Exception e) {
          throw new UncheckedIOException(new IOException(e));
        }
      }
    };
  }

  private static final class Plain extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient ServletListening listening;

    Plain(ServletListening listening) {
      this.listening = listening;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      listening.serve(request, response, asked -> Attributes.NONE, Set.of());
    }
  }
}
