package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.Access;
import dev.repartee.json.Binder;
import dev.repartee.json.Inline;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import dev.repartee.json.OneOf;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The named types of an OpenRPC document: each is described once. */
class DiscoverySchemasTest {
  record Address(String street) {}

  record Order(
      int id, @Param(description = "Where to send it") Address to, Optional<Order> before) {}

  record Page<T>(List<T> items, Optional<String> next) {}

  record Pair<A, B>(A first, B second) {}

  static final class Shop {
    public Order order(int id, Address to) {
      return new Order(id, to, Optional.empty());
    }

    public Page<Order> orders(Map<String, Address> byName, Optional<Address[]> all) {
      return new Page<>(List.of(), Optional.empty());
    }

    public Pair<int[], List<Pair<String, Order>>> pairs() {
      throw new UnsupportedOperationException();
    }
  }

  private static Json document(Service service) {
    return OpenRpcSchema.valid(new Discovery(service, true, Access.OPEN).document(null));
  }

  private static Map<String, Json> schemas(Json document) {
    Json components = document.get("components");
    return components == null
        ? Map.of()
        : Objects.requireNonNull(components.get("schemas")).members();
  }

  private static Json method(Json document, String name) {
    return Objects.requireNonNull(document.get("methods")).elements().stream()
        .filter(method -> name.equals(method.string("name")))
        .findAny()
        .orElseThrow();
  }

  private static @Nullable Json result(Json document, String method) {
    return Objects.requireNonNull(method(document, method).get("result")).get("schema");
  }

  @Test
  void eachNamedTypeIsDescribedOnce() {
    Json document = document(Service.of(new Shop()));
    assertThat(schemas(document))
        .containsOnlyKeys(
            "Address",
            "Order",
            "PageOfOrder",
            "PairOfArrayOfIntAndListOfPairOfStringAndOrder",
            "PairOfStringAndOrder");
    assertThat(schemas(document).get("Order")).hasToString("""
        {"type":"object","properties":{"id":%s,"to":{"$ref":"#/components/schemas/\
        Address","description":"Where to send it"},"before":{"anyOf":[{"$ref":\
        "#/components/schemas/Order"},{"type":"null"}]}},"required":["id","to"],\
        "additionalProperties":false}""".formatted(Json.schemaOf(int.class)));
    assertThat(schemas(document).get("PageOfOrder"))
        .asString()
        .contains(
            "\"items\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Order\"}}");
    assertThat(result(document, "order")).hasToString("{\"$ref\":\"#/components/schemas/Order\"}");
    assertThat(method(document, "orders").get("params"))
        .asString()
        .contains("""
            {"type":"object","additionalProperties":{"$ref":"#/components/schemas/Address"}}""")
        .contains("""
            {"anyOf":[{"type":"array","items":{"$ref":"#/components/schemas/Address"}},\
            {"type":"null"}]}""");
  }

  @Test
  void theSchemasOfAMethodItselfAreSelfContained() {
    RpcMethod method = Objects.requireNonNull(Service.of(new Shop()).find("orders"));
    assertThat(String.valueOf(method.parameters()) + method.result()).doesNotContain("$ref");
  }

  /** Another order. */
  static final class Invoice {
    record Order(String number) {}

    static final class Old {
      record Order(String number) {}
    }
  }

  static final class Orders {
    public void all(Order one, Invoice.Order two, Invoice.Old.Order three) {}
  }

  @Test
  void aSecondTypeOfTheSameNameHasItsEnclosingClassInTheName() {
    assertThat(schemas(document(Service.of(new Orders()))))
        .containsOnlyKeys("Address", "InvoiceOrder", "OldOrder", "Order");
  }

  @Test
  void oneTypeWithTheNamesOfTwoRegistriesIsDescribedTwice() {
    Service plain = Service.builder()
        .method("plain", Address.class, Order.class, (params, call) -> null)
        .build();
    JsonTypes upper = JsonTypes.standard().naming(Naming.UPPER_CAMEL_CASE);
    RpcMethod other = RpcMethod.builder("upper")
        .types(upper)
        .handler(Address.class, Order.class, (params, call) -> null);
    Json document = document(Service.builder().all(plain).add(other).build());
    assertThat(schemas(document))
        .containsOnlyKeys(
            "Address", "DiscoverySchemasTestAddress", "DiscoverySchemasTestOrder", "Order");
    assertThat(String.valueOf(schemas(document).get("DiscoverySchemasTestAddress")))
        .contains("\"Street\"");
  }

  record Search(@Param(defaultsTo = "1") int page, String text, Optional<Search> within) {}

  @Test
  void theMembersOfParamsAreListedWithTheRequiredOnesFirst() {
    Service service = Service.builder()
        .method("search", Search.class, Address.class, (params, call) -> new Address(""))
        .build();
    Json document = document(service);
    assertThat(method(document, "search").get("params"))
        .hasToString("""
        [{"name":"text","required":true,"schema":{"type":"string"}},\
        {"name":"page","required":false,"schema":%s},\
        {"name":"within","required":false,"schema":{"anyOf":[{"$ref":"#/components/schemas/Search"},\
        {"type":"null"}]}}]""".formatted(Json.schemaOf(int.class)));
    assertThat(method(document, "search").get("paramStructure")).isEqualTo(Json.of("by-name"));
  }

  record Meeting(Instant at) {}

  @Test
  void aTypeOfABinderIsDescribedInPlace() {
    JsonTypes types = JsonTypes.standard()
        .with(Binder.text(Instant.class, "a time", Instant::parse, Instant::toString));
    Service service = Service.builder()
        .add(RpcMethod.builder("meet")
            .types(types)
            .handler(Void.class, Meeting.class, (params, call) -> null))
        .build();
    assertThat(schemas(document(service)).get("Meeting"))
        .asString()
        .contains("\"at\":{\"type\":\"string\"}");
  }

  @Test
  void theCheckOfTheseTestsRefusesOtherDocuments() {
    Json document = document(Service.of(new Shop()));
    for (String change : new String[] {"\"info\":/\"about\":", "\"required\":true/\"must\":true"}) {
      String[] words = change.split("/");
      Json changed = Json.parse(document.toString().replace(words[0], words[1]));
      assertThatThrownBy(() -> OpenRpcSchema.valid(changed)).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void aDocumentWithoutNamedTypesHasNoComponents() {
    Service service = Service.builder().method("any", Call::params).build();
    assertThat(document(service).get("components")).isNull();
  }

  // ---------------------------------------------------------------- alternatives

  @OneOf(member = "type")
  sealed interface Event permits Created, Moved {}

  record Created(Order order) implements Event {}

  @OneOf.Name("was-moved")
  record Moved(Address to, Level level) implements Event {}

  enum Level {
    LOW,
    @OneOf.Name("high level")
    HIGH
  }

  @Inline
  record Id(String text) {}

  static final class Events {
    public List<Event> since(Id id, Event last) {
      return List.of();
    }
  }

  @Test
  void alternativesEnumsAndInlineRecordsAreNamedTypes() {
    Map<String, Json> schemas = schemas(document(Service.of(new Events())));
    assertThat(schemas)
        .containsOnlyKeys("Address", "Created", "Event", "Id", "Level", "Moved", "Order");
    assertThat(schemas.get("Event")).hasToString("""
        {"oneOf":[{"$ref":"#/components/schemas/Created"},{"$ref":"#/components/schemas/Moved"}]}""");
    assertThat(schemas.get("Moved")).hasToString("""
        {"type":"object","properties":{"type":{"const":"was-moved"},"to":{"$ref":\
        "#/components/schemas/Address"},"level":{"$ref":"#/components/schemas/Level"}},\
        "required":["type","to","level"],"additionalProperties":false}""");
    assertThat(schemas.get("Level")).hasToString("{\"enum\":[\"LOW\",\"high level\"]}");
    assertThat(schemas.get("Id")).hasToString("{\"type\":\"string\"}");
  }

  // ---------------------------------------------------------------- notifications that are sent

  interface ShopEvents {
    @Rpc(
        value = "order/changed",
        notification = true,
        named = true,
        description = "An order changed")
    void changed(Order order, Optional<String> by);

    @Rpc(notification = true)
    void moved(Address to);

    @Rpc
    boolean confirm(int id);
  }

  @Test
  void theNotificationsThatAServiceSendsAreDescribed() {
    for (Service service : List.of(
        Service.of(new Orders()).sends(ShopEvents.class).described("Orders", "1"),
        Service.builder().all(Service.of(new Orders())).sends(ShopEvents.class).build(),
        Service.builder().all(Service.of(new Orders()).sends(ShopEvents.class)).build(),
        Service.of(new Orders()).and(Service.NONE.sends(ShopEvents.class)))) {
      Json document = document(service);
      assertThat(document.get("x-notifications")).hasToString("""
          [{"name":"order/changed","description":"An order changed","paramStructure":"by-name",\
          "params":[{"name":"order","required":true,"schema":{"$ref":"#/components/schemas/Order"}},\
          {"name":"by","required":false,"schema":{"anyOf":[{"type":"string"},{"type":"null"}]}}]},\
          {"name":"moved","paramStructure":"by-position","params":[{"name":"to","required":true,\
          "schema":{"$ref":"#/components/schemas/Address"}}]}]""");
      assertThat(service.find("moved")).isNull();
    }
    JsonTypes upper = JsonTypes.standard().naming(Naming.UPPER_CAMEL_CASE);
    assertThat(document(Service.of(new Orders()).sends(ShopEvents.class).in(upper))
            .get("x-notifications"))
        .asString()
        .contains("\"name\":\"By\"");
    assertThat(document(Service.of(new Orders())).get("x-notifications")).isNull();
  }

  @Test
  void anInterfaceWithoutNotificationsIsRefused() {
    assertThatThrownBy(() -> Service.NONE.sends(Runnable.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("java.lang.Runnable has no method with @Rpc(notification = true)");
    assertThatThrownBy(() -> Service.NONE.sends(ShopEvents.class).sends(ShopEvents.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the notification 'order/changed' is declared twice");
  }
}
