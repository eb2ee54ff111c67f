package dev.repartee.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MemberNamesTest {
  private static final MemberNames NAMES = MemberNames.of(UnknownMembers.IGNORE, "x", "y", "näme");

  private record Point(int x, int y, String name) {
    static Point read(JsonReader in) {
      int x = 0;
      int y = 0;
      String name = "";
      long seen = 0;
      for (int i = NAMES.first(in); i >= 0; i = NAMES.next(in, i)) {
        seen = NAMES.see(i, seen);
        try {
          switch (i) {
            case 0 -> x = in.readInt();
            case 1 -> y = in.readInt();
            default -> name = in.readString();
          }
        } catch (JsonException e) {
          throw NAMES.in(i, e);
        }
      }
      NAMES.require(0b11, seen);
      return new Point(x, y, name);
    }
  }

  private static final StreamingType<Point> POINT = new StreamingType<>() {
    @Override
    public Point read(JsonReader in) {
      return Point.read(in);
    }

    @Override
    public void write(JsonWriter out, Point value) {
      out.open('{');
      NAMES.write(out, 1);
      out.number(value.y);
      NAMES.write(out, 0);
      out.number(value.x).close('}');
    }
  };

  private static Point read(String text) {
    return Json.parse(text).as(POINT);
  }

  @Test
  void membersAreFoundInAnyOrder() {
    assertThat(read("{\"x\":1,\"y\":2}")).isEqualTo(new Point(1, 2, ""));
    assertThat(read("{ \"y\" : 2 , \"n\\u00e4me\":\"a\",\"x\":1}")).isEqualTo(new Point(1, 2, "a"));
  }

  @Test
  void unknownMembersAreSkipped() {
    assertThat(read("""
        {"a":{"x":[9]},"x":1,"xx":3,"y":2,"z":null}""")).isEqualTo(new Point(1, 2, ""));
  }

  @Test
  void unknownMembersAreRefusedByName() {
    MemberNames strict = MemberNames.of(UnknownMembers.REFUSE, "x");
    byte[] text = "{\"y\":1}".getBytes(UTF_8);

    assertThatThrownBy(() -> strict.first(new JsonReader(text, 0, text.length)))
        .hasMessage("unknown member 'y'; known are x");
  }

  @Test
  void faultsNameTheMember() {
    assertThatThrownBy(() -> read("{\"näme\":\"\"}")).hasMessage("missing: x, y");
    assertThatThrownBy(() -> read("{\"x\":1,\"x\":2}")).hasMessage("member 'x' occurs twice");
    assertThatThrownBy(() -> read("{\"x\":true}"))
        .hasMessageStartingWith("member 'x': expected an");
    assertThatThrownBy(() -> read("[]")).hasMessage("expected an object, got an array");
  }

  @Test
  void aCommaStandsBetweenMembersOnly() {
    JsonWriter out = new JsonWriter();
    POINT.write(out, new Point(1, 2, ""));

    assertThat(out).hasToString("{\"y\":2,\"x\":1}");
  }

  @Test
  void thereAreSixtyFourNamesAtMost() {
    String[] names = new String[65];
    for (int i = 0; i < names.length; i++) {
      names[i] = "n" + i;
    }

    assertThatThrownBy(() -> MemberNames.of(UnknownMembers.IGNORE, names))
        .hasMessage("65 names; at most 64 are possible");
  }

  @Test
  void aReaderReturnsToAValueAfterALookAhead() {
    byte[] text = "{\"y\":2,\"x\":1}".getBytes(UTF_8);
    JsonReader in = new JsonReader(text, 0, text.length);
    int start = in.position();

    assertThat(NAMES.first(in)).isOne();
    in.position(start);

    assertThat(in.kind()).isEqualTo(Json.Kind.OBJECT);
    assertThat(Point.read(in)).isEqualTo(new Point(1, 2, ""));
  }

  @Test
  void aReaderReadsNamesThatAreNotKnownBefore() {
    byte[] text = "{\"a\\n\":[1,2]}".getBytes(UTF_8);
    JsonReader in = new JsonReader(text, 0, text.length);

    in.enterObject();
    assertThat(in.more()).isTrue();
    assertThat(in.readName()).isEqualTo("a\n");
    in.enterArray();
    assertThat(in.more()).isTrue();
    assertThat(in.readInt()).isOne();
    assertThat(in.more()).isTrue();
    assertThat(in.readInt()).isEqualTo(2);
    assertThat(in.more()).isFalse();
    assertThat(in.more()).isFalse();
  }
}
