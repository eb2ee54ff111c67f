package dev.repartee.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks calls over a connection with the reference implementation of Jakarta Validation. */
@NullMarked
class ValidationLayerTest {
  public record Item(@NotBlank String name, @Positive int size) {}

  public record Order(@NotNull List<@Valid Item> items, Map<String, @Positive Integer> prices) {}

  public record Receipt(@Positive int number) {}

  public record Tree(@Positive int size, List<@Valid Tree> nodes) {}

  public static final class Shop {
    final AtomicInteger calls = new AtomicInteger();

    public int add(@Positive @Param("size") int amount, Call call, @Max(5) int times) {
      calls.incrementAndGet();
      return amount * times;
    }

    public int place(@NotNull @Valid Order order, @NotBlank String customer) {
      return order.items().size() + customer.length();
    }

    public int tree(@Valid Tree tree) {
      return tree.size();
    }

    public @Valid Receipt receipt(int number) {
      return new Receipt(number);
    }

    public CompletionStage<@Valid Receipt> later(int number) {
      return CompletableFuture.supplyAsync(() -> new Receipt(number));
    }

    public CompletableFuture<@NotNull @Size(max = 2) String> text(@Nullable String text) {
      return CompletableFuture.completedFuture(text);
    }
  }

  public static final class Whole {
    @Rpc(paramsObject = true)
    public int whole(@Valid Order order, Call call) {
      return order.items().size();
    }

    @Rpc
    public int either(@Valid Item item) {
      return item.size();
    }
  }

  private static ValidatorFactory factory;

  private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
  private final Shop shop = new Shop();
  private final ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
  private final Peer server;
  private final Peer client;

  ValidationLayerTest() {
    Options options = Options.builder()
        .layer(new ValidationLayer(factory))
        .listener(new Listener() {
          @Override
          public void failed(Call call, Throwable cause) {
            failures.add(cause);
          }
        })
        .build();
    Service service = Service.builder()
        .all(Service.of(shop))
        .all(Service.of(new Whole()))
        .method("typed", Item.class, Receipt.class, (item, call) -> new Receipt(item.size() - 1))
        .method("free", call -> call.params())
        .build();
    server = Peer.open(pair.server(), service, options);
    client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
  }

  @BeforeAll
  static void createFactory() {
    factory = Validation.byDefaultProvider()
        .configure()
        .messageInterpolator(new ParameterMessageInterpolator())
        .buildValidatorFactory();
  }

  @AfterAll
  static void closeFactory() {
    factory.close();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  /** Returns the data of the error that answers a call. */
  private String refusal(String method, String params) {
    RpcException refused = catchThrowableOfType(
        RpcException.class,
        () -> client.request(method).params(Json.parse(params)).call(Json.class));
    assertThat(refused.code()).isEqualTo(-32602);
    assertThat(refused.error().message()).isEqualTo("Invalid params");
    return String.valueOf(refused.data());
  }

  /** Returns the message of the failure that the listener received. */
  private String failure() throws InterruptedException {
    Throwable failure = Objects.requireNonNull(failures.poll(60, TimeUnit.SECONDS));
    assertThat(failure).isInstanceOf(IllegalStateException.class);
    return String.valueOf(failure.getMessage());
  }

  @Test
  void validArgumentsReachTheMethod() {
    assertThat(client.call("add", int.class, 3, 5)).isEqualTo(15);
    assertThat(failures).isEmpty();
  }

  @Test
  void aViolationNamesTheParameterAsTheCallerKnowsItAndTheMethodDoesNotRun() {
    assertThat(refusal("add", "[0,6]")).isEqualTo("""
        [{"path":"size","message":"must be greater than 0"},\
        {"path":"times","message":"must be less than or equal to 5"}]""");
    assertThat(refusal("add", "{\"times\":1,\"size\":-1}"))
        .isEqualTo("[{\"path\":\"size\",\"message\":\"must be greater than 0\"}]");
    assertThat(shop.calls).hasValue(0);
  }

  @Test
  void theErrorOfAViolationIsReadableInOneLine() {
    assertThatThrownBy(() -> client.call("add", int.class, 0, 1))
        .hasMessageEndingWith("Invalid params (-32602):"
            + " [{\"path\":\"size\",\"message\":\"must be greater than 0\"}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      value = {
        """
        place | [{"items":[{"name":"a","size":1},{"name":" ","size":1}],"prices":{}},"x"] \
        | order.items[1].name | must not be blank""",
        "place | [{\"items\":null,\"prices\":{}},\"x\"] | order.items | must not be null",
        "place | [{\"items\":[],\"prices\":{\"tea\":0}},\"x\"] | order.prices[tea]"
            + " | must be greater than 0",
        "place | [null,\"x\"] | order | must not be null",
        "whole | {\"items\":[{\"name\":\"a\",\"size\":0}],\"prices\":{}} | items[0].size"
            + " | must be greater than 0",
        "either | {\"name\":\"a\",\"size\":0} | size | must be greater than 0",
        "either | {\"item\":{\"name\":\"a\",\"size\":0}} | item.size | must be greater than 0",
        "either | [{\"name\":\"a\",\"size\":0}] | item.size | must be greater than 0",
        "typed | {\"name\":\"a\",\"size\":0} | size | must be greater than 0"
      })
  void aViolationInsideAnArgumentNamesItsPath(
      String method, String params, String path, String message) {
    assertThat(refusal(method, params))
        .isEqualTo("[{\"path\":\"" + path + "\",\"message\":\"" + message + "\"}]");
  }

  @Test
  void paramsThatCannotBeReadAreRefusedAsWithoutTheLayer() {
    assertThat(refusal("add", "[\"x\",1]")).startsWith("\"size: expected");
  }

  @Test
  void aLongKeyOfTheCallerIsCutInThePath() {
    String key = "a" + "\uD83D\uDE00".repeat(50_000);
    assertThat(refusal("place", "[{\"items\":[],\"prices\":{\"" + key + "\":0}},\"x\"]"))
        .isEqualTo("[{\"path\":\"order.prices[a" + "\uD83D\uDE00".repeat(31)
            + "...]\",\"message\":\"must be greater than 0\"}]");
  }

  @Test
  void manyViolationsAreCutOff() {
    String items = IntStream.range(0, 30)
        .mapToObj(i -> "{\"name\":\"a\",\"size\":0}")
        .toList()
        .toString();
    List<Json> data =
        Json.parse(refusal("whole", "{\"items\":" + items + ",\"prices\":{}}")).elements();
    assertThat(data).hasSize(21);
    assertThat(data.get(20)).hasToString("{\"path\":\"\",\"message\":\"and 10 more\"}");
  }

  @Test
  void theCheckEndsAfterAThousandViolations() {
    for (int count : new int[] {1_000, 1_001}) {
      String items = IntStream.range(0, count)
          .mapToObj(i -> "{\"name\":\"a\",\"size\":0}")
          .toList()
          .toString();
      List<Json> data = Json.parse(refusal("whole", "{\"items\":" + items + ",\"prices\":{}}"))
          .elements();
      assertThat(data.get(data.size() - 1).get("message"))
          .hasToString(
              count == 1_000
                  ? "\"and 980 more\""
                  : "\"more than 1000 violations; the check was ended\"");
    }
  }

  @Test
  void manySmallInvalidValuesInADeepTreeTakeLittleMemory() {
    StringBuilder tree = new StringBuilder();
    for (int i = 0; i < 240; i++) {
      tree.append("{\"size\":1,\"nodes\":[");
    }
    tree.append("{\"size\":0,\"nodes\":[]},".repeat(20_000));
    tree.setLength(tree.length() - 1);
    tree.append("]}".repeat(240));
    assertThat(refusal("tree", "[" + tree + "]")).contains("more than 1000 violations");
  }

  @ParameterizedTest
  @CsvSource({"receipt, number", "later, number"})
  void aResultThatViolatesItsConstraintsIsAFailureOfTheMethod(String method, String path)
      throws Exception {
    assertThat(client.call(method, Receipt.class, 1)).isEqualTo(new Receipt(1));
    assertThatThrownBy(() -> client.call(method, Receipt.class, 0))
        .hasMessageEndingWith("Internal error (-32603); see the log of the other side");
    assertThat(failure())
        .isEqualTo(
            "the result of '" + method + "' is not valid: " + path + ": must be greater than 0");
  }

  @Test
  void theValueOfAStageHasTheConstraintsOfItsTypeArgument() throws Exception {
    assertThat(client.call("text", String.class, "ab")).isEqualTo("ab");
    assertThatThrownBy(() -> client.call("text", String.class, "abc"))
        .hasMessageEndingWith("Internal error (-32603); see the log of the other side");
    assertThat(failure())
        .isEqualTo("the result of 'text' is not valid: size must be between 0 and 2");
  }

  @Test
  void theResultOfATypedLambdaIsCheckedToo() throws Exception {
    assertThatThrownBy(() -> client.request("typed").params(new Item("a", 1)).call(Receipt.class))
        .hasMessageEndingWith("Internal error (-32603); see the log of the other side");
    assertThat(failure()).contains("'typed'", "number: must be greater than 0");
  }

  @Test
  void handlersThatReadTheParamsThemselvesAreNotChecked() {
    assertThat(client.call("free", Json.class, 0)).hasToString("[0]");
  }

  @Test
  void theLayerRefusesToStandAroundOutgoingCalls() {
    Options options = Options.builder().callLayer(new ValidationLayer(factory)).build();
    ChannelPair other = ChannelPair.open(Limits.DEFAULT);
    try (Peer wrong = Peer.open(other.client(), Service.NONE, options)) {
      assertThatThrownBy(() -> wrong.call("m", int.class))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("add it with Options.Builder.layer");
    } finally {
      other.server().close();
    }
  }
}
