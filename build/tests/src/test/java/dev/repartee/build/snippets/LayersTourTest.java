package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of docs/layers.md. */
@Timeout(60)
class LayersTourTest {
  private static final Map<String, Set<String>> ROLES =
      Map.of("Bearer ann", Set.of("customer"), "Bearer bob", Set.of("clerk"));

  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  private HttpResponse<String> post(Server server, String user, String method, String params)
      throws Exception {
    String call =
        "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":1}";
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create(server.endpoint().toString()))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(call));
    if (!user.isEmpty()) {
      request.header("Authorization", "Bearer " + user);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private int status(Server server, String user, String method, String params) throws Exception {
    return post(server, user, method, params).statusCode();
  }

  @Test
  void theShopOfTheGuideServesEachRoleItsMethods() throws Exception {
    try (ValidatorFactory factory = Validation.byDefaultProvider()
            .configure()
            .messageInterpolator(new ParameterMessageInterpolator())
            .buildValidatorFactory();
        Server server = Repartee.listen(
            "http://127.0.0.1:0/",
            Service.of(new LayersTour.Shop()),
            LayersTour.options(counts, ROLES::get, factory))) {
      String order = "[{\"item\":\"tea\",\"size\":2}]";
      assertThat(post(server, "ann", "place", order).body()).contains("\"result\":2");
      assertThat(status(server, "bob", "place", order)).isEqualTo(200);
      assertThat(post(server, "bob", "price", "[\"coffee\"]").body()).contains("\"result\":3");

      HttpResponse<String> forbidden = post(server, "ann", "price", "[\"coffee\"]");
      assertThat(forbidden.statusCode()).isEqualTo(403);
      assertThat(forbidden.body()).contains("\"code\":403,\"message\":\"Forbidden\"");
      assertThat(status(server, "ann", "rpc.ping", "[]")).isEqualTo(403);
      HttpResponse<String> stranger = post(server, "", "place", order);
      assertThat(stranger.statusCode()).isEqualTo(401);
      assertThat(stranger.headers().firstValue("www-authenticate")).hasValue("Bearer");

      assertThat(post(server, "ann", "place", "[{\"item\":\"tea\",\"size\":0}]").body())
          .contains("-32602", "{\"path\":\"order.size\",\"message\":\"must be greater than 0\"}");
      assertThat(post(server, "bob", "price", "[\"tea\"]").body()).contains("-32603");
      assertThat(counts.get("place.ok")).hasToString("2");
      assertThat(counts.get("place.failed")).hasToString("2");
      assertThat(counts.get("price.failed")).hasToString("2");
      assertThat(counts.get("price.micros").sum()).isPositive();
    }
  }

  @Test
  void theLayersOfTheGuideSeeBeginAndEnd() throws Exception {
    List<String> log = new CopyOnWriteArrayList<>();
    Service service = Service.builder().method("m", call -> 1).build();
    try (Server server = Repartee.listen("mem:audited", service, LayersTour.audited(log));
        Peer client = Repartee.connect(server.endpoint())) {
      client.call("m", int.class);
      assertThat(log).containsExactly("begin m", "end m null");
    }
  }

  @Test
  void theRetryOfTheGuideRepeatsBusyCallsWithTheirToken() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Service service = Service.builder()
        .method("m", call -> {
          if (calls.incrementAndGet() < 3) {
            throw new RpcException(-32000, "Busy");
          }
          return call.params();
        })
        .build();
    Options options = Options.builder()
        .callLayer(new LayersTour.Retry(2))
        .callLayer(new LayersTour.Token("t"))
        .build();
    try (Server server = Repartee.listen("mem:retried", service);
        Peer client = Repartee.connect(server.endpoint(), options)) {
      Json answer = client.call("m", Json.class, 1);
      assertThat(answer.get("token")).isEqualTo(Json.of("t"));
      assertThat(answer.get("params")).hasToString("[1]");
      assertThat(calls).hasValue(3);
    }
  }
}
