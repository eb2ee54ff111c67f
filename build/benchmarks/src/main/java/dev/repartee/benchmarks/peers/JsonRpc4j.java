package dev.repartee.benchmarks.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.googlecode.jsonrpc4j.JsonRpcClient;
import com.googlecode.jsonrpc4j.JsonRpcServer;
import com.googlecode.jsonrpc4j.StreamServer;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Workload;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The stream server of jsonrpc4j and its blocking client, and its servlet. */
public final class JsonRpc4j {
  private static final int THREADS = 64;

  private JsonRpc4j() {}

  /** The served methods. */
  public interface Calls {
    /** Returns the difference of two small numbers. */
    int subtract(int minuend, int subtrahend);

    /** Returns the document, which is bound and written again. */
    Document echo(Document document);
  }

  /** The service, which jsonrpc4j calls by reflection. */
  public static final class Served implements Calls {
    @Override
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Override
    public Document echo(Document document) {
      return document;
    }
  }

  /** Returns the methods without a transport. */
  public static JsonRpcServer methods() {
    return new JsonRpcServer(new ObjectMapper(), new Served(), Calls.class);
  }

  static Address serve(boolean noDelay) throws IOException {
    ServerSocket socket = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress()) {
      @Override
      public Socket accept() throws IOException {
        Socket socket = super.accept();
        socket.setTcpNoDelay(noDelay);
        return socket;
      }
    };
    new StreamServer(methods(), THREADS, socket).start();
    return Address.port(socket.getLocalPort());
  }

  static Connection connect(Address server, Workload workload, boolean noDelay) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setTcpNoDelay(noDelay);
    JsonRpcClient client = new JsonRpcClient(new ObjectMapper());
    if (workload == Workload.SUBTRACT) {
      Object[] operands = {42, 23};
      return Connection.blocking(
          socket, () -> invoke(client, socket, "subtract", operands, Integer.class) == 19);
    }
    Document document = workload.document();
    Object[] params = {document};
    return Connection.blocking(
        socket, () -> document.isAsLongAs(invoke(client, socket, "echo", params, Document.class)));
  }

  private static <T> T invoke(
      JsonRpcClient client, Socket socket, String method, Object[] params, Class<T> type)
      throws IOException {
    try {
      return client.invokeAndReadResponse(
          method, params, type, socket.getOutputStream(), socket.getInputStream());
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  static Address serveOnJetty() throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new Servlet(), "/");
    server.setHandler(context);
    server.start();
    return Address.port(((ServerConnector) server.getConnectors()[0]).getLocalPort());
  }

  /** The servlet of the methods. */
  static final class Servlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient JsonRpcServer methods = methods();

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      methods.handle(request, response);
    }
  }
}
