package dev.repartee.benchmarks.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.googlecode.jsonrpc4j.JsonRpcServer;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The servlet of jsonrpc4j on Jetty, called by the load generator. */
public final class JsonRpc4jServlet implements Contestant {
  @Override
  public String name() {
    return "jsonrpc4j-jetty";
  }

  @Override
  public String about() {
    return "jsonrpc4j's servlet on Jetty 12.1, HTTP/1.1, Jackson 2";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT && shape.inFlight() == 1;
  }

  @Override
  public String limit() {
    return "raw-http";
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.HTTP);
  }

  @Override
  public Address serve(Workload workload) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new Calls(), "/");
    server.setHandler(context);
    server.start();
    return Address.port(((ServerConnector) server.getConnectors()[0]).getLocalPort());
  }

  private static final class Calls extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient JsonRpcServer methods =
        new JsonRpcServer(new ObjectMapper(), new JsonRpc4j.Served(), JsonRpc4j.Calls.class);

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      methods.handle(request, response);
    }
  }
}
