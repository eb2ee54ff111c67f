package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.Allow;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.stream.Streamed;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionsTest {
  private static final ChannelInfo CHANNEL = new ChannelInfo("test", "", "message");
  private static final Principal USER = principal("user");
  private static final Principal ADMIN = principal("admin");

  private final List<AccessDecision> decisions = new ArrayList<>();
  private final List<String> handled = new ArrayList<>();

  private static Principal principal(String role, String... scopes) {
    return new Principal("a " + role, Set.of(role), Set.of(scopes), "test");
  }

  @Allow
  public static class Shop {
    @Rpc
    public int price(String item) {
      return item.length();
    }

    @Rpc(lane = Lane.INLINE)
    @Allow("admin")
    public int setPrice(int price) {
      return price;
    }

    @Rpc
    @Allow(
        value = {"clerk", "user"},
        scopes = {"read", "write"})
    public String stock(Call call) {
      return String.valueOf(call.principal());
    }
  }

  interface Events {
    @Rpc(notification = true)
    void priceChanged(String item);

    @Rpc(notification = true)
    void orderPlaced(String item);
  }

  private final Service plain = Service.builder()
      .method("price", call -> handled.add("price"))
      .method("order.place", call -> handled.add("order.place"))
      .method("internal", Lane.INLINE, call -> handled.add("internal"))
      .sends(Events.class)
      .build();

  private String answer(Service service, Options options, @Nullable Principal caller, String frame)
      throws InterruptedException {
    Attributes attributes = caller == null ? Attributes.NONE : Attributes.of(Principal.KEY, caller);
    byte[] answer = FrameResponder.of(service, options, CHANNEL)
        .of(CHANNEL, attributes)
        .respond(frame.getBytes(UTF_8));
    return answer == null ? "" : new String(answer, UTF_8);
  }

  private static String call(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":1}";
  }

  private static Options rules() {
    return Options.builder()
        .access(access -> access
            .allow("admin", "*")
            .allow("user", "price", "order.*", "unknown*")
            .deny("internal*"))
        .build();
  }

  // ---------------------------------------------------------------- annotations

  @ParameterizedTest
  @CsvSource({
    "price, '[\"ab\"]', , 401",
    "price, '[\"ab\"]', user, 2",
    "setPrice, '[3]', , 401",
    "setPrice, '[3]', user, 403",
    "setPrice, '[3]', admin, 3",
    "stock, '[]', admin, 403",
    "stock, '[]', user, 403",
  })
  void anAnnotationRestrictsTheCallers(
      String method, String params, @Nullable String role, int expected) throws Exception {
    String answer = answer(
        Service.of(new Shop()),
        Options.DEFAULT,
        role == null ? null : principal(role),
        call(method, params));
    assertThat(answer).contains(expected < 400 ? "\"result\":" + expected : "\"code\":" + expected);
  }

  @Test
  void allScopesAreNeeded() throws Exception {
    Service shop = Service.of(new Shop());
    String call = call("stock", "[]");
    assertThat(answer(shop, Options.DEFAULT, principal("user", "read"), call)).contains("403");
    assertThat(answer(shop, Options.DEFAULT, principal("user", "read", "write"), call))
        .contains("a user");
    assertThat(answer(shop, Options.DEFAULT, principal("x", "read", "write"), call))
        .contains("403");
  }

  // ---------------------------------------------------------------- rules

  @ParameterizedTest
  @CsvSource({
    "price, user, true",
    "order.place, user, true",
    "internal, admin, false",
    "internal, user, false",
    "rpc.ping, user, true",
    "rpc.status, user, false",
    "rpc.status, admin, true",
  })
  void rulesNameMethodsByRole(String method, String role, boolean allowed) throws Exception {
    String answer = answer(plain, rules(), principal(role), call(method, "[]"));
    assertThat(answer).contains(allowed ? "\"result\"" : "\"code\":403");
  }

  @Test
  void aRefusalComesBeforeLayersAndHandlers() throws Exception {
    Options options = rules().toBuilder()
        .layer((call, next) -> {
          handled.add("layer " + call.method());
          return next.handle(call);
        })
        .build();
    for (String method : List.of("internal", "nothing", "rpc.status")) {
      assertThat(answer(plain, options, USER, call(method, "[]"))).contains("403");
      assertThat(answer(plain, options, null, call(method, "[]"))).contains("401");
    }
    assertThat(handled).isEmpty();
    answer(plain, options, USER, call("price", "[]"));
    assertThat(handled).containsExactly("layer price", "price");
  }

  @Test
  void unknownMethodsDifferInNothing() throws Exception {
    String known = answer(plain, rules(), USER, call("internal", "[]"));
    assertThat(answer(plain, rules(), USER, call("internol", "[]"))).isEqualTo(known);
    String allowed = answer(plain, rules(), USER, call("unknown", "[]"));
    assertThat(allowed).contains("-32601").doesNotContain("price", "internal");
  }

  @Test
  void noErrorNamesAMethodThatTheCallerMayNotCall() throws Exception {
    Options denied = Options.builder().access(access -> access.deny("internal")).build();
    assertThat(answer(plain, denied, null, call("internol", "[]")))
        .contains("-32601")
        .doesNotContain("internal");
    assertThat(answer(plain, Options.DEFAULT, null, call("internol", "[]"))).contains("'internal'");
  }

  @Test
  void theElementsOfABatchAreDecidedSeparately() throws Exception {
    String batch = "[" + call("price", "[]") + "," + call("internal", "[]") + ","
        + call("nothing", "[]") + ",{\"jsonrpc\":\"2.0\",\"method\":\"internal\"}]";
    Json answers = Json.parse(answer(plain, rules(), USER, batch));
    assertThat(answers.elements()).hasSize(3);
    assertThat(answers.toString()).contains("\"result\"").contains("403");
    assertThat(handled).containsExactly("price");
  }

  @ParameterizedTest
  @ValueSource(strings = {"internal", "nothing"})
  void aRefusedNotificationIsDropped(String method) throws Exception {
    String frame = "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"}";
    List<Integer> statuses = new ArrayList<>();
    FrameResponder.of(plain, rules(), CHANNEL)
        .of(CHANNEL, Attributes.of(HttpReply.RESPONSE_STATUS, statuses::add))
        .respond(frame.getBytes(UTF_8));
    assertThat(handled).isEmpty();
    assertThat(statuses).containsExactly(401);
  }

  @Test
  void theStatusOfAnHttpResponseIsTheCodeForASingleCall() throws Exception {
    List<Integer> statuses = new ArrayList<>();
    FrameResponder responder = FrameResponder.of(plain, rules(), CHANNEL)
        .of(
            CHANNEL,
            Attributes.of(Principal.KEY, USER).with(HttpReply.RESPONSE_STATUS, statuses::add));
    responder.respond(call("internal", "[]").getBytes(UTF_8));
    responder.respond(("[" + call("internal", "[]") + "]").getBytes(UTF_8));
    assertThat(statuses).containsExactly(403);
  }

  // ---------------------------------------------------------------- messages about own calls

  /** A service with a subscription. */
  public static final class Node {
    @Rpc("follow")
    @Streamed(subscription = "followed", unsubscribe = "unfollow")
    public Flow.Publisher<String> follow() {
      return new SubmissionPublisher<>();
    }
  }

  @Test
  void aSubscriptionIsEndedByItsOwner() throws Exception {
    Options options =
        Options.builder().access(access -> access.allow("*", "follow")).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Node()), options);
        RawPeer client = new RawPeer(server)) {
      client.send(call("follow", "[]"));
      String id = client.read().get("result").as(String.class);
      client.send(call("unfollow", "[\"" + id + "\"]"));
      assertThat(client.read().get("result").as(boolean.class)).isTrue();
      client.send(call("unfollow.all", "[]"));
      assertThat(client.read().get("error").get("code").as(int.class)).isEqualTo(401);
    }
  }

  // ---------------------------------------------------------------- discovery

  @Test
  void aCallerDiscoversWhatItMayCall() throws Exception {
    Options options = rules().toBuilder()
        .access(access -> access.allow("admin", "*").allow("user", "price*").deny("internal"))
        .build();
    assertThat(names(plain, options, USER, "methods")).containsExactly("price");
    assertThat(names(plain, options, USER, "x-notifications")).containsExactly("priceChanged");
    assertThat(names(plain, options, ADMIN, "methods"))
        .containsExactly("price", "order.place", "rpc.status");
    assertThat(names(plain, options, null, "methods")).isEmpty();
    Service shop = Service.of(new Shop());
    assertThat(names(shop, Options.DEFAULT, null, "methods")).containsExactly("rpc.status");
    assertThat(names(shop, Options.DEFAULT, USER, "methods"))
        .containsExactly("price", "rpc.status");
  }

  private List<String> names(
      Service service, Options options, @Nullable Principal caller, String member)
      throws Exception {
    Json document =
        Json.parse(answer(service, options, caller, call("rpc.discover", "[]"))).get("result");
    Json all = document == null ? null : document.get(member);
    return all == null
        ? List.of()
        : all.elements().stream().map(each -> each.get("name").as(String.class)).toList();
  }

  // ---------------------------------------------------------------- audit

  @Test
  void eachCallIsAudited() throws Exception {
    Options options = rules().toBuilder()
        .access(access -> access.allow("user", "price").audit(decisions::add))
        .build();
    answer(plain, options, USER, call("price", "[\"secret\"]"));
    answer(plain, options, null, call("price", "[]"));
    answer(plain, options, USER, "[" + call("x".repeat(1000), "[]") + "]");
    answer(plain, options, USER, "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\"}");
    assertThat(decisions)
        .extracting(AccessDecision::outcome)
        .containsExactly(Outcome.ALLOWED, Outcome.UNAUTHENTICATED, Outcome.FORBIDDEN);
    assertThat(decisions).extracting(AccessDecision::principal).containsExactly(USER, null, USER);
    assertThat(decisions.get(2).method()).hasSizeLessThan(210).startsWith("xxx");
  }

  @Test
  void aMethodNameCannotForgeALineOfAnAudit() throws Exception {
    Options options = Options.builder()
        .access(access -> access.deny("*").audit(decisions::add))
        .build();
    answer(plain, options, USER, call("x\\nadmin ALLOWED\\u001b[2K\\u202e", "[]"));
    assertThat(decisions)
        .extracting(AccessDecision::method)
        .containsExactly("x admin ALLOWED [2K ");
  }

  @Test
  void anAuditThatThrowsHarmsNothing() throws Exception {
    Options options = Options.builder()
        .access(access -> access.audit(decision -> {
          throw new IllegalStateException();
        }))
        .build();
    assertThat(answer(plain, options, null, call("price", "[]"))).contains("\"result\"");
    Options denying = Options.builder()
        .access(access -> access.deny("*").audit(decision -> {
          throw new StackOverflowError();
        }))
        .build();
    assertThat(answer(plain, denying, null, call("price", "[]"))).contains("401");
  }

  @Test
  void withoutRulesNothingIsChecked() {
    assertThat(new ServerContext(plain, Options.DEFAULT).permissions()).isNull();
  }
}
