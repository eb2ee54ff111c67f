package dev.repartee;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The codec of JSON-RPC 2.0. One pass over the bytes of a frame validates the JSON and finds the
 * members of each message, in any order and with any escapes. Thread-safe; each thread decodes into
 * a {@link ParsedFrame} of its own.
 */
public final class JsonRpc implements Codec {
  // Implementation note.
  //
  // decode() records the indices of the members in the ParsedFrame and allocates nothing. Every
  // method
  // that reads a value takes the index of its first byte and returns the index behind its last
  // byte.
  //
  //   decode --> batch --> element --> object --> shaped   the message repeats a known MessageShape
  //         \_____________/                  \--> members  any other message: full parse
  //
  // The result of a message is one of the four kinds of ParsedFrame. element() starts with INVALID,
  // and
  // only classify(), or a known shape, replaces it. Two kinds of fault are treated differently:
  //   - text that is not JSON throws JsonException, and nothing of the frame is served;
  //   - JSON that breaks the rules of JSON-RPC is recorded as bits (InvalidMessage), and decoding
  // continues,
  //     since the other elements of a batch must be served and the id is needed to answer the
  //     fault.
  //
  // members() collects these bits in one int, "seen": bits 0 to 5 say which members are present,
  // the bits above which of them occur twice or have a value of the wrong kind
  // (InvalidMessage.twice,
  // InvalidMessage.wrong). classify() decides on that int alone.
  //
  // An id that cannot be echoed has an empty range, [from, from) if it is present with a wrong
  // value, so that the answer carries id null (section 5). An id that occurs twice counts as
  // unreadable too: either value could be the one that the sender meant.
  //
  // Member names are compared as words of eight bytes that include the quotes. members() reads nine
  // bytes at once only if they are within the frame; shorter rests and escaped names take the slow
  // path through member(byte[], int, int).

  /** The codec. The options of the {@link ParsedFrame} that it decodes into decide on lenience. */
  public static final JsonRpc STRICT = new JsonRpc();

  // The members of a message, one bit each.
  static final int VERSION = 1;
  static final int ID = 2;
  static final int METHOD = 4;
  static final int PARAMS = 8;
  static final int RESULT = 16;
  static final int ERROR = 32;

  /**
   * The faults that make any message invalid: a wrong version or id, or a member that occurs twice.
   */
  private static final int UNUSABLE = InvalidMessage.wrong(VERSION | ID) | InvalidMessage.ANY_TWICE;

  /** The faults that make a message with a method invalid. */
  private static final int NO_REQUEST = InvalidMessage.wrong(METHOD | PARAMS) | RESULT | ERROR;

  // The first eight bytes of each member name, with its quotes. Shorter names are padded with zeros
  // and compared under the masks SEVEN and FOUR; "jsonrpc" has a ninth byte, its closing quote.
  private static final long VERSION_NAME = word("\"jsonrpc");
  private static final long METHOD_NAME = word("\"method\"");
  private static final long PARAMS_NAME = word("\"params\"");
  private static final long RESULT_NAME = word("\"result\"");
  private static final long ERROR_NAME = word("\"error\"\0");
  private static final long ID_NAME = word("\"id\"\0\0\0\0");
  private static final long SEVEN = -1L >>> 8;
  private static final long FOUR = -1L >>> 32;

  private static final byte[] CALL = ascii("{\"jsonrpc\":\"2.0\",\"method\":");
  private static final byte[] WITH_PARAMS = ascii(",\"params\":");
  private static final byte[] WITH_ID = ascii(",\"id\":");
  private static final byte[] ANSWER = ascii("{\"jsonrpc\":\"2.0\",\"result\":");
  private static final byte[] FAILURE = ascii("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":");
  private static final byte[] MESSAGE = ascii(",\"message\":");
  private static final byte[] DATA = ascii(",\"data\":");

  private JsonRpc() {}

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  private static long word(String text) {
    return Bytes.word(ascii(text), 0);
  }

  // ---------------------------------------------------------------- reading

  @Override
  public void decode(byte[] b, int from, int to, ParsedFrame in) {
    int i = Scanner.start(b, from, to);
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
    i = Scanner.space(b, i, to);
    if (i != to) {
      throw new JsonException("text after the message", i);
    }
  }

  private static int batch(byte[] b, int from, int to, ParsedFrame in) {
    int i = Scanner.space(b, from + 1, to);
    int elements = 0;
    if (i < to && b[i] == ']') {
      i++;
    } else {
      while (true) {
        // The elements above the limit are only validated: invalid JSON is answered -32700, not
        // -32600.
        i = elements++ < in.limits.batch()
            ? element(b, i, to, 1, in)
            : in.scanner.value(b, i, to, 1);
        i = Scanner.space(b, i, to);
        if (i >= to || b[i] != ',' && b[i] != ']') {
          throw new JsonException("expected ',' or ']'", i);
        }
        if (b[i++] == ']') {
          break;
        }
        i = Scanner.space(b, i, to);
      }
    }
    if (elements == 0 || elements > in.limits.batch()) {
      in.reset(b, false);
      in.add(ParsedFrame.INVALID);
      in.note(elements == 0 ? InvalidMessage.EMPTY_BATCH : InvalidMessage.LONG_BATCH);
    }
    return i;
  }

  /** Reads one message, or another value in its place, and adds it to {@code in}. */
  private static int element(byte[] b, int i, int to, int depth, ParsedFrame in) {
    if (i < to && b[i] == '{') {
      return object(b, i, to, depth + 1, in);
    }
    in.add(ParsedFrame.INVALID);
    in.params(i, i);
    in.note(InvalidMessage.NO_OBJECT);
    return in.scanner.value(b, i, to, depth);
  }

  private static int object(byte[] b, int from, int to, int depth, ParsedFrame in) {
    in.add(ParsedFrame.INVALID);
    MessageShape shape = in.shape(from, to);
    int end = shape.isKnownAt(depth) ? shaped(shape, b, from, to, depth, in) : -1;
    if (end < 0) {
      in.clear();
      end = members(b, from, to, depth, in);
      shape.learn(b, from, end, depth, in);
    }
    return end;
  }

  /** Reads a message by a known shape; returns -1 if the message does not have that shape. */
  private static int shaped(
      MessageShape shape, byte[] b, int from, int to, int depth, ParsedFrame in) {
    int i = from;
    for (int part = 0; shape.stands(part, b, i, to); part++) {
      int member = shape.member(part);
      shape.noteMethod(part, i, in);
      i += shape.length(part);
      if (member == 0) {
        in.become(shape.kind());
        return i;
      }
      int value = Scanner.space(b, i, to);
      i = value(member, b, value, to, depth, in);
      if (check(member, b, value, i, in) != 0) {
        return -1;
      }
    }
    return -1;
  }

  private static int members(byte[] b, int from, int to, int depth, ParsedFrame in) {
    int seen = 0;
    int i = Scanner.space(b, from + 1, to);
    if (i < to && b[i] == '}') {
      i++;
    } else {
      while (true) {
        if (i >= to || b[i] != '"') {
          throw new JsonException("expected a member name in quotes", i);
        }
        int member = i + 9 <= to ? member(Bytes.word(b, i), b[i + 8]) : 0;
        if (member != 0) {
          i += length(member);
        } else {
          int name = i + 1;
          i = in.scanner.string(b, name, to);
          member =
              in.scanner.escaped ? member(Text.content(b, name, i - 1)) : member(b, name, i - 1);
        }
        i = Scanner.colon(b, i, to);
        int value = i;
        i = value(member, b, value, to, depth, in);
        if (member != 0) {
          boolean twice = (seen & member) != 0;
          seen |=
              member | check(member, b, value, i, in) | (twice ? InvalidMessage.twice(member) : 0);
          if (twice && member == ID) {
            in.id(0, 0); // either may be the request's id: answer with id null
          }
        }
        i = Scanner.space(b, i, to);
        if (i >= to || b[i] != ',' && b[i] != '}') {
          throw new JsonException("expected ',' or '}'", i);
        }
        if (b[i++] == '}') {
          break;
        }
        i = Scanner.space(b, i, to);
      }
    }
    classify(seen, in);
    return i;
  }

  /** Scans the value of a member; records the elements of params that are an array. */
  private static int value(int member, byte[] b, int i, int to, int depth, ParsedFrame in) {
    return member == PARAMS && i < to && b[i] == '['
        ? elements(b, i, to, depth, in)
        : in.scanner.value(b, i, to, depth);
  }

  /** Scans params by position and records the range of each element. */
  private static int elements(byte[] b, int from, int to, int depth, ParsedFrame in) {
    in.scanner.enter(depth + 1, from);
    in.positional();
    int i = Scanner.space(b, from + 1, to);
    if (i < to && b[i] == ']') {
      return i + 1;
    }
    while (true) {
      int start = i;
      i = in.scanner.value(b, i, to, depth + 1);
      in.element(start, i);
      i = Scanner.space(b, i, to);
      if (i >= to || b[i] != ',' && b[i] != ']') {
        throw new JsonException("expected ',' or ']'", i);
      }
      if (b[i++] == ']') {
        return i;
      }
      i = Scanner.space(b, i, to);
    }
  }

  /**
   * Returns the member of a name that has no escapes, from its first nine bytes, quotes included; 0
   * for a name that JSON-RPC does not define.
   */
  private static int member(long first, byte ninth) {
    if (first == METHOD_NAME) {
      return METHOD;
    } else if (first == PARAMS_NAME) {
      return PARAMS;
    } else if ((first & FOUR) == ID_NAME) {
      return ID;
    } else if (first == VERSION_NAME && ninth == '"') {
      return VERSION;
    } else if (first == RESULT_NAME) {
      return RESULT;
    } else {
      return (first & SEVEN) == ERROR_NAME ? ERROR : 0;
    }
  }

  /** Returns the length of a member's name with its quotes. */
  private static int length(int member) {
    return switch (member) {
      case ID -> 4;
      case ERROR -> 7;
      case VERSION -> 9;
      default -> 8;
    };
  }

  /** Returns the member with the name {@code b[from, to)}; 0 if JSON-RPC does not define it. */
  private static int member(byte[] b, int from, int to) {
    switch (to - from) {
      case 2:
        return b[from] == 'i' && b[from + 1] == 'd' ? ID : 0;
      case 5:
        return is(b, from, "error") ? ERROR : 0;
      case 6:
        return switch (b[from]) {
          case 'm' -> is(b, from, "method") ? METHOD : 0;
          case 'p' -> is(b, from, "params") ? PARAMS : 0;
          case 'r' -> is(b, from, "result") ? RESULT : 0;
          default -> 0;
        };
      case 7:
        return is(b, from, "jsonrpc") ? VERSION : 0;
      default:
        return 0;
    }
  }

  private static int member(String name) {
    byte[] plain = Text.utf8(name);
    return member(plain, 0, plain.length);
  }

  private static boolean is(byte[] b, int from, String name) {
    for (int k = 0; k < name.length(); k++) {
      if (b[from + k] != name.charAt(k)) {
        return false;
      }
    }
    return true;
  }

  /** Records the range of a member's value; returns the {@link InvalidMessage} bit of a wrong value, or 0. */
  private static int check(int member, byte[] b, int from, int to, ParsedFrame in) {
    byte first = b[from];
    switch (member) {
      case VERSION:
        return isTwo(b, from, to) ? 0 : InvalidMessage.wrong(VERSION);
      case ID:
        if (first == '{' || first == '[' || first == 't' || first == 'f') {
          in.id(from, from); // an empty range: present, but not to be echoed
          return InvalidMessage.wrong(ID);
        }
        in.id(from, to);
        return 0;
      case METHOD:
        if (first != '"') {
          in.method(from, from, false);
          return InvalidMessage.wrong(METHOD);
        }
        in.method(from + 1, to - 1, in.scanner.escaped);
        return 0;
      case PARAMS:
        if (first == '{' || first == '[') {
          in.params(from, to);
          return 0;
        }
        if (first == 'n' && in.nullParams) {
          return 0;
        }
        in.params(from, from);
        return InvalidMessage.wrong(PARAMS);
      case RESULT:
        in.result(from, to);
        return 0;
      default:
        in.error(from, to);
        return 0;
    }
  }

  /**
   * Returns the index at which the value of a member starts; 0 if the message has no such member.
   */
  static int from(ParsedFrame in, int message, int member) {
    return switch (member) {
      case ID -> in.idFrom(message);
      case PARAMS -> in.paramsFrom(message);
      case RESULT -> in.resultFrom(message);
      default -> in.errorFrom(message);
    };
  }

  /** Returns the index behind the value of a member; 0 if the message has no such member. */
  static int to(ParsedFrame in, int message, int member) {
    return switch (member) {
      case ID -> in.idTo(message);
      case PARAMS -> in.paramsTo(message);
      case RESULT -> in.resultTo(message);
      default -> in.errorTo(message);
    };
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
   * without a method makes it a response, even a faulty one: its id may be that of a call, which
   * then fails instead of waiting for its time-out.
   */
  private static void classify(int seen, ParsedFrame in) {
    boolean versioned = (seen & VERSION) != 0 || in.missingVersion;
    boolean sound = versioned && (seen & UNUSABLE) == 0;
    if ((seen & (RESULT | ERROR)) != 0 && (seen & METHOD) == 0) {
      in.become(ParsedFrame.RESPONSE);
      if (!sound || (seen & ID) == 0 || (seen & RESULT) != 0 == ((seen & ERROR) != 0)) {
        in.flawed();
        in.note(seen | InvalidMessage.OBJECT);
      }
    } else if (sound && (seen & (METHOD | NO_REQUEST)) == METHOD) {
      in.become((seen & ID) != 0 ? ParsedFrame.REQUEST : ParsedFrame.NOTIFICATION);
    } else {
      in.note(seen | InvalidMessage.OBJECT);
    }
  }

  /**
   * Reads the messages of a frame, for tools that process single messages. Elements that are not
   * valid messages are left out. The messages share the array, so do not change it afterwards.
   *
   * @throws JsonException if the frame is not JSON
   * @throws ProtocolException if the error of a response is not an error object (section 5.1)
   */
  public static List<Message> read(byte[] frame) {
    return read(frame, Options.DEFAULT);
  }

  /**
   * Reads a frame as {@link #read(byte[])} does, with the limits and the lenience of these options.
   *
   * @throws JsonException if the frame is not JSON
   * @throws ProtocolException if the error of a response is not an error object (section 5.1)
   */
  public static List<Message> read(byte[] frame, Options options) {
    return read(frame, 0, frame.length, new ParsedFrame(options), true);
  }

  /**
   * Reads the frame {@code b[from, to)} as {@link #read(byte[])} does. The {@link ParsedFrame} can be
   * used for many frames; it remembers the shapes of earlier messages, which makes reading faster.
   * The messages copy the bytes they need, so the array may be overwritten.
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
    out.raw(FAILURE).number(error.code()).raw(MESSAGE).string(error.message());
    Json data = error.data();
    if (data != null) {
      out.raw(DATA).json(data);
    }
    out.put('}');
    id(out, bytes, from, to);
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
      byte[] id = response.id().json().array();
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
