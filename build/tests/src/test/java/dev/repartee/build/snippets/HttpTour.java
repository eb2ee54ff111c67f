package dev.repartee.build.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.*;
import dev.repartee.access.Authenticator;
import dev.repartee.mcp.McpServer;
import dev.repartee.message.Dialect;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The code of docs/http.md. */
final class HttpTour {
  private HttpTour() {}

  static Server serve(
      String uri, Service first, Service second, Service admin, Options guarded, McpServer mcp)
      throws IOException {
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health")
        .at("/v1", first)
        .at("/v2", second)
        .at("/admin", admin, guarded)
        .at("/mcp", mcp.peers())
        .build();
    return Repartee.listen(uri, routes);
  }

  static Options known(Authenticator tokens) {
    Options options = Options.builder()
        .access(access -> access
            .authenticator(tokens)
            .allow("admin", "*")
            .allow("user", "price", "order*")
            .deny("internal*"))
        .build();
    return options;
  }

  record Bearer(String token) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      if (!isRight(call.header("Authorization"))) {
        call.responseHeader("WWW-Authenticate", "Bearer");
        throw new RpcException(401, "Unauthorized");
      }
      return next.handle(call);
    }

    private boolean isRight(@Nullable String given) {
      byte[] expected = ("Bearer " + token).getBytes(UTF_8);
      return given != null && MessageDigest.isEqual(given.getBytes(UTF_8), expected);
    }
  }

  record CallsPerAddress(int most, Map<InetAddress, Integer> calls) implements Layer {
    @Override
    public @Nullable Object handle(Call call, Handler next) throws Exception {
      InetSocketAddress remote = call.attributes().get(Channel.REMOTE_ADDRESS);
      if (remote != null && calls.merge(remote.getAddress(), 1, Integer::sum) > most) {
        call.responseHeader("Retry-After", "60");
        throw new RpcException(429, "Too many calls");
      }
      return next.handle(call);
    }
  }

  static Options guarded(String token) {
    Options guarded = Options.builder()
        .dialect(Dialect.withHttpStatuses(401, 429))
        .layer(new CallsPerAddress(100, new ConcurrentHashMap<>()))
        .layer(new Bearer(token))
        .build();
    return guarded;
  }

  record Tickets(String valid) implements HttpFilter {
    @Override
    public @Nullable HttpResponse filter(HttpRequest request) {
      if (request.path().equals("/version")) {
        return HttpResponse.json(200, "{\"version\":\"1.2\"}");
      }
      if (valid.equals(request.parameter("ticket"))) {
        return null; // to be served
      }
      return HttpResponse.text(403, "This ticket is not valid.");
    }
  }

  static Server serve(String uri, Service service) throws IOException {
    HttpRoutes routes =
        HttpRoutes.builder().filter(new Tickets("t1")).at("/rpc", service).build();
    return Repartee.listen(uri, routes);
  }

  static Service whoami() {
    return Service.builder()
        .method("whoami", call -> {
          List<X509Certificate> chain = call.attributes().get(Channel.PEER_CERTIFICATES);
          String room = HttpRequest.parameter(call.attributes().get(HttpRequest.QUERY), "room");
          String name =
              chain == null ? "nobody" : chain.get(0).getSubjectX500Principal().getName();
          return name + " in " + room;
        })
        .build();
  }
}
