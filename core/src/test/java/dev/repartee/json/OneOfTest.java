package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Param;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sealed interfaces whose JSON is one of several types. */
class OneOfTest {
  @OneOf(member = "type")
  sealed interface Shape permits Circle, Polygon, Group {}

  record Circle(double radius) implements Shape {}

  @OneOf.Name("poly")
  record Polygon(List<Integer> points, Optional<String> name) implements Shape {}

  record Group(List<Shape> shapes) implements Shape {}

  private static String written(Object value) {
    return Json.of(value).toString();
  }

  private static <T> void isBoth(String json, Class<T> type, T value) {
    assertThat(Json.parse(json).as(type)).as(json).isEqualTo(value);
    JsonWriter out = new JsonWriter();
    JsonType.of(type).write(out, value);
    assertThat(new Json[] {Json.parse(out.toBytes())})
        .as("written")
        .containsExactly(Json.parse(json));
  }

  private static void refuses(String json, Type type, String message) {
    assertThatThrownBy(() -> Json.parse(json).as(type))
        .as(json)
        .isInstanceOf(JsonException.class)
        .hasMessage(message);
  }

  // ---------------------------------------------------------------- with a member

  @Test
  void theMemberNamesTheType() {
    isBoth("{\"type\":\"circle\",\"radius\":2.5}", Shape.class, new Circle(2.5));
    isBoth(
        "{\"type\":\"poly\",\"points\":[1,2]}",
        Shape.class,
        new Polygon(List.of(1, 2), Optional.empty()));
    isBoth(
        "{\"type\":\"group\",\"shapes\":[{\"type\":\"circle\",\"radius\":1},"
            + "{\"type\":\"group\",\"shapes\":[]}]}",
        Shape.class,
        new Group(List.of(new Circle(1), new Group(List.of()))));
    assertThat(Json.NULL.as(Shape.class)).isNull();
  }

  @Test
  void theMemberBelongsToTheRecordItself() {
    isBoth("{\"type\":\"circle\",\"radius\":2.5}", Circle.class, new Circle(2.5));
    assertThat(written(new Circle(1))).isEqualTo("{\"type\":\"circle\",\"radius\":1}");
    assertThat(written(List.of(new Circle(1)))).contains("\"type\"");
    refuses("{\"radius\":1}", Circle.class, "missing: type");
    refuses(
        "{\"type\":\"poly\",\"radius\":1}",
        Circle.class,
        "member 'type': expected \"circle\", got another string");
    refuses(
        "{\"type\":null,\"radius\":1}",
        Circle.class,
        "member 'type': expected \"circle\", got null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"radius\":1,\"type\":\"circle\"}",
        "{ \"radius\" : 1 , \"t\\u0079pe\" : \"c\\u0069rcle\" }",
        "{\"radius\":1.0e0,\"type\":\"circle\"}"
      })
  void theMemberMayBeAnywhereAndEscaped(String json) {
    assertThat(Json.parse(json).as(Shape.class)).isEqualTo(new Circle(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "5|expected an object with the member 'type', got a number",
        "[]|expected an object with the member 'type', got an array",
        "{}|missing: type, which is \"circle\", \"poly\" or \"group\"",
        "{\"radius\":1}|missing: type, which is \"circle\", \"poly\" or \"group\"",
        "{\"type\":1}|member 'type': expected \"circle\", \"poly\" or \"group\", got a number",
        "{\"type\":\"Circle\"}|"
            + "member 'type': expected \"circle\", \"poly\" or \"group\", got another string",
        "{\"type\":\"circle\"}|missing: radius",
        "{\"type\":\"circle\",\"type\":\"circle\",\"radius\":1}|member 'type' occurs twice",
        "{\"type\":\"circle\",\"radius\":1,\"radius\":1}|member 'radius' occurs twice",
        "{\"type\":\"circle\",\"radius\":1,\"type\":\"poly\"}|member 'type' occurs twice",
        "{\"type\":\"circle\",\"points\":[]}|unknown member 'points'; known are type, radius",
        "{\"type\":\"group\",\"shapes\":[{\"type\":\"circle\"}]}|"
            + "member 'shapes': element 0: missing: radius"
      })
  void aFaultNamesThePlaceAndThePossibleTypes(String json, String message) {
    refuses(json, Shape.class, message);
  }

  @Test
  void unknownMembersMayBeIgnored() {
    byte[] json = "{\"new\":[],\"type\":\"circle\",\"radius\":1}".getBytes();
    assertThat(JsonType.of(Shape.class).read(json, 0, json.length, UnknownMembers.IGNORE))
        .isEqualTo(new Circle(1));
  }

  @Test
  void theSchemaHasTheNameAsAConstant() {
    assertThat(Json.schemaOf(Shape.class)).hasToString("""
        {"oneOf":[{"type":"object","properties":{"type":{"const":"circle"},"radius":{"type":"number"\
        }},"required":["type","radius"],"additionalProperties":false},{"type":"object","properties":\
        {"type":{"const":"poly"},"points":{"type":"array","items":%s},"name":{"anyOf":[{"type":\
        "string"},{"type":"null"}]}},"required":["type","points"],"additionalProperties":false},\
        {"type":"object","properties":{"type":{"const":"group"},"shapes":{"type":"array","items":true\
        }},"required":["type","shapes"],"additionalProperties":false}]}\
        """.formatted(Json.schemaOf(int.class)));
    SchemaDefinitions definitions = new SchemaDefinitions("#/");
    assertThat(JsonType.of(Shape.class).schema(definitions)).hasToString("{\"$ref\":\"#/Shape\"}");
    assertThat(definitions.schemas()).containsOnlyKeys("Circle", "Group", "Polygon", "Shape");
    assertThat(definitions.schemas().get("Shape"))
        .hasToString(
            "{\"oneOf\":[{\"$ref\":\"#/Circle\"},{\"$ref\":\"#/Polygon\"},{\"$ref\":\"#/Group\"}]}");
    assertThat(String.valueOf(definitions.schemas().get("Group")))
        .contains("\"shapes\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/Shape\"}}");
  }

  // ---------------------------------------------------------------- nested interfaces

  @OneOf(member = "kind")
  sealed interface Node permits Leaf, Branch, Call {}

  record Leaf(int value) implements Node {}

  /** Has the same member: its records are permitted by Node, too. */
  @OneOf(member = "kind")
  sealed interface Branch extends Node permits And, Or {}

  record And(Node left, Node right) implements Branch {}

  record Or(List<Node> all) implements Branch {}

  /** Has another member, and therefore a name itself. */
  @OneOf(member = "protocol")
  sealed interface Call extends Node permits HTTPCall, RMI {}

  record HTTPCall(String url) implements Call {}

  record RMI(String name) implements Call {}

  @Test
  void interfacesNest() {
    isBoth("{\"kind\":\"leaf\",\"value\":1}", Node.class, new Leaf(1));
    String and = "{\"kind\":\"and\",\"left\":{\"kind\":\"leaf\",\"value\":1},"
        + "\"right\":{\"kind\":\"or\",\"all\":[]}}";
    isBoth(and, Node.class, new And(new Leaf(1), new Or(List.of())));
    isBoth(and, Branch.class, new And(new Leaf(1), new Or(List.of())));
    isBoth(
        "{\"kind\":\"call\",\"protocol\":\"httpCall\",\"url\":\"x\"}",
        Node.class,
        new HTTPCall("x"));
    isBoth("{\"kind\":\"call\",\"protocol\":\"rmi\",\"name\":\"x\"}", Call.class, new RMI("x"));
    refuses(
        "{\"kind\":\"leaf\",\"value\":1}",
        Branch.class,
        "member 'kind': expected \"and\" or \"or\", got another string");
    refuses(
        "{\"kind\":\"x\"}",
        Node.class,
        "member 'kind': expected \"leaf\", \"and\", \"or\" or \"call\", got another string");
    assertThat(Json.schemaOf(Node.class).toString()).contains("\"kind\":{\"const\":\"or\"}");
  }

  /** Each type of a hierarchy may be the first that is resolved. */
  @Test
  void theFirstTypeThatIsResolvedMakesNoDifference() {
    for (Class<?> first : List.of(And.class, Branch.class, Or.class, Node.class)) {
      JsonTypes types = JsonTypes.standard().naming(Naming.AS_DECLARED);
      types.of(first);
      Object read = Json.parse("{\"kind\":\"or\",\"all\":[{\"kind\":\"and\",\"left\":{\"kind\":"
              + "\"leaf\",\"value\":1},\"right\":{\"kind\":\"leaf\",\"value\":2}}]}")
          .as(types.of(Node.class));
      assertThat(read).isEqualTo(new Or(List.of(new And(new Leaf(1), new Leaf(2)))));
      assertThat(types.toJson(read).as(types.of(Branch.class))).isEqualTo(read);
    }
  }

  // ---------------------------------------------------------------- without a member

  @OneOf
  sealed interface Block permits Tag, Height, ByHash, ByNumber, Range {}

  enum Tag implements Block {
    @OneOf.Name("latest")
    LATEST,
    SAFE {
      @Override
      public String toString() {
        return "with a body";
      }
    }
  }

  @Inline
  record Height(String hex) implements Block {}

  record ByHash(String hash, Optional<Boolean> canonical) implements Block {}

  record ByNumber(@Param("number") String value) implements Block {}

  @Inline
  record Range(List<Integer> bounds) implements Block {}

  @Test
  void theFormDecides() {
    isBoth("\"latest\"", Block.class, Tag.LATEST);
    isBoth("\"SAFE\"", Block.class, Tag.SAFE);
    isBoth("\"0x1\"", Block.class, new Height("0x1"));
    isBoth("{\"hash\":\"h\"}", Block.class, new ByHash("h", Optional.empty()));
    isBoth("{\"hash\":\"h\",\"canonical\":true}", Block.class, new ByHash("h", Optional.of(true)));
    isBoth("{\"number\":\"n\"}", Block.class, new ByNumber("n"));
    isBoth("[1,2]", Block.class, new Range(List.of(1, 2)));
    assertThat(Json.NULL.as(Block.class)).isNull();
    assertThat(written(Tag.SAFE)).isEqualTo("\"SAFE\"");
    assertThat(written(new Height("0x1"))).isEqualTo("\"0x1\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "5;got a number",
        "{};got an object with other members",
        "{\"hash\":1,\"number\":2};got an object with other members",
        "{\"hash\":1,\"more\":2};got an object with other members"
      })
  void aFaultListsThePossibleForms(String json, String found) {
    refuses(
        json,
        Block.class,
        "expected \"latest\" or \"SAFE\", a string, an object with hash, an object with number"
            + " or an array, " + found);
  }

  @Test
  void theOnlyFormOfItsKindReportsItsOwnFault() {
    refuses(
        "[1,\"x\"]",
        Block.class,
        "element 1: expected an integer from -2147483648 to 2147483647," + " got a string");
    refuses(
        "{\"hash\":\"h\",\"canonical\":1}",
        Block.class,
        "member 'canonical': expected true or" + " false, got a number");
    refuses("{\"hash\":\"h\",\"hash\":\"h\"}", Block.class, "member 'hash' occurs twice");
  }

  @Test
  void ofIgnoredUnknownMembersTheFormThatKnowsMoreHasPrecedence() {
    JsonType<Either> type = JsonType.of(Either.class);
    assertThat(lenient("{\"a\":1,\"b\":2}", type)).isEqualTo(new More(1, Optional.of(2)));
    assertThat(lenient("{\"a\":1,\"x\":2}", type)).isEqualTo(new Less(1));
    assertThat(lenient("{\"a\":1}", type)).isEqualTo(new Less(1));
  }

  private static @Nullable Object lenient(String json, JsonType<?> type) {
    return type.read(json.getBytes(), 0, json.length(), UnknownMembers.IGNORE);
  }

  @OneOf
  sealed interface Either permits Less, More {}

  record Less(int a) implements Either {}

  record More(int a, Optional<Integer> b) implements Either {}

  @OneOf
  sealed interface Filter permits Sub, Text {}

  @OneOf
  sealed interface Sub extends Filter permits One, Many {}

  record One(int one) implements Sub {}

  record Many(List<Filter> many) implements Sub {}

  @Inline
  record Text(String text) implements Filter {}

  @Test
  void formsNest() {
    isBoth("{\"one\":1}", Filter.class, new One(1));
    isBoth(
        "{\"many\":[\"x\",{\"one\":1},{\"many\":[]}]}",
        Filter.class,
        new Many(List.of(new Text("x"), new One(1), new Many(List.of()))));
    for (Class<?> first : List.of(Many.class, Sub.class, Text.class)) {
      JsonTypes types = JsonTypes.standard().naming(Naming.AS_DECLARED);
      types.of(first);
      assertThat(Json.parse("{\"many\":[{\"one\":1}]}").as(types.of(Sub.class)))
          .isEqualTo(new Many(List.of(new One(1))));
    }
  }

  @OneOf
  sealed interface Result<T> permits Ok, Failed {}

  record Ok<T>(T value) implements Result<T> {}

  record Failed<T>(String reason) implements Result<T> {}

  record Holder(Result<List<Integer>> numbers, Result<String> text) {}

  @Test
  void typeArgumentsReachThePermittedTypes() {
    isBoth(
        "{\"numbers\":{\"value\":[1]},\"text\":{\"reason\":\"no\"}}",
        Holder.class,
        new Holder(new Ok<>(List.of(1)), new Failed<>("no")));
    refuses(
        "{\"numbers\":{\"value\":[1]},\"text\":{\"value\":1}}",
        Holder.class,
        "member 'text': member 'value': expected a string, got a number");
    SchemaDefinitions definitions = new SchemaDefinitions("#/");
    JsonType.of(Holder.class).schema(definitions);
    assertThat(definitions.schemas().keySet())
        .containsExactly(
            "FailedOfListOfInteger",
            "FailedOfString",
            "Holder",
            "OkOfListOfInteger",
            "OkOfString",
            "ResultOfListOfInteger",
            "ResultOfString");
  }

  // ---------------------------------------------------------------- inline records

  @Inline
  record Amount(@Param(defaultsTo = "5") int cents) {
    Amount {
      if (cents < 0) {
        throw new IllegalArgumentException("secret");
      }
    }
  }

  @Inline
  record Maybe(Optional<String> text) {}

  @Inline
  record Tree(List<Tree> children) {}

  record Bill(Amount amount, Optional<Amount> tip, Maybe note, Map<String, Amount> more) {}

  @Test
  void anInlineRecordIsItsComponent() {
    isBoth("7", Amount.class, new Amount(7));
    isBoth(
        "[[],[[]]]",
        Tree.class,
        new Tree(List.of(new Tree(List.of()), new Tree(List.of(new Tree(List.of()))))));
    assertThat(Json.parse("{\"more\":{\"x\":1}}").as(Bill.class))
        .isEqualTo(new Bill(
            new Amount(5),
            Optional.empty(),
            new Maybe(Optional.empty()),
            Map.of("x", new Amount(1))));
    assertThat(Json.NULL.as(Maybe.class)).isEqualTo(new Maybe(Optional.empty()));
    refuses("-1", Amount.class, "the value is not possible here");
    assertThat(Json.schemaOf(Amount.class)).isEqualTo(Json.schemaOf(int.class));
    SchemaDefinitions definitions = new SchemaDefinitions("#/");
    JsonType.of(Bill.class).schema(definitions);
    JsonType.of(Tree.class).schema(definitions);
    assertThat(definitions.schemas().keySet()).containsExactly("Amount", "Bill", "Maybe", "Tree");
    assertThat(definitions.schemas().get("Tree"))
        .hasToString("{\"type\":\"array\",\"items\":{\"$ref\":\"#/Tree\"}}");
  }

  // ---------------------------------------------------------------- enums without a binder

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "\"safe\";expected \"latest\" or \"SAFE\", got another string",
        "1;expected \"latest\" or \"SAFE\", got a number"
      })
  void aConstantOfAnEnumIsItsName(String json, String message) {
    refuses(json, Tag.class, message);
  }

  @Test
  void anEnumIsDescribedByItsNames() {
    assertThat(Json.schemaOf(Tag.class)).hasToString("{\"enum\":[\"latest\",\"SAFE\"]}");
    SchemaDefinitions definitions = new SchemaDefinitions("#/");
    assertThat(JsonType.of(Tag.class).schema(definitions)).hasToString("{\"$ref\":\"#/Tag\"}");
  }

  // ---------------------------------------------------------------- hostile values

  @Test
  void deepAlternativesAreReadInTimeLinearForEachLevel() {
    // With an attempt for each permitted type, 400 levels would never end.
    String json = "{\"many\":[".repeat(200) + "{\"one\":1}" + "]}".repeat(200);
    Object read = Json.parse(json).as(Filter.class);
    assertThat(written(read)).isEqualTo(json);
    String last = "{\"shapes\":[".repeat(200) + "],\"type\":\"group\"}".repeat(200);
    assertThat(Json.parse(last).as(Shape.class)).isInstanceOf(Group.class);
    String wrong = "{\"many\":[".repeat(200) + "{\"one\":\"x\"}" + "]}".repeat(200);
    assertThatThrownBy(() -> Json.parse(wrong).as(Filter.class))
        .isInstanceOf(JsonException.class)
        .hasMessageEndingWith("got a string");
  }

  /** Looks ahead skip values by an index of their ends, which strings must not confuse. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void alternativesOfAnyShapeComeBackFromTheirJson(int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      Filter filter = filter(random, 7);
      assertThat(Json.parse(written(filter)).as(Filter.class)).isEqualTo(filter);
      Node node = node(random, 7);
      String json = written(node);
      assertThat(Json.parse(json).as(Node.class)).isEqualTo(node);
      String last = json.replaceAll("(\\{)(\"kind\":\"[a-z]+\"),(\"value\":[0-9]+)", "$1$3 ,\t$2");
      assertThat(Json.parse(last).as(Node.class)).as(last).isEqualTo(node);
    }
  }

  private static Filter filter(Random random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      String text = "]}\"\\[{\u00e9\n".repeat(random.nextInt(30));
      return random.nextBoolean() ? new Text(text) : new One(random.nextInt());
    }
    return new Many(Stream.generate(() -> filter(random, depth - 1))
        .limit(random.nextInt(4))
        .toList());
  }

  private static Node node(Random random, int depth) {
    return switch (depth == 0 ? 0 : random.nextInt(4)) {
      case 0 -> new Leaf(random.nextInt(1000));
      case 1 -> new HTTPCall("}".repeat(random.nextInt(200)));
      case 2 -> new And(node(random, depth - 1), node(random, depth - 1));
      default ->
        new Or(Stream.generate(() -> node(random, depth - 1))
            .limit(random.nextInt(5))
            .toList());
    };
  }

  // ---------------------------------------------------------------- mistakes

  @OneOf
  interface Open {}

  @OneOf
  sealed interface Strange permits Bean {}

  static final class Bean implements Strange {}

  @OneOf(member = "type")
  sealed interface WithEnum permits Colour {}

  enum Colour implements WithEnum {
    RED
  }

  @OneOf(member = "type")
  sealed interface Twice permits First, Second {}

  @OneOf.Name("x")
  record First() implements Twice {}

  @OneOf.Name("x")
  record Second() implements Twice {}

  @OneOf(member = "type")
  sealed interface Clash permits Clashing {}

  record Clashing(String type) implements Clash {}

  @OneOf
  sealed interface Endless permits Again {}

  @Inline
  record Again(Optional<Endless> value) implements Endless {}

  @Inline
  record Self(Self self) {}

  @Inline
  record Pair(int a, int b) {}

  @Inline
  record Wrong(@Param(defaultsTo = "true") int a) {}

  enum Same {
    @OneOf.Name("a")
    A,
    @OneOf.Name("a")
    B
  }

  @Test
  void mistakesAreSentencesAtTheStart() {
    mistake(Open.class, "$Open: @OneOf belongs on a sealed interface");
    mistake(
        Strange.class, "$Strange permits Bean, which is neither a record, an enum nor a sealed");
    mistake(WithEnum.class, "$WithEnum: Colour has no place for the member 'type'");
    mistake(Twice.class, "$Twice: two permitted types have the name 'x'; change one with @OneOf");
    mistake(Clash.class, "$Clashing: two components have the name 'type' in JSON");
    mistake(Endless.class, "a value would be read as the same type without end");
    mistake(Again.class, "a value would be read as the same type without end");
    mistake(Self.class, "$Self: a value would be read as the same type without end");
    mistake(Pair.class, "$Pair: a record with @Inline has one component, not 2");
    mistake(Wrong.class, "$Wrong: the default does not fit: expected an integer");
    mistake(Same.class, "$Same: two constants have the name 'a' in JSON");
  }

  private static void mistake(Class<?> type, String message) {
    assertThatIllegalArgumentException()
        .as(type.getSimpleName())
        .isThrownBy(() -> JsonType.of(type))
        .withMessageContaining(message);
  }
}
