package dev.repartee.benchmarks.brokers;

import dev.repartee.benchmarks.process.Child;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.Replies;
import dev.repartee.broker.server.BrokerServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * A process with the proxy of ZeroMQ: for each service a ROUTER for the clients, and a DEALER that
 * connects to the workers.
 */
final class ZmqProxy implements BrokerServer {
  /** The most workers of a service. */
  private static final int WORKERS = 4;

  /**
   * The maximum milliseconds to the greeting of a worker: JeroMQ sometimes opens a connection and never
   * writes to it (its issue 1022).
   */
  static final int GREETING_MILLIS = 500;

  private static final int LONGEST_PAUSE_MILLIS = 400;

  /** The ports of each service: first the port for clients, then the ports of its workers. */
  private final Map<String, List<Integer>> services = new LinkedHashMap<>();

  private final Path log = Files.createTempFile("proxy", ".log");
  private @Nullable Child process;

  private ZmqProxy() throws IOException {}

  /** Starts a proxy. */
  static ZmqProxy launch() throws IOException {
    ZmqProxy proxy = new ZmqProxy();
    proxy.start();
    return proxy;
  }

  @Override
  public synchronized void start() throws IOException {
    List<String> options = List.of("-Xmx256m", "-XX:+UseSerialGC");
    process = new Child(Jvm.own().unpinned(options, ZmqProxy.class), log);
    for (List<Integer> ports : services.values()) {
      forward(ports);
    }
  }

  private void forward(List<Integer> ports) throws IOException {
    Child to = process;
    if (to != null) {
      to.ask(ports.stream().map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }

  /** Returns the ports of a service; a new one is proxied immediately. */
  private synchronized List<Integer> ports(String service) {
    List<Integer> ports = services.get(service);
    if (ports == null) {
      try {
        ports = freePorts();
        services.put(service, ports);
        forward(ports);
      } catch (IOException e) {
        throw new IllegalStateException("the proxy cannot serve " + service, e);
      }
    }
    return ports;
  }

  private static List<Integer> freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i <= WORKERS; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  @Override
  public String uri(String service) {
    return "zmq+tcp://127.0.0.1:" + ports(service).get(0);
  }

  @Override
  public String uri(String service, int worker) {
    return "zmq+tcp://127.0.0.1:" + ports(service).get(1 + worker);
  }

  @Override
  public int port() {
    throw new UnsupportedOperationException("each service has its own port");
  }

  @Override
  public synchronized void kill() {
    Child running = process;
    process = null;
    if (running != null) {
      running.kill();
    }
  }

  @Override
  public synchronized void signal(String name) throws IOException, InterruptedException {
    Child running = process;
    if (running != null) {
      new ProcessBuilder("kill", "-" + name, String.valueOf(running.pid()))
          .start()
          .waitFor();
    }
  }

  @Override
  public void close() throws IOException {
    kill();
    Files.deleteIfExists(log);
  }

  // ---------------------------------------------------------------- in the process

  /**
   * Proxies a service for each line of the standard input, which has the port of its clients and
   * the port of its workers; ends with it.
   */
  public static void main(String[] args) {
    ZMQ.Context context = ZMQ.context(1);
    Replies.serve(ports -> {
      CompletableFuture<String> ready = new CompletableFuture<>();
      new Thread(() -> proxy(context, ports, ready), "proxy").start();
      return ready.join();
    });
  }

  private static void proxy(ZMQ.Context context, String[] ports, CompletableFuture<String> ready) {
    try {
      ZMQ.Socket front = context.socket(SocketType.ROUTER);
      ZMQ.Socket back = context.socket(SocketType.DEALER);
      back.setImmediate(false); // queues nothing for absent workers; otherwise libzmq would queue
      back.setHandshakeIvl(GREETING_MILLIS);
      back.setReconnectIVLMax(LONGEST_PAUSE_MILLIS);
      for (int i = 1; i < ports.length; i++) {
        back.connect("tcp://127.0.0.1:" + ports[i]);
      }
      front.bind("tcp://127.0.0.1:" + ports[0]);
      ready.complete("ready");
      ZMQ.proxy(front, back, null);
    } catch (RuntimeException e) {
      ready.completeExceptionally(e);
    }
  }
}
