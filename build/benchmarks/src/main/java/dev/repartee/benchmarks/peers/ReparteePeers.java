package dev.repartee.benchmarks.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.access.Authenticator;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Driver.Connection;
import dev.repartee.benchmarks.load.Tokens;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcLayer;
import dev.repartee.security.Authenticators;
import dev.repartee.security.Jwt;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Servers and clients of Repartee. */
final class ReparteePeers {
  private ReparteePeers() {}

  static Address serve(String uri, Supplier<Service> service, Workload workload)
      throws IOException {
    return workload == Workload.NOTIFY
        ? serveEach(uri, service)
        : Address.at(Repartee.listen(uri, service.get()).endpoint());
  }

  /** Listens with an {@link OpenRpcLayer}, which checks params and results. */
  static Address serveValidated() throws IOException {
    String integer = "{\"type\":\"integer\",\"minimum\":-2147483648,\"maximum\":2147483647}";
    OpenRpc document = OpenRpc.of(Json.parse("{\"openrpc\":\"1.4.1\","
        + "\"info\":{\"title\":\"Inline\",\"version\":\"1\"},\"methods\":[{\"name\":\"subtract\",\"params\":["
        + "{\"name\":\"minuend\",\"required\":true,\"schema\":" + integer + "},"
        + "{\"name\":\"subtrahend\",\"required\":true,\"schema\":" + integer + "}],"
        + "\"result\":{\"name\":\"result\",\"schema\":" + integer + "}}]}"));
    Options options =
        Options.builder().layer(OpenRpcLayer.builder(document).build()).build();
    return Address.at(
        Repartee.listen("tcp://127.0.0.1:0", ReparteeMethods.inline(), options).endpoint());
  }

  /** Listens for callers with {@link Tokens#BEARER}. */
  static Address serveBearer() throws IOException {
    Path file = Files.createTempFile("repartee", ".tokens");
    Files.writeString(file, "load:" + sha256(Tokens.BEARER) + ":user\n");
    return serveGuarded(Authenticators.bearer(file));
  }

  /** Listens for callers with {@link Tokens#jwt}. */
  static Address serveJwt() throws IOException {
    Path file = Files.createTempFile("repartee", ".jwks");
    Files.writeString(file, Tokens.keys());
    return serveGuarded(Authenticators.jwt(
        Jwt.builder().issuer(Tokens.ISSUER).audience(Tokens.AUDIENCE).keys(file).build()));
  }

  private static Address serveGuarded(Authenticator authenticator) throws IOException {
    Options options =
        Options.builder().access(access -> access.authenticator(authenticator)).build();
    return Address.at(Repartee.listen("http://127.0.0.1:0/", ReparteeMethods.inline(), options)
        .endpoint());
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  static Address serveUnix() throws IOException {
    String path = Files.createTempDirectory("repartee").resolve("socket").toString();
    Repartee.listen("unix:" + path, ReparteeMethods.inline());
    return new Address(path);
  }

  /**
   * Listens with a new service for each connection, which keeps the state of one connection.
   */
  static Address serveEach(String uri, Supplier<Service> service) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Address.at(Transport.of(endpoint)
        .listen(
            endpoint, Limits.DEFAULT, channel -> Peer.open(channel, service.get(), Options.DEFAULT))
        .endpoint());
  }

  /**
   * Listens under TLS with a new certificate. The place of the address is the port with the option
   * of clients.
   */
  static Address serveTls(Supplier<Service> service) throws IOException {
    TlsFiles files = TlsFiles.create();
    Address bound = serveEach("tls://127.0.0.1:0" + files.ofServer(), service);
    return new Address(bound.place() + files.ofClient());
  }

  /** Receives the notifications that the server pushes. */
  public static final class Taking {
    private final NotificationCounter notes = new NotificationCounter();

    @Rpc(lane = Lane.INLINE)
    public void note(int minuend, int subtrahend) {
      notes.take();
    }
  }

  static Connection connect(String uri, Workload workload, boolean waits) throws IOException {
    Taking pushed = new Taking();
    Peer peer = Repartee.connect(uri, Service.of(pushed), Options.DEFAULT);
    if (waits) {
      return Connection.blocking(peer::close, () -> peer.call("subtract", int.class, 42, 23) == 19);
    }
    return switch (workload) {
      case SUBTRACT ->
        Connection.of(
            peer::close,
            done -> peer.callAsync("subtract", int.class, 42, 23)
                .whenComplete(done.expecting(difference -> difference == 19)));
      case NOTIFY ->
        Connection.of(peer::close, done -> {
          for (int i = 0; i < Workload.NOTIFICATIONS; i++) {
            peer.notify("note", 42, 23);
          }
          peer.callAsync("noted", int.class).whenComplete(done.expecting(noted -> true));
        });
      case PUSH ->
        Connection.of(
            peer::close,
            done -> peer.callAsync("push", int.class, Workload.NOTIFICATIONS)
                .thenApply(count -> pushed.notes.taken())
                .whenComplete(done.expecting(taken -> true)));
      default -> {
        Document document = workload.document();
        yield Connection.of(
            peer::close,
            done -> peer.callAsync("echo", Document.class, document)
                .whenComplete(done.expecting(document::isAsLongAs)));
      }
    };
  }
}
