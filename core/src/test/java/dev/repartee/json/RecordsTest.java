package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Param;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compares records read in one pass with the same records read member by member. */
@NullMarked
class RecordsTest {
  record Item(
      int id,
      @Nullable String name,
      double score,
      @Nullable List<String> tags,
      boolean active,
      long aNameThatTakesSeveralWordsToCompare,
      Optional<Integer> maybe,
      @Param(defaultsTo = "7") int limit,
      byte small,
      @Nullable Inner inner,
      @Param("\u00e9\"") @Nullable Double odd) {}

  record Inner(String note, int x) {}

  private static final Set<String> NAMES = Set.of(
      "id",
      "name",
      "score",
      "tags",
      "active",
      "aNameThatTakesSeveralWordsToCompare",
      "maybe",
      "limit",
      "small",
      "inner",
      "\u00e9\"");

  private final Random random = new Random(7);

  /** Returns the record built from a map of its members, or null if the map does not fit. */
  private static @Nullable Item byMembers(Json text) {
    try {
      Map<String, Json> members = text.as(Shapes.MEMBERS);
      if (members == null || !NAMES.containsAll(members.keySet())) {
        return null;
      }
      return new Item(
          member(members, "id").as(int.class),
          member(members, "name").as(String.class),
          member(members, "score").as(double.class),
          member(members, "tags").as(Shapes.STRINGS),
          member(members, "active").as(boolean.class),
          member(members, "aNameThatTakesSeveralWordsToCompare").as(long.class),
          Optional.ofNullable(members.getOrDefault("maybe", Json.NULL).as(Integer.class)),
          members.getOrDefault("limit", Json.of(7)).as(int.class),
          member(members, "small").as(byte.class),
          inner(member(members, "inner")),
          member(members, "\u00e9\"").as(Double.class));
    } catch (JsonException e) {
      return null;
    }
  }

  private static @Nullable Inner inner(Json text) {
    Map<String, Json> members = text.as(Shapes.MEMBERS);
    if (members == null) {
      return null;
    } else if (!Set.of("note", "x").containsAll(members.keySet())) {
      throw new JsonException("unknown");
    }
    return new Inner(
        member(members, "note").as(String.class), member(members, "x").as(int.class));
  }

  private static Json member(Map<String, Json> members, String name) {
    Json member = members.get(name);
    if (member == null) {
      throw new JsonException("missing");
    }
    return member;
  }

  private interface Shapes {
    Type MEMBERS = type("members");
    Type STRINGS = type("strings");

    Map<String, Json> members();

    List<String> strings();

    private static Type type(String method) {
      try {
        return Shapes.class.getDeclaredMethod(method).getGenericReturnType();
      } catch (NoSuchMethodException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static @Nullable Item atOnce(Json text) {
    try {
      return text.as(Item.class);
    } catch (JsonException e) {
      return null;
    }
  }

  /**
   * Returns a text that mostly fits: its members in any order, with white space, escapes, and
   * sometimes an error.
   */
  private String document() {
    List<String> members = new ArrayList<>();
    for (String name : NAMES) {
      String value = switch (name) {
        case "id", "limit", "maybe" -> integer(random.nextInt());
        case "small" -> integer((byte) random.nextInt());
        case "aNameThatTakesSeveralWordsToCompare" -> integer(random.nextLong());
        case "score", "\u00e9\"" -> number();
        case "name" -> string();
        case "active" -> String.valueOf(random.nextBoolean());
        case "tags" -> "[" + space() + string() + space() + "," + string() + "]";
        default -> object(List.of(quote("note") + ":" + string(), "\"x\": " + integer(3)));
      };
      if (!Set.of("limit", "maybe").contains(name) || random.nextBoolean()) {
        members.add(quote(name) + space() + ":" + space() + (oneIn(30) ? "null" : value));
      }
    }
    if (oneIn(20)) {
      members.remove(random.nextInt(members.size()));
    }
    if (oneIn(20)) {
      members.add(members.get(random.nextInt(members.size())));
    }
    if (random.nextBoolean()) {
      Collections.shuffle(members, random);
    }
    return object(members);
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private String object(List<String> members) {
    return "{" + space() + String.join(space() + "," + space(), members) + space() + "}";
  }

  private String space() {
    return oneIn(6) ? " \n".repeat(random.nextInt(3)) : "";
  }

  private String integer(long value) {
    long small = value >> random.nextInt(64) | 1; // not 0: JSON allows no leading zero
    return switch (random.nextInt(12)) {
      case 0 -> small + ".0";
      case 1 -> small + "0e-1";
      case 2 -> small + "0";
      default -> String.valueOf(random.nextBoolean() ? value : small);
    };
  }

  private String number() {
    double value = Double.longBitsToDouble(random.nextLong());
    return switch (random.nextInt(4)) {
      case 0 -> Double.isFinite(value) ? String.valueOf(value) : "1e400";
      case 1 -> (random.nextLong() >> random.nextInt(64)) + "." + random.nextInt(1_000_000);
      case 2 -> "-0";
      default -> random.nextInt(100_000) / 100.0 + "";
    };
  }

  private String string() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(20); i > 0; i--) {
      text.appendCodePoint(
          switch (random.nextInt(12)) {
            case 0 -> random.nextInt(0x20);
            case 1 -> '"';
            case 2 -> 0x80 + random.nextInt(0x700);
            case 3 -> 0x4e00 + random.nextInt(100);
            case 4 -> 0x1f600 + random.nextInt(50);
            default -> 'a' + random.nextInt(26);
          });
    }
    return quote(text.toString());
  }

  /** Returns the text in quotes, with the necessary escapes and some unnecessary ones. */
  private String quote(String text) {
    String quoted = Json.of(text).toString();
    int at = random.nextInt(8);
    return at < text.length() && quoted.startsWith(text, 1)
        ? quoted.substring(0, at + 1)
            + String.format("\\u%04x", (int) text.charAt(at))
            + quoted.substring(at + 2)
        : quoted;
  }

  @Test
  void aRecordIsReadAsItsMembersAre() {
    int fit = 0;
    for (int i = 0; i < 5_000; i++) {
      Json text = Json.parse(document());
      Item read = atOnce(text);
      assertThat(read).as(text.toString()).isEqualTo(byMembers(text));
      if (read != null) {
        assertThat(Json.of(read).as(Item.class)).as(text.toString()).isEqualTo(read);
        fit++;
      }
    }
    assertThat(fit).isBetween(1_000, 4_900);
  }

  @Test
  void aRecordAndItsMembersAcceptTheSameTexts() {
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = document().getBytes(UTF_8);
      for (int k = random.nextInt(3); k >= 0; k--) {
        byte changed = oneIn(2) ? (byte) random.nextInt() : bytes[random.nextInt(bytes.length)];
        bytes[random.nextInt(bytes.length)] = changed;
      }
      Json text;
      try {
        text = Json.parse(bytes);
      } catch (JsonException e) {
        continue;
      }
      assertThat(atOnce(text)).as(text.toString()).isEqualTo(byMembers(text));
    }
  }

  @Test
  void aValueIsReadAlikeWhereverItEnds() {
    byte[] padded =
        Json.parse("[\"plain\",-12345,1.25,true,{\"note\":\"\\\"\",\"x\":1}]").toBytes();
    for (int room = 0; room < 20; room++) {
      byte[] buffer = Arrays.copyOf(padded, padded.length + room);
      Arrays.fill(buffer, padded.length, buffer.length, (byte) '7');
      assertThat((Object) JsonType.of(List.class).read(buffer, 0, padded.length))
          .isEqualTo(List.of("plain", -12345L, 1.25, true, Map.of("note", "\"", "x", 1L)));
      assertThat(JsonType.of(int.class).read(buffer, 9, 15)).isEqualTo(-12345);
      assertThat(JsonType.of(int.class).read(buffer, 9, 13)).isEqualTo(-123);
      assertThat(JsonType.of(double.class).read(buffer, 16, 19)).isEqualTo(1.2);
    }
  }
}
