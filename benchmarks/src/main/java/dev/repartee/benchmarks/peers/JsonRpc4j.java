package dev.repartee.benchmarks.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.googlecode.jsonrpc4j.JsonRpcClient;
import com.googlecode.jsonrpc4j.JsonRpcServer;
import com.googlecode.jsonrpc4j.StreamServer;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Driver.Done;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The stream server of jsonrpc4j and its blocking client. */
public final class JsonRpc4j implements Contestant {
  private static final int THREADS = 64;

  private final boolean noDelay;

  /** With {@code noDelay} the recommended setup, otherwise the defaults. */
  public JsonRpc4j(boolean noDelay) {
    this.noDelay = noDelay;
  }

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

  @Override
  public String name() {
    return noDelay ? "jsonrpc4j-nodelay" : "jsonrpc4j";
  }

  @Override
  public String about() {
    return "jsonrpc4j's stream server and client, blocking, Jackson 2"
        + (noDelay ? ", with TCP_NODELAY" : ", with its defaults");
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return shape.inFlight() == 1
        && (workload == Workload.SUBTRACT || noDelay && workload.isTyped());
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public Address serve(Workload workload) throws IOException {
    ServerSocket socket = new Accepting();
    JsonRpcServer methods = new JsonRpcServer(new ObjectMapper(), new Served(), Calls.class);
    new StreamServer(methods, THREADS, socket).start();
    return Address.port(socket.getLocalPort());
  }

  private final class Accepting extends ServerSocket {
    Accepting() throws IOException {
      super(0, 1_024, InetAddress.getLoopbackAddress());
    }

    @Override
    public Socket accept() throws IOException {
      Socket socket = super.accept();
      socket.setTcpNoDelay(noDelay);
      return socket;
    }
  }

  @Override
  public LoadClient client() {
    return new Driver(this::connect);
  }

  private Connection connect(Address server, Workload workload) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setTcpNoDelay(noDelay);
    JsonRpcClient client = new JsonRpcClient(new ObjectMapper());
    return workload == Workload.SUBTRACT
        ? new Subtract(socket, client)
        : new Echo(socket, client, workload.document());
  }

  private record Subtract(Socket socket, JsonRpcClient client) implements Connection {
    @Override
    public boolean blocks() {
      return true;
    }

    @Override
    public void call(Done done) throws Exception {
      done.done(invoke(client, socket, "subtract", new Object[] {42, 23}, Integer.class) == 19);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private record Echo(Socket socket, JsonRpcClient client, Document document)
      implements Connection {
    @Override
    public boolean blocks() {
      return true;
    }

    @Override
    public void call(Done done) throws Exception {
      Document answer = invoke(client, socket, "echo", new Object[] {document}, Document.class);
      done.done(answer.items().size() == document.items().size());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
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
}
