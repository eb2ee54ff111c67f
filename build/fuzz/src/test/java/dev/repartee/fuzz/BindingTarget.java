package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;

import dev.repartee.json.Inline;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.OneOf;
import dev.repartee.limits.Limits;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Checks that core's binders accept the values that Jackson accepts without coercion, and convert
 * them to the same Java values. The differences:
 *
 * <ul>
 *   <li>an integer may be written in any form that has an integer value, such as {@code 1e2} or
 *       {@code 100.0}: Jackson is given {@code 100};
 *   <li>numbers of more than 1,000 digits, or with a larger exponent (308 for integers), are
 *       refused if they need arithmetic;
 *   <li>a {@code double} that would be infinite is refused;
 *   <li>zero keeps its sign.
 * </ul>
 *
 * <p>Checks of alternatives ({@link OneOf}) that a value that was read comes back from its JSON.
 */
final class BindingTarget {
  /** A record with components of many types. */
  record Order(
      int count,
      long total,
      double price,
      boolean paid,
      String note,
      List<Integer> sizes,
      Map<String, Item> items,
      Item first) {}

  /** A nested record. */
  record Item(long id, List<Item> parts) {}

  /** Alternatives by a member. */
  @OneOf(member = "type")
  sealed interface Shape permits Circle, Group {}

  record Circle(Json radius) implements Shape {}

  record Group(List<Shape> shapes, Optional<Choice> choice) implements Shape {}

  /** Alternatives by their form. */
  @OneOf
  sealed interface Choice permits Word, Text, Many, Few {}

  enum Word implements Choice {
    ONE
  }

  @Inline
  record Text(String text) implements Choice {}

  record Many(List<Choice> many) implements Choice {}

  record Few(List<Choice> many, Json few) implements Choice {}

  /** Types that Jackson has no equal of. Values that are read have to come back from their JSON. */
  private static final List<Class<?>> ALTERNATIVES = List.of(Shape.class, Choice.class);

  private static final List<TypeReference<?>> TYPES = List.of(
      new TypeReference<Integer>() {},
      new TypeReference<Long>() {},
      new TypeReference<Double>() {},
      new TypeReference<Float>() {},
      new TypeReference<Boolean>() {},
      new TypeReference<String>() {},
      new TypeReference<BigDecimal>() {},
      new TypeReference<BigInteger>() {},
      new TypeReference<List<Long>>() {},
      new TypeReference<List<List<String>>>() {},
      new TypeReference<Map<String, Double>>() {},
      new TypeReference<Item>() {},
      new TypeReference<Order>() {});

  private static final JsonMapper JACKSON = JsonMapper.builder(JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNumberLength(Integer.MAX_VALUE).build())
          .build())
      .enable(
          DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
          DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
          DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
          DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .withCoercionConfigDefaults(coercions -> {
        for (CoercionInputShape shape : CoercionInputShape.values()) {
          coercions.setCoercion(shape, CoercionAction.Fail);
        }
      })
      .withCoercionConfig(
          LogicalType.Float,
          coercions -> coercions.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert))
      .build();

  private BindingTarget() {}

  static void run(byte[] input) {
    Tree tree = Tree.parse(input, Limits.DEPTH);
    if (tree == null) {
      return;
    }
    Json json = Json.parse(input);
    String plain = plain(tree);
    for (TypeReference<?> reference : TYPES) {
      Type type = reference.getType();
      Outcome ours = ours(json, type);
      Outcome jacksons = jacksons(plain, reference);
      if (tree.fitsIntegers() || ours.taken()) {
        same(type.getTypeName(), jacksons, ours);
      }
      if (ours.value() != null) {
        Json written = Json.of(ours.value());
        Tree again = Tree.parse(written.toBytes(), Limits.DEPTH);
        check(again != null, "no JSON: " + written);
        if (again.fitsIntegers()) {
          same(type.getTypeName() + " written", ours.value(), written.as(type));
        }
      }
    }
    for (Class<?> type : ALTERNATIVES) {
      Object value = ours(json, type).value();
      if (value != null) {
        same(type + " written", value, Json.of(value).as(type));
      }
    }
  }

  /** The outcome of reading: a value, which may be null, or a refusal. */
  private record Outcome(boolean taken, @Nullable Object value) {
    static final Outcome REFUSED = new Outcome(false, null);

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Outcome outcome
          && taken == outcome.taken
          && Objects.equals(unsigned(value), unsigned(outcome.value));
    }

    @Override
    public int hashCode() {
      return Objects.hashCode(unsigned(value));
    }
  }

  private static Outcome ours(Json json, Type type) {
    try {
      Object value = json.as(type);
      return new Outcome(true, value);
    } catch (JsonException e) {
      return Outcome.REFUSED;
    }
  }

  private static Outcome jacksons(String text, TypeReference<?> type) {
    try {
      Object value = JACKSON.readValue(text, type);
      return isFinite(value) ? new Outcome(true, value) : Outcome.REFUSED;
    } catch (JacksonException | NumberFormatException e) {
      return Outcome.REFUSED;
    }
  }

  private static boolean isFinite(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.values().stream().allMatch(BindingTarget::isFinite);
    } else if (value instanceof Order order) {
      return isFinite(order.price);
    }
    return !(value instanceof Double d && d.isInfinite())
        && !(value instanceof Float f && f.isInfinite());
  }

  /** Returns the value in a normal form: zeros without a sign, decimals without trailing zeros. */
  private static @Nullable Object unsigned(@Nullable Object value) {
    if (value instanceof Double d) {
      return d + 0.0;
    } else if (value instanceof Float f) {
      return f + 0.0f;
    } else if (value instanceof BigDecimal decimal) {
      return decimal.stripTrailingZeros();
    } else if (value instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> unsigned = new LinkedHashMap<>();
      map.forEach((name, element) -> unsigned.put(name, unsigned(element)));
      return unsigned;
    } else if (value instanceof List<?> list) {
      List<@Nullable Object> unsigned = new ArrayList<>();
      list.forEach(element -> unsigned.add(unsigned(element)));
      return unsigned;
    } else if (value instanceof Order o) {
      return new Order(o.count, o.total, o.price + 0.0, o.paid, o.note, o.sizes, o.items, o.first);
    }
    return value;
  }

  /** Returns the text with integers written without fraction or exponent. */
  private static String plain(Tree tree) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JACKSON.createGenerator(text)) {
      write(tree, out);
    }
    return text.toString();
  }

  private static void write(Tree tree, JsonGenerator out) {
    if (tree instanceof Tree.Members members) {
      out.writeStartObject();
      members.all().forEach(member -> {
        out.writeName(member.name());
        write(member.value(), out);
      });
      out.writeEndObject();
    } else if (tree instanceof Tree.Elements elements) {
      out.writeStartArray();
      elements.all().forEach(element -> write(element, out));
      out.writeEndArray();
    } else if (tree instanceof Tree.Text text) {
      out.writeString(text.text());
    } else if (tree instanceof Tree.Number number) {
      boolean integral =
          number.isBounded() && number.value().stripTrailingZeros().scale() <= 0;
      out.writeNumber(integral ? number.value().toBigInteger().toString() : number.literal());
    } else if (tree == Tree.Literal.NULL) {
      out.writeNull();
    } else {
      out.writeBoolean(tree == Tree.Literal.TRUE);
    }
  }
}
