package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.oauth2.sdk.util.URLUtils;
import dev.repartee.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * A browser that is redirected to a listener on 127.0.0.1. Only a request with the state of the
 * opened page ends the wait; no other page and no other program can end it. A connection has five
 * seconds to send its request, and sixteen are served at the same time.
 */
final class LoopbackBrowser implements Browser {
  private static final String PATH = "/callback";
  private static final int REQUEST = 16 << 10;
  private static final int PATIENCE_MILLIS = 5_000;
  private static final int BACKLOG = 16;

  private final int port;
  private final Consumer<URI> opener;

  /** The port of the last listener. With the same redirect URI, a registration can be reused. */
  private volatile int last;

  /**
   * Creates a browser.
   *
   * @param port the port of the listener; 0 for a free port
   */
  LoopbackBrowser(int port, Consumer<URI> opener) {
    this.port = port;
    this.last = port;
    this.opener = opener;
  }

  @Override
  public Visit visit() throws IOException {
    InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    ServerSocket socket;
    try {
      socket = new ServerSocket(last, BACKLOG, address);
    } catch (BindException e) {
      if (port != 0) {
        throw new IOException("the port " + port + " of 127.0.0.1 is in use", e);
      }
      socket = new ServerSocket(0, BACKLOG, address);
    }
    last = socket.getLocalPort();
    return new Listener(socket);
  }

  private final class Listener implements Visit {
    private final ServerSocket socket;
    private final CompletableFuture<URI> back = new CompletableFuture<>();
    private final Semaphore connections = new Semaphore(BACKLOG);

    Listener(ServerSocket socket) {
      this.socket = socket;
    }

    @Override
    public URI redirect() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort() + PATH);
    }

    @Override
    public CompletionStage<URI> open(URI page) {
      List<String> states = URLUtils.parseParameters(page.getRawQuery()).get("state");
      if (states == null || states.size() != 1) {
        throw new IllegalArgumentException("the page has no parameter 'state'");
      }
      start(() -> listen(states.get(0)));
      opener.accept(page);
      return back;
    }

    private void listen(String state) {
      while (!back.isDone()) {
        try {
          Socket connection = socket.accept();
          // Browsers also open connections without a request. They must not delay the connection
          // with the request.
          connections.acquire();
          start(() -> serve(connection, state));
        } catch (IOException e) {
          if (socket.isClosed()) {
            return;
          } // otherwise a broken connection, not the listener
        } catch (InterruptedException e) {
          return;
        }
      }
    }

    private void start(Runnable task) {
      Threads.start("repartee-mcp-oauth-redirect", task);
    }

    private void serve(Socket connection, String state) {
      try (connection) {
        connection.setSoTimeout(PATIENCE_MILLIS);
        answer(connection, state);
      } catch (IOException e) {
        // a broken connection
      } finally {
        connections.release();
      }
    }

    private void answer(Socket connection, String state) throws IOException {
      String target = target(connection.getInputStream());
      int query = target.indexOf('?');
      String path = query < 0 ? target : target.substring(0, query);
      if (!path.equals(PATH)) {
        send(connection, "404 Not Found", "There is nothing here.");
        return;
      }
      List<String> states =
          URLUtils.parseParameters(query < 0 ? "" : target.substring(query + 1)).get("state");
      if (back.isDone() // a connection that the system accepted while the listener was closed
          || states == null
          || states.size() != 1
          || !isSame(states.get(0), state)) {
        send(connection, "400 Bad Request", "This page does not belong to a running login.");
        return;
      }
      URI uri;
      try {
        uri = redirect().resolve(target);
      } catch (IllegalArgumentException e) {
        send(connection, "400 Bad Request", "This address is invalid.");
        return;
      }
      try {
        send(connection, "200 OK", "The application has the answer. You can close this page.");
      } finally {
        back.complete(uri);
      }
    }

    /** Compares in constant time. */
    private static boolean isSame(String a, String b) {
      return MessageDigest.isEqual(a.getBytes(UTF_8), b.getBytes(UTF_8));
    }

    /** Reads the head of a request and returns its target; empty if it is not a GET. */
    private static String target(InputStream in) throws IOException {
      long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        byte[] some = new byte[1024];
        int size = in.read(some);
        if (size < 0 || head.length() + size > REQUEST || System.nanoTime() > end) {
          throw new IOException("no request");
        }
        head.append(new String(some, 0, size, ISO_8859_1));
      }
      String[] line = head.substring(0, head.indexOf("\r\n")).split(" ");
      return line.length == 3 && line[0].equals("GET") && line[1].startsWith("/") ? line[1] : "";
    }

    private void send(Socket connection, String status, String text) throws IOException {
      byte[] page = ("<!doctype html><meta charset=utf-8><title>Login</title><p>" + text + "\n")
          .getBytes(UTF_8);
      String head = "HTTP/1.1 " + status + "\r\n"
          + "Content-Type: text/html; charset=utf-8\r\n"
          + "Content-Length: " + page.length + "\r\n"
          + "Content-Security-Policy: default-src 'none'\r\n"
          + "Referrer-Policy: no-referrer\r\n"
          + "X-Content-Type-Options: nosniff\r\n"
          + "Cache-Control: no-store\r\n"
          + "Connection: close\r\n\r\n";
      connection.getOutputStream().write(head.getBytes(ISO_8859_1));
      connection.getOutputStream().write(page);
      connection.getOutputStream().flush();
    }

    @Override
    public void close() {
      back.cancel(false);
      try {
        socket.close();
      } catch (IOException e) {
        // it no longer listens
      }
    }
  }
}
