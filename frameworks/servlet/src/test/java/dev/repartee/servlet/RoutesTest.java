package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The services of several paths. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class RoutesTest extends ServletFixture {
  @Test
  void routesHaveTheirPathsAndAHealthCheck() throws Exception {
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health")
        .filter(request -> request.path().equals("/shut") ? HttpResponse.empty(401) : null)
        .at("/rpc", Service.of(methods))
        .at("/shut", Service.of(methods))
        .at("/page", (request, reply) -> reply.answer(200, Map.of(), request.body()))
        .build();
    start(new RpcServlet(routes, Options.DEFAULT));
    try (RawConnection raw = raw()) {
      assertThat(raw.send(post(SUBTRACT).replace("POST / ", "POST /rpc ")).answer())
          .endsWith(result("19"));
      assertThat(raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").answer())
          .endsWith("{\"status\":\"ok\"}");
      assertThat(raw.send(post("[]").replace("POST / ", "POST /page ")).answer())
          .endsWith("[]");
      assertThat(raw.send(post("").replace("POST / ", "POST /shut ")).answer())
          .startsWith("HTTP/1.1 401");
      assertThat(raw.send(post("").replace("POST / ", "POST /none ")).answer())
          .startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void theContextPathMayBeEncodedInSeveralWays() throws Exception {
    HttpRoutes routes = HttpRoutes.builder().at("/rpc", Service.of(methods)).build();
    RpcServlet rpc = new RpcServlet(routes, Options.DEFAULT);
    container = kind.start(
        new Container.Settings("/my app", null, null),
        context -> context.addServlet("rpc", rpc).addMapping("/*"));
    for (String path : new String[] {"/my%20app/rpc", "/%6dy%20app/rpc"}) {
      try (RawConnection raw = raw()) {
        assertThat(raw.send(post(SUBTRACT).replace("POST / ", "POST " + path + " "))
                .answer())
            .endsWith(result("19"));
      }
    }
  }

  /** A service whose metadata has a further path, and which serves all other paths in the same way. */
  private static final PeerFactory WITH_METADATA = new PeerFactory() {
    @Override
    public Peer open(Channel channel) {
      throw new IllegalStateException("only HTTP is served here");
    }

    @Override
    public HttpService http(String path) {
      return new HttpService() {
        @Override
        public Set<String> furtherPaths() {
          return Set.of("/.well-known/card");
        }

        @Override
        public void serve(HttpRequest request, HttpReply reply) {
          reply.answer(200, Map.of(), request.path().getBytes(UTF_8));
        }
      };
    }
  };

  /** A container decodes the path behind the mapping of a servlet. */
  @Test
  void anEncodedQuestionMarkOpensNoPath() throws Exception {
    Options options = Options.builder()
        .access(
            access -> access.authenticator(credentials -> CompletableFuture.completedStage(null)))
        .build();
    start(new RpcServlet(WITH_METADATA, options));
    assertThat(get("/.well-known/card")).startsWith("HTTP/1.1 200");
    assertThat(get("/.well-known/card?a=b")).startsWith("HTTP/1.1 200");
    assertThat(get("/.well-known/card%3Fa=b")).startsWith("HTTP/1.1 401");
    assertThat(get("/.well-known/card%3F/../../x")).doesNotStartWith("HTTP/1.1 200");
    assertThat(get("/")).startsWith("HTTP/1.1 401");
  }

  private String get(String target) throws Exception {
    try (RawConnection raw = raw()) {
      return raw.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n").answer();
    }
  }
}
