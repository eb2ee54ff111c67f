package dev.repartee.message;

import static dev.repartee.message.MessageMember.ERROR;
import static dev.repartee.message.MessageMember.ID;
import static dev.repartee.message.MessageMember.METHOD;
import static dev.repartee.message.MessageMember.PARAMS;
import static dev.repartee.message.MessageMember.RESULT;
import static dev.repartee.message.MessageMember.VERSION;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.ProtocolException;
import dev.repartee.internal.Bytes;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Lenience;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The codec of JSON-RPC 2.0. One pass over the bytes of a frame validates the JSON and finds the
 * members of each message, in any order and with any escapes. Thread-safe; each thread decodes into
 * its own {@link ParsedFrame}.
 */
public final class JsonRpc implements Codec {
  // Implementation note.
  //
  // decode() records the indices of the members in the ParsedFrame and allocates nothing. Every
  // method that reads a value gets the index of its first byte and returns the index after its
  // last byte.
  //
  //   decode --> batch --> element --> members
  //         \_____________/
  //
  // The result of a message is one of the four kinds of ParsedFrame. element() starts with INVALID,
  // and only classify() replaces it. Two kinds of fault are treated differently:
  //   - text that is not JSON throws JsonException, and nothing of the frame is served;
  //   - JSON that breaks the rules of JSON-RPC is recorded as bits (InvalidMessage), and decoding
  //     continues, since the other elements of a batch must be served and the id is needed to
  //     answer the fault.
  //
  // members() collects these bits in one int, "seen": bits 0 to 5 for the members that are present
  // (MessageMember.bit), and the bits above for members that occur twice or have a value of the
  // wrong kind (InvalidMessage.twice, InvalidMessage.wrong). classify() decides on that int alone.
  //
  // An id that cannot be echoed has an empty range, [from, from) if it is present with a wrong
  // value, so that the answer carries id null (section 5). An id that occurs twice counts as
  // unreadable too: the sender may have meant either value.

  /** The codec. The {@link ParsedFrame} that it decodes into decides on lenience. */
  public static final JsonRpc STRICT = new JsonRpc();

  private static final int OUTCOME = RESULT.bit | ERROR.bit;

  /**
   * The faults that make any message invalid: a wrong version or id, or a member that occurs twice.
   */
  private static final int UNUSABLE =
      InvalidMessage.wrong(VERSION) | InvalidMessage.wrong(ID) | InvalidMessage.ANY_TWICE;

  /** The faults that make a message with a method invalid. */
  private static final int NO_REQUEST =
      InvalidMessage.wrong(METHOD) | InvalidMessage.wrong(PARAMS) | OUTCOME;

  private static final byte[] CALL = ascii("{\"jsonrpc\":\"2.0\",\"method\":");
  private static final byte[] WITH_PARAMS = ascii(",\"params\":");
  private static final byte[] WITH_ID = ascii(",\"id\":");
  private static final byte[] ANSWER = ascii("{\"jsonrpc\":\"2.0\",\"result\":");
  private static final byte[] FAILURE = ascii("{\"jsonrpc\":\"2.0\",\"error\":");
  private static final byte[] CODE = ascii("{\"code\":");
  private static final byte[] MESSAGE = ascii(",\"message\":");
  private static final byte[] DATA = ascii(",\"data\":");

  private JsonRpc() {}

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] b, int from, int to, ParsedFrame in) {
    int i = JsonScanner.start(b, from, to);
    if (i == to) {
      throw new JsonException("the text is empty", i);
    }
    if (b[i] == '[') {
      in.reset(b, true);
      i = batch(b, i, to, in);
    } else {
      in.reset(b, false);
      i = element(b, i, to, 0, in);
    }
    i = JsonScanner.space(b, i, to);
    if (i != to) {
      throw new JsonException("text after the message", i);
    }
  }

  private static int batch(byte[] b, int from, int to, ParsedFrame in) {
    int max = in.limits.batch();
    int elements = 0;
    int i = JsonScanner.first(b, from, to, ']');
    for (; i >= 0; elements++) {
      // The elements above the limit are only validated: invalid JSON is answered with -32700, not
      // -32600.
      int end = elements < max ? element(b, i, to, 1, in) : in.scanner.value(b, i, to, 1);
      i = JsonScanner.next(b, end, to, ']');
    }
    if (elements == 0 || elements > max) {
      in.reset(b, false);
      in.add(ParsedFrame.INVALID);
      in.note(elements == 0 ? InvalidMessage.EMPTY_BATCH : InvalidMessage.LONG_BATCH);
    }
    return ~i;
  }

  /** Reads one message, or another value in its place, and adds it to {@code in}. */
  private static int element(byte[] b, int i, int to, int depth, ParsedFrame in) {
    in.add(ParsedFrame.INVALID);
    if (i < to && b[i] == '{') {
      return members(b, i, to, depth + 1, in);
    }
    in.params(i, i);
    in.note(InvalidMessage.NO_OBJECT);
    return in.scanner.value(b, i, to, depth);
  }

  private static int members(byte[] b, int from, int to, int depth, ParsedFrame in) {
    int seen = 0;
    int i = JsonScanner.first(b, from, to, '}');
    while (i >= 0) {
      int name = JsonScanner.quote(b, i, to);
      // A word at the end of the frame would reach beyond it; escaped names do not match as words.
      MessageMember member = name + 8 <= to ? MessageMember.at(Bytes.word(b, name)) : null;
      int end;
      if (member != null) {
        end = name + member.length;
      } else {
        end = in.scanner.string(b, name, to);
        member = member(b, name, end - 1, in.scanner.hasEscape());
      }
      String other = member == null ? in.nameOfOther(name, end - 1) : null;
      int value = JsonScanner.colon(b, end, to);
      end = value(member, b, value, to, depth, in);
      if (other != null) {
        in.other(other, value, end);
      }
      if (member != null) {
        int wrong = check(member, b, value, end, in);
        if (member.isIn(seen)) {
          wrong |= InvalidMessage.twice(member);
          if (member == ID) {
            in.id(0, 0); // either may be the request's id: answer with id null
          }
        }
        seen |= member.bit | wrong;
      }
      i = JsonScanner.next(b, end, to, '}');
    }
    classify(seen, in);
    return ~i;
  }

  /** Scans the value of a member; records the elements of params that are an array. */
  private static int value(
      @Nullable MessageMember member, byte[] b, int i, int to, int depth, ParsedFrame in) {
    return member == PARAMS && i < to && b[i] == '['
        ? elements(b, i, to, depth, in)
        : in.scanner.value(b, i, to, depth);
  }

  /** Scans params by position and records the range of each element. */
  private static int elements(byte[] b, int from, int to, int depth, ParsedFrame in) {
    in.scanner.enter(depth + 1, from);
    in.positional();
    int i = JsonScanner.first(b, from, to, ']');
    while (i >= 0) {
      int end = in.scanner.value(b, i, to, depth + 1);
      in.element(i, end);
      i = JsonScanner.next(b, end, to, ']');
    }
    return ~i;
  }

  /** Returns the member with the name {@code b[from, to)}; null if JSON-RPC does not define it. */
  private static @Nullable MessageMember member(byte[] b, int from, int to, boolean escaped) {
    if (!escaped) {
      return MessageMember.named(b, from, to);
    }
    byte[] plain = Text.utf8(Text.content(b, from, to));
    return MessageMember.named(plain, 0, plain.length);
  }

  /**
   * Records the range of a member's value; returns the {@link InvalidMessage} bit of a wrong value,
   * or 0.
   */
  private static int check(MessageMember member, byte[] b, int from, int to, ParsedFrame in) {
    byte first = b[from];
    switch (member) {
      case VERSION:
        return isTwo(b, from, to) ? 0 : InvalidMessage.wrong(VERSION);
      case ID:
        if (first != '{' && first != '[' && first != 't' && first != 'f') {
          in.id(from, to);
          return 0;
        }
        break;
      case METHOD:
        if (first == '"') {
          in.method(from + 1, to - 1, in.scanner.hasEscape());
          return 0;
        }
        break;
      case PARAMS:
        if (first == '{' || first == '[') {
          in.params(from, to);
          return 0;
        }
        if (first == 'n' && in.nullParams) {
          return 0; // as if they were missing
        }
        break;
      default:
        in.place(member, from, to);
        return 0;
    }
    in.place(member, from, from); // an empty range: present, but of no use
    return InvalidMessage.wrong(member);
  }

  private static boolean isTwo(byte[] b, int from, int to) {
    return to - from == 5
            && b[from] == '"'
            && b[from + 1] == '2'
            && b[from + 2] == '.'
            && b[from + 3] == '0'
        || b[from] == '"' && to - from > 5 && Text.string(b, from, to).equals("2.0");
  }

  /**
   * Sets the kind of the last message from its members and their faults. A result or an error
   * without a method makes it a response, even a faulty one: it may have the id of a call, which
   * then fails instead of waiting for its time-out.
   */
  private static void classify(int members, ParsedFrame in) {
    int seen =
        in.nullOutcome && (members & OUTCOME) == OUTCOME ? withoutNull(members, in) : members;
    boolean sound = (VERSION.isIn(seen) || in.missingVersion) && (seen & UNUSABLE) == 0;
    if ((seen & OUTCOME) != 0 && !METHOD.isIn(seen)) {
      in.become(ParsedFrame.RESPONSE);
      if (!sound || !ID.isIn(seen) || (seen & OUTCOME) == OUTCOME) {
        in.flawed();
        in.note(seen | InvalidMessage.OBJECT);
      }
    } else if (sound && METHOD.isIn(seen) && (seen & NO_REQUEST) == 0) {
      in.become(ID.isIn(seen) ? ParsedFrame.REQUEST : ParsedFrame.NOTIFICATION);
    } else {
      in.note(seen | InvalidMessage.OBJECT);
    }
  }

  /** Removes the one of result and error that is null from the last message. */
  private static int withoutNull(int seen, ParsedFrame in) {
    MessageMember none = in.isNull(ERROR) ? ERROR : in.isNull(RESULT) ? RESULT : null;
    if (none == null) {
      return seen;
    }
    in.place(none, 0, 0);
    return seen & ~none.bit;
  }

  /**
   * Reads the messages of a frame, for tools that process single messages. Elements that are not
   * valid messages are left out. The messages share the array; do not change it afterwards.
   *
   * @throws JsonException if the frame is not JSON
   * @throws ProtocolException if the error of a response is not an error object (section 5.1)
   */
  public static List<Message> read(byte[] frame) {
    return read(frame, Limits.DEFAULT, Set.of());
  }

  /**
   * Reads a frame as {@link #read(byte[])} does, within these limits and with this lenience.
   *
   * @throws JsonException if the frame is not JSON
   * @throws ProtocolException if the error of a response is not an error object (section 5.1)
   */
  public static List<Message> read(byte[] frame, Limits limits, Set<Lenience> lenience) {
    return read(frame, 0, frame.length, new ParsedFrame(limits, lenience), true);
  }

  /**
   * Reads the frame {@code b[from, to)} as {@link #read(byte[])} does. The {@link ParsedFrame} can
   * be used for many frames. The messages copy the bytes they need; the array may be overwritten.
   *
   * @throws JsonException if the frame is not JSON
   * @throws ProtocolException if the error of a response is not an error object (section 5.1)
   */
  public static List<Message> read(byte[] b, int from, int to, ParsedFrame in) {
    return read(b, from, to, in, false);
  }

  private static List<Message> read(byte[] b, int from, int to, ParsedFrame in, boolean keeping) {
    STRICT.decode(b, from, to, in);
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      Message message = in.message(i, keeping);
      if (message != null) {
        messages.add(message);
      }
    }
    return messages;
  }

  // ---------------------------------------------------------------- writing

  @Override
  public void beginCall(JsonWriter out, long id, String method, boolean structured) {
    out.raw(CALL).string(method);
    if (structured) {
      out.raw(WITH_PARAMS);
    }
  }

  @Override
  public void member(JsonWriter out, String name, Json value) {
    out.put(',').string(name).put(':').json(value);
  }

  @Override
  public void endCall(JsonWriter out, long id) {
    if (id != NO_ID) {
      out.raw(WITH_ID).number(id);
    }
    out.put('}');
  }

  @Override
  public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
    out.raw(ANSWER);
  }

  @Override
  public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
    id(out, bytes, from, to);
  }

  @Override
  public void error(
      JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
    writeError(out.raw(FAILURE), error);
    id(out, bytes, from, to);
  }

  /** Writes an error object (JSON-RPC 2.0 section 5.1), for codecs with errors of this form. */
  public static void writeError(JsonWriter out, RpcError error) {
    out.raw(CODE).number(error.code()).raw(MESSAGE).string(error.message());
    Json data = error.data();
    if (data != null) {
      out.raw(DATA).json(data);
    }
    out.put('}');
  }

  private static void id(JsonWriter out, byte[] bytes, int from, int to) {
    out.raw(WITH_ID);
    if (from == to) {
      out.nil();
    } else {
      out.raw(bytes, from, to);
    }
    out.put('}');
  }

  /** Returns the bytes of a message. */
  public static byte[] write(Message message) {
    JsonWriter out = new JsonWriter();
    if (message instanceof Request request) {
      call(out, request.id(), request.method(), request.params());
    } else if (message instanceof Notification notification) {
      call(out, null, notification.method(), notification.params());
    } else if (message instanceof Response response) {
      byte[] id = UnsafeJson.array(response.id().json());
      RpcError error = response.error();
      if (error != null) {
        STRICT.error(out, id, 0, id.length, null, error);
      } else if (response.result() != null) {
        out.raw(ANSWER).json(response.result());
        id(out, id, 0, id.length);
      }
    }
    return out.toBytes();
  }

  private static void call(JsonWriter out, @Nullable Id id, String method, @Nullable Json params) {
    STRICT.beginCall(out, NO_ID, method, params != null);
    if (params != null) {
      out.json(params);
    }
    if (id != null) {
      out.raw(WITH_ID).json(id.json());
    }
    out.put('}');
  }
}
