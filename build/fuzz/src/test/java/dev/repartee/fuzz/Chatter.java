package dev.repartee.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.limits.Limits;
import dev.repartee.message.ParsedFrame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Generates messages like those of one peer after another. Each peer repeats a few envelopes with
 * other values, and sometimes sends an envelope that is almost the same. A {@link ParsedFrame} is
 * reused for all of them, and a message must not change how the next one is read.
 */
final class Chatter {
  private static final int ENVELOPES = 12;
  private static final int LIVES = 400;
  private static final int TAIL = 48;
  private static final String[] METHODS = {
    "a",
    "add",
    "subtract",
    "textDocument/didChange",
    "m\\u0061",
    "",
    "x\\\"",
    "id",
    "params",
    "\u00e9",
    "rpc.cancel",
    "2.0",
    "a".repeat(90),
    "a".repeat(130)
  };
  private static final String[] SCALARS = {
    "0",
    "7",
    "-1.5e3",
    "1e999",
    "true",
    "false",
    "null",
    "\"\"",
    "\"s\"",
    "\"\\u00e9\\n\"",
    "\"}\\\"{\"",
    "\"\u0416\"",
    "\"2.0\""
  };
  private static final String BYTES = "{}[]\",:0 \\einul\ufeff";

  private final Random random;
  private final List<List<String>> envelopes = new ArrayList<>();
  private ParsedFrame in = new ParsedFrame(Limits.DEFAULT, Set.of());
  private int left;
  private byte[] last = {};

  Chatter(long seed) {
    this.random = new Random(seed);
  }

  /** Decodes one more message or batch and compares it with Jackson's reading of the same text. */
  void next() {
    if (left-- == 0) {
      left = LIVES;
      in = new ParsedFrame(Limits.DEFAULT, Set.of());
      envelopes.clear();
      for (int i = 0; i < ENVELOPES; i++) {
        envelopes.add(envelope());
      }
    }
    String text = random.nextInt(6) == 0 ? batch() : message();
    text = random.nextInt(5) == 0 ? damaged(text) : text;
    byte[] bytes = text.getBytes(UTF_8);
    byte[] all = surrounded(bytes);
    int from = all.length - TAIL - bytes.length;
    try {
      CodecTarget.read(in, all, from, from + bytes.length, Tree.message(bytes, Limits.DEPTH));
    } catch (RuntimeException | Error e) {
      throw new AssertionError("of " + text, e);
    }
    last = bytes;
  }

  /**
   * Returns the message after random bytes, and before bytes that mostly continue as the previous
   * message did.
   */
  private byte[] surrounded(byte[] bytes) {
    int before = random.nextInt(16);
    byte[] all = new byte[before + bytes.length + TAIL];
    for (int i = 0; i < all.length; i++) {
      int k = i - before;
      boolean goesOn = k >= bytes.length && k < last.length && random.nextInt(30) > 0;
      all[i] = goesOn ? last[k] : (byte) BYTES.charAt(random.nextInt(14));
    }
    System.arraycopy(bytes, 0, all, before, bytes.length);
    return all;
  }

  private String batch() {
    StringBuilder batch = new StringBuilder("[").append(space()).append(message());
    for (int i = random.nextInt(4); i > 0; i--) {
      batch.append(space()).append(',').append(space()).append(message());
    }
    return batch.append(']').toString();
  }

  /** Returns an envelope. Variable values are written as {@code $} and a letter for their kind. */
  private List<String> envelope() {
    List<String> members = new ArrayList<>();
    if (random.nextInt(20) > 0) {
      members.add(name("jsonrpc") + (random.nextInt(20) == 0 ? "\"2\\u002e0\"" : "\"2.0\""));
    }
    int sort = random.nextInt(10);
    if (sort < 7) {
      String method = METHODS[random.nextInt(METHODS.length)];
      members.add(name("method") + (random.nextInt(20) == 0 ? "$v" : "\"" + method + "\""));
      if (random.nextInt(5) > 0) {
        members.add(name("params") + "$p");
      }
    }
    if (sort < 5 || sort > 6) {
      members.add(name("id") + "$i");
    }
    if (sort > 6 && sort < 9 || random.nextInt(25) == 0) {
      members.add(name("result") + "$v");
    }
    if (sort == 9 || random.nextInt(25) == 0) {
      members.add(name("error") + "$e");
    }
    if (random.nextInt(10) == 0) {
      members.add(name("x") + value(0));
    }
    if (random.nextInt(20) == 0) {
      members.add(members.get(random.nextInt(members.size())));
    }
    if (random.nextInt(3) == 0) {
      Collections.shuffle(members, random);
    }
    List<String> parts = new ArrayList<>();
    parts.add("{" + space());
    for (int i = 0; i < members.size(); i++) {
      parts.add((i > 0 ? space() + "," + space() : "") + members.get(i));
    }
    parts.add(space() + "}");
    return parts;
  }

  /** Returns a name with its colon, sometimes with one letter escaped. */
  private String name(String name) {
    int at = random.nextInt(name.length());
    String written = random.nextInt(25) > 0
        ? name
        : name.substring(0, at)
            + String.format("\\u%04x", (int) name.charAt(at))
            + name.substring(at + 1);
    return "\"" + written + "\"" + space() + ":" + space();
  }

  private String message() {
    StringBuilder message = new StringBuilder();
    for (String part : envelopes.get(random.nextInt(ENVELOPES))) {
      int variable = part.indexOf('$');
      if (variable < 0) {
        message.append(part);
      } else {
        message.append(part, 0, variable).append(variable(part.charAt(variable + 1)));
        message.append(random.nextInt(12) == 0 ? space() : "");
      }
    }
    return message.toString();
  }

  private String variable(char sort) {
    boolean any = random.nextInt(15) == 0;
    return switch (any ? 'v' : sort) {
      case 'i' ->
        random.nextInt(4) == 0 ? "\"" + random.nextInt(99) + "\"" : "" + random.nextInt(9_999);
      case 'p' -> random.nextBoolean() ? array(0) : object(0);
      case 'e' -> "{\"code\":" + random.nextInt(9) + ",\"message\":\"no\"}";
      default -> value(0);
    };
  }

  private String value(int depth) {
    int sort = random.nextInt(depth > 3 ? 8 : 10);
    return sort < 8
        ? SCALARS[random.nextInt(SCALARS.length)]
        : sort == 8 ? array(depth) : object(depth);
  }

  private String array(int depth) {
    StringBuilder array = new StringBuilder("[").append(space());
    for (int i = random.nextInt(random.nextInt(8) == 0 ? 12 : 4); i > 0; i--) {
      array.append(value(depth + 1)).append(space()).append(i > 1 ? "," : "").append(space());
    }
    return array.append(']').toString();
  }

  private String object(int depth) {
    StringBuilder object = new StringBuilder("{").append(space());
    for (int i = random.nextInt(4); i > 0; i--) {
      object.append("\"k").append(random.nextInt(3)).append("\":").append(value(depth + 1));
      object.append(i > 1 ? "," : "");
    }
    return object.append('}').toString();
  }

  private String space() {
    return switch (random.nextInt(24)) {
      case 0 -> " ";
      case 1 -> "\n\t";
      default -> "";
    };
  }

  private String damaged(String text) {
    int at = random.nextInt(text.length());
    String other = message();
    return switch (random.nextInt(5)) {
      case 0 ->
        text.substring(0, at)
            + BYTES.charAt(random.nextInt(BYTES.length()))
            + text.substring(at + 1);
      case 1 -> text.substring(0, at) + text.substring(at + 1);
      case 2 -> text.substring(0, at);
      case 3 -> text.substring(0, at) + other.substring(random.nextInt(other.length()));
      default ->
        text.substring(0, at) + BYTES.charAt(random.nextInt(BYTES.length())) + text.substring(at);
    };
  }

  /** Runs a number of messages from a seed, by hand: {@code Chatter SEED MESSAGES}. */
  public static void main(String[] args) {
    Chatter chatter = new Chatter(Long.parseLong(args[0]));
    long count = Long.parseLong(args[1]);
    for (long i = 1; i <= count; i++) {
      chatter.next();
      if (i % 100_000 == 0) {
        System.out.println(i);
      }
    }
  }
}
