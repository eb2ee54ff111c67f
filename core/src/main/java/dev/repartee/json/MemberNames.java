package dev.repartee.json;

import dev.repartee.internal.Bytes;
import dev.repartee.internal.Names;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of the members of an object, for mappings that read and write objects themselves. It
 * finds a member without making a string of its name. Immutable and thread-safe.
 *
 * <p>Members have the numbers 0 to 63, in the order of their names; an object has them in any
 * order.
 *
 * <pre>{@code
 * static Point read(JsonReader in) {
 *   int x = 0;
 *   int y = 0;
 *   long seen = 0;
 *   for (int i = NAMES.first(in); i >= 0; i = NAMES.next(in, i)) {
 *     seen = NAMES.see(i, seen);
 *     switch (i) {
 *       case 0 -> x = in.readInt();
 *       default -> y = in.readInt();
 *     }
 *   }
 *   NAMES.require(0b11, seen);
 *   return new Point(x, y);
 * }
 * }</pre>
 */
public final class MemberNames {
  private static final int MOST = Long.SIZE;

  private final Names names;
  private final Label[] labels;

  /** The treatment of other members; null if the reader decides it. */
  private final @Nullable UnknownMembers unknown;

  MemberNames(@Nullable UnknownMembers unknown, List<String> names) {
    this.unknown = unknown;
    this.names = new Names(names);
    this.labels = names.stream().map(Label::new).toArray(Label[]::new);
  }

  /**
   * Creates a table of names.
   *
   * @param unknown the treatment of other members; it overrides the setting of the endpoint
   * @param names up to 64 names
   * @throws IllegalArgumentException if there are more than 64 names
   */
  public static MemberNames of(UnknownMembers unknown, String... names) {
    if (names.length > MOST) {
      throw new IllegalArgumentException(
          names.length + " names; at most " + MOST + " are possible");
    }
    return new MemberNames(unknown, List.of(names));
  }

  /**
   * Enters the object at the reader's position, and moves to the value of its first member with one
   * of the names. Members with other names are skipped or refused.
   *
   * @return the number of the member; -1 if there is none, then the reader is after the object
   * @throws JsonException if the value is not an object
   */
  public int first(JsonReader in) {
    in.enterObject();
    return next(in, -1);
  }

  /**
   * Moves from the end of a value to the value of the next member with one of the names.
   *
   * @param last the number of the previous member; the next one is often its neighbour in the table
   * @return the number of the member; -1 if there is none, then the reader is after the object
   */
  public int next(JsonReader in, int last) {
    int guess = last + 1;
    while (in.more()) {
      if (guess < labels.length && labels[guess].stepOver(in)) {
        return guess;
      }
      int found = find(in, guess);
      if (found >= 0) {
        return found;
      }
      in.skip();
    }
    return -1;
  }

  /**
   * Moves past the name of a member that is not the next one, or is written with escapes or white
   * space. Returns its number, or -1 for an unknown member to skip.
   */
  private int find(JsonReader in, int guess) {
    int from = in.at + 1;
    int to = in.name();
    int index = names.find(in.bytes, from, to, guess);
    if (index < 0 && (unknown == null ? in.unknown() : unknown) == UnknownMembers.REFUSE) {
      throw JsonException.unfit(names.unknown("member", in.bytes, from, to));
    }
    return index;
  }

  /**
   * Returns the members that were seen, one bit each, with one more.
   *
   * @throws JsonException if the member was seen before
   */
  public long see(int member, long seen) {
    long bit = 1L << member;
    if ((seen & bit) != 0) {
      throw twice(member);
    }
    return seen | bit;
  }

  /**
   * Checks that all required members were seen.
   *
   * @param required one bit for each required member
   * @throws JsonException if one is missing; the message names all that are
   */
  public void require(long required, long seen) {
    long missing = required & ~seen;
    if (missing != 0) {
      StringBuilder list = new StringBuilder("missing: ");
      for (; missing != 0; missing &= missing - 1) {
        list.append(names.at(Long.numberOfTrailingZeros(missing)));
        list.append((missing & missing - 1) == 0 ? "" : ", ");
      }
      throw JsonException.unfit(list.toString());
    }
  }

  /** Returns the exception with the member that it is about. */
  public JsonException in(int member, JsonException e) {
    return e.in("member " + Names.quote(names.at(member)));
  }

  /** Returns the exception for a member that an object has twice. */
  JsonException twice(int member) {
    return JsonException.unfit("member '" + names.at(member) + "' occurs twice");
  }

  String at(int member) {
    return names.at(member);
  }

  /** Writes the name and the colon of a member, after a comma if the object has one before it. */
  public void write(JsonWriter out, int member) {
    labels[member].write(out, out.array()[out.size() - 1] == '{');
  }

  /**
   * The text of a member name in quotes and the colon after it, without escapes or white space. Most
   * senders write names in this form. A comparison in words of eight bytes finds most members without
   * parsing the name.
   */
  static final class Label {
    /** A comma, the name in quotes and a colon. */
    private final byte[] text;

    /** The text without the comma, as words of eight bytes; the last word is padded with zeros. */
    private final long[] words;

    /** A mask for the bytes of the last word that are not padding. */
    private final long mask;

    Label(String name) {
      this.text = new JsonWriter().put(',').string(name).put(':').toBytes();
      int length = text.length - 1;
      byte[] padded = Arrays.copyOfRange(text, 1, length + 8);
      this.words = new long[(length + 7) / 8];
      for (int i = 0; i < words.length; i++) {
        words[i] = Bytes.word(padded, 8 * i);
      }
      this.mask = -1L >>> (8 * words.length - length) * 8;
    }

    /** Writes the name and the colon, after a comma unless the member is the first of the object. */
    void write(JsonWriter out, boolean first) {
      out.raw(text, first ? 1 : 0, text.length);
    }

    /**
     * Moves the cursor past this name, its colon and the white space that follows. Returns false,
     * without moving, if the text at the cursor differs, or the array is too short to compare whole
     * words.
     */
    boolean stepOver(JsonReader c) {
      int last = words.length - 1;
      int at = c.at;
      if (at + 8 * words.length > c.bytes.length) {
        return false;
      }
      for (int i = 0; i < last; i++, at += 8) {
        if (Bytes.word(c.bytes, at) != words[i]) {
          return false;
        }
      }
      if (((Bytes.word(c.bytes, at) ^ words[last]) & mask) != 0) {
        return false;
      }
      c.at = JsonScanner.space(c.bytes, c.at + text.length - 1, c.to);
      return true;
    }
  }
}
