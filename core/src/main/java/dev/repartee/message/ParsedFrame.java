package dev.repartee.message;

import dev.repartee.ProtocolException;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Lenience;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one decoded frame: a single message or the elements of a batch. A {@link Codec}
 * fills it in. It stores no values, only the positions of id, method, params, result and error in
 * the bytes of the frame. Positions are indexes of the frame's array: a start, and an end that is
 * exclusive.
 *
 * <p>Reused from frame to frame; not thread-safe.
 */
public final class ParsedFrame {
  /*
   * Implementation note. All messages of a frame share the array table, with STRIDE ints for each:
   *
   *   0      kind
   *   1, 2   id       start and end; equal if the member is missing
   *   3, 4   method   without the quotes
   *   5, 6   params
   *   7, 8   result
   *   9, 10  error
   *   11     flags: ESCAPED, FLAWED, and from bit 8 (NOTED) on the defects that InvalidMessage
   *          explains
   *
   * A flat array is reused for each frame; decoding allocates nothing. The positions are valid only
   * while the frame's bytes are: an Exchange that outlives the read copies them.
   *
   * The codec calls add() with a preliminary kind, then sets the members as it finds them, then
   * calls become(). All setters act on the last message.
   *
   * For a single message, spans also holds the positions of up to SPANS positional params. They are
   * found anyway while the message is validated, and a typed method then needs no second pass. A
   * batch has only one array of spans; elements stays UNKNOWN there.
   *
   * One thread uses a ParsedFrame, in its Scratch, for all connections that have the same
   * limits and lenience.
   */

  /** The kind of a request: it must be answered. */
  public static final int REQUEST = 0;

  /** The kind of a notification: it is never answered. */
  public static final int NOTIFICATION = 1;

  /** The kind of a response to a call of this side. */
  public static final int RESPONSE = 2;

  /** The kind of JSON that is not a valid message: it is answered with -32600. */
  public static final int INVALID = 3;

  /** The maximum number of bytes of an additional member that is noted. */
  private static final int MEMBER_BYTES = 8192;

  /** The maximum number of bytes of the name of an additional member that is noted. */
  private static final int MEMBER_NAME = 256;

  /** The value of {@link #elements()} if the positions of the params were not noted. */
  public static final int UNKNOWN = -1;

  /** The maximum number of positional params that are noted. */
  public static final int SPANS = 8;

  private static final int STRIDE = 12;
  private static final int KIND = 0;
  static final int ID = 1;
  static final int METHOD = 3;
  static final int PARAMS = 5;
  static final int RESULT = 7;
  static final int ERROR = 9;
  private static final int FLAGS = 11;
  private static final int ESCAPED = 1;
  private static final int FLAWED = 2;

  /** The number of bits to shift the defects that were {@linkplain #note noted}. */
  private static final int NOTED = 8;

  final JsonScanner scanner;
  final Limits limits;
  final boolean nullParams;
  final boolean missingVersion;
  final boolean nullOutcome;

  private final Set<Lenience> lenience;
  private byte[] bytes = new byte[0];
  private int[] table = new int[STRIDE];
  private int count;
  private boolean batch;
  private @Nullable String reason;
  private @Nullable RpcError refusal;

  /** The names of the additional members that are noted; null, usually, for none. */
  private @Nullable Set<String> others;

  /** The additional members by message and name; null if there are none. */
  private @Nullable Map<Integer, Map<String, Span>> noted;

  // For a single message only.
  private int elements = UNKNOWN;
  private final int[] spans = new int[2 * SPANS];

  /** Creates an empty instance for decoding within these limits and with this lenience. */
  public ParsedFrame(Limits limits, Set<Lenience> lenience) {
    this.limits = limits;
    this.lenience = lenience;
    this.scanner = new JsonScanner(limits.depth());
    this.nullParams = lenience.contains(Lenience.NULL_PARAMS);
    this.missingVersion = lenience.contains(Lenience.MISSING_VERSION);
    this.nullOutcome = lenience.contains(Lenience.NULL_OUTCOME);
  }

  /** Returns whether this instance was created with these objects. */
  public boolean isFor(Limits limits, Set<Lenience> lenience) {
    return this.limits == limits && this.lenience == lenience;
  }

  /**
   * Removes all messages and starts a new frame.
   *
   * @param frame the array that all positions refer to
   * @param batch whether the frame holds a batch
   */
  public void reset(byte[] frame, boolean batch) {
    this.bytes = frame;
    this.batch = batch;
    this.count = 0;
    this.elements = UNKNOWN;
    this.reason = null;
    this.refusal = null;
    this.noted = null;
  }

  /** The position of an additional member. */
  private record Span(int from, int to) {}

  /** Sets the names of the additional members to note in the next frames; null for none. */
  void readOthers(@Nullable Set<String> names) {
    others = names;
  }

  /** Returns the name of an additional member if that is to be noted; else null. */
  @Nullable String nameOfOther(int from, int to) {
    if (others == null || to - from > MEMBER_NAME) {
      return null;
    }
    String name = Text.content(bytes, from, to);
    return others.contains(name) ? name : null;
  }

  /** Notes an additional member of the last message, unless it is too long or is a repetition. */
  void other(String name, int from, int to) {
    if (to - from > MEMBER_BYTES) {
      return;
    }
    if (noted == null) {
      noted = new HashMap<>();
    }
    noted.computeIfAbsent(count - 1, i -> new HashMap<>()).putIfAbsent(name, new Span(from, to));
  }

  /**
   * Returns copies of the additional members of a message by name, as far as {@link
   * Dialect#withMembers} names them. Empty if there are none.
   */
  public Map<String, Json> members(int i) {
    if (noted == null) {
      return Map.of();
    }
    Map<String, Json> members = new HashMap<>();
    noted
        .getOrDefault(i, Map.of())
        .forEach((name, at) -> members.put(name, UnsafeJson.copy(bytes, at.from, at.to)));
    return members;
  }

  /** Starts the list of positional params of the last message; {@link #element} adds each. */
  void positional() {
    elements = batch ? UNKNOWN : 0;
  }

  /** Adds the position of the next positional param; past {@link #SPANS} all are forgotten. */
  void element(int from, int to) {
    if (elements >= 0 && elements < SPANS) {
      spans[2 * elements] = from;
      spans[2 * elements + 1] = to;
      elements++;
    } else {
      elements = UNKNOWN;
    }
  }

  /** Returns the number of positional params of the single message, or {@link #UNKNOWN}. */
  public int elements() {
    return elements;
  }

  /**
   * Copies the positions of the positional params, each reduced by {@code shift}.
   *
   * @param into gets a start and an end for each param
   */
  public void spans(int[] into, int shift) {
    for (int k = 0; k < 2 * elements; k++) {
      into[k] = spans[k] - shift;
    }
  }

  /** Adds a message of that kind with no members yet. */
  public void add(int kind) {
    int at = count++ * STRIDE;
    if (at == table.length) {
      table = Arrays.copyOf(table, table.length * 2);
    }
    Arrays.fill(table, at, at + STRIDE, 0);
    table[at + KIND] = kind;
  }

  /** Sets the kind of the last message. */
  public void become(int kind) {
    table[(count - 1) * STRIDE + KIND] = kind;
  }

  /** Sets the position of the last message's id literal. */
  public void id(int from, int to) {
    place(ID, from, to);
  }

  /**
   * Sets the position of the last message's method name, without its quotes.
   *
   * @param escaped whether the name contains a JSON escape sequence
   */
  public void method(int from, int to, boolean escaped) {
    place(METHOD, from, to);
    if (escaped) {
      flag(ESCAPED);
    }
  }

  /** Sets the position of the last message's params. */
  public void params(int from, int to) {
    place(PARAMS, from, to);
  }

  /** Sets the position of the last message's result. */
  public void result(int from, int to) {
    place(RESULT, from, to);
  }

  /** Sets the position of the last message's error object. */
  public void error(int from, int to) {
    place(ERROR, from, to);
  }

  /**
   * Marks the last message as an invalid response. Its call fails with {@link ProtocolException}.
   */
  public void flawed() {
    flag(FLAWED);
  }

  /**
   * Sets the reason why a message of this frame is invalid, for an envelope other than JSON-RPC
   * 2.0: a sentence that names members and kinds, but no value, since it may be logged where the
   * message must not be.
   */
  public void reason(String reason) {
    this.reason = reason;
  }

  /**
   * Marks the last message as well-formed but not to be served, such as a request of another
   * version. It is {@link #INVALID}, and the message of the error is the reason. The answer is this
   * error instead of -32600, and the connection continues.
   */
  public void refuse(RpcError error) {
    become(INVALID);
    refusal = error;
    reason = error.message();
  }

  /** Returns the error that answers the invalid message; null for -32600. */
  public @Nullable RpcError refusal() {
    return refusal;
  }

  /** Returns the reason that the codec gave; null if it gave none. */
  public @Nullable String reason() {
    return reason;
  }

  /** Returns the scanner with the depth limit, for codecs. */
  public JsonScanner scanner() {
    return scanner;
  }

  /** Adds defects of the last message; {@link InvalidMessage} explains them. */
  void note(int flaws) {
    flag(flaws << NOTED);
  }

  /** Sets the position of a member of the last message. */
  void place(MessageMember member, int from, int to) {
    place(member.field, from, to);
  }

  /** Returns whether a member of the last message, which has to be present, is null. */
  boolean isNull(MessageMember member) {
    return bytes[from(count - 1, member)] == 'n';
  }

  private void place(int field, int from, int to) {
    int at = (count - 1) * STRIDE + field;
    table[at] = from;
    table[at + 1] = to;
  }

  private void flag(int flag) {
    table[(count - 1) * STRIDE + FLAGS] |= flag;
  }

  /** Returns the defects of a message. */
  int noted(int i) {
    return table[i * STRIDE + FLAGS] >>> NOTED;
  }

  /** Returns the array that all positions refer to. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns whether the frame holds a batch. */
  public boolean isBatch() {
    return batch;
  }

  /** Returns the number of messages. */
  public int count() {
    return count;
  }

  /** Returns the kind of the message with index {@code i}, such as {@link #REQUEST}. */
  public int kind(int i) {
    return table[i * STRIDE + KIND];
  }

  /**
   * Returns the reason why the message with index {@code i} is invalid: a sentence that names
   * members, kinds and limits, but no value. Returns null if the message is valid, or is a response
   * of which only the error object is malformed; {@link #message} refuses that.
   */
  public @Nullable String violation(int i) {
    return kind(i) == INVALID || isFlawed(i) ? InvalidMessage.of(this, i) : null;
  }

  /**
   * Returns the name of the member that the {@linkplain #violation violation} is about, which may
   * be missing: {@code jsonrpc}, {@code id}, {@code method}, {@code params}, {@code result} or
   * {@code error}. Returns null if there is no violation, or if it is about the whole message.
   */
  public @Nullable String violatedMember(int i) {
    boolean invalid = kind(i) == INVALID || isFlawed(i);
    MessageMember member = invalid ? InvalidMessage.member(this, i) : null;
    return member == null ? null : member.label();
  }

  /** Returns the index of the value of a member; 0 if the message has no such member. */
  int from(int i, MessageMember member) {
    return table[i * STRIDE + member.field];
  }

  /** Returns the index after the value of a member; 0 if the message has no such member. */
  int to(int i, MessageMember member) {
    return table[i * STRIDE + member.field + 1];
  }

  /** Returns the start of the id; equal to {@link #idTo} if the message has none. */
  public int idFrom(int i) {
    return table[i * STRIDE + ID];
  }

  /** Returns the end of the id. */
  public int idTo(int i) {
    return table[i * STRIDE + ID + 1];
  }

  /** Returns the start of the method name, after its quote; 0 if the message has none. */
  public int methodFrom(int i) {
    return table[i * STRIDE + METHOD];
  }

  /** Returns the end of the method name, before its quote. */
  public int methodTo(int i) {
    return table[i * STRIDE + METHOD + 1];
  }

  /** Returns whether the method name contains a JSON escape sequence. */
  public boolean methodEscaped(int i) {
    return (table[i * STRIDE + FLAGS] & ESCAPED) != 0;
  }

  /** Returns the start of the params; equal to {@link #paramsTo} if the message has none. */
  public int paramsFrom(int i) {
    return table[i * STRIDE + PARAMS];
  }

  /** Returns the end of the params. */
  public int paramsTo(int i) {
    return table[i * STRIDE + PARAMS + 1];
  }

  /** Returns the start of the result; equal to {@link #resultTo} if the message has none. */
  public int resultFrom(int i) {
    return table[i * STRIDE + RESULT];
  }

  /** Returns the end of the result. */
  public int resultTo(int i) {
    return table[i * STRIDE + RESULT + 1];
  }

  /** Returns the start of the error object; equal to {@link #errorTo} if the message has none. */
  public int errorFrom(int i) {
    return table[i * STRIDE + ERROR];
  }

  /** Returns the end of the error object. */
  public int errorTo(int i) {
    return table[i * STRIDE + ERROR + 1];
  }

  /**
   * Returns a copy of the message with index {@code i}; null if it is invalid.
   *
   * @throws ProtocolException if it is a response with a malformed error (JSON-RPC 2.0 section 5.1)
   */
  public @Nullable Message message(int i) {
    return message(i, false);
  }

  /**
   * Returns a message as a {@link Message} object; null if it is invalid.
   *
   * @param keeping whether the result may share the frame's array, which must not change then
   */
  @Nullable Message message(int i, boolean keeping) {
    switch (kind(i)) {
      case REQUEST:
        return new Request(id(i), methodName(i), json(paramsFrom(i), paramsTo(i), keeping));
      case NOTIFICATION:
        return new Notification(methodName(i), json(paramsFrom(i), paramsTo(i), keeping));
      case RESPONSE:
        if (isFlawed(i)) {
          return null;
        }
        if (errorFrom(i) != errorTo(i)) {
          return new Response(id(i), null, error(i));
        }
        Json result = json(resultFrom(i), resultTo(i), keeping);
        return new Response(id(i), result == null ? Json.NULL : result, null);
      default:
        return null;
    }
  }

  /** Returns the id of a message; {@link Id#NULL} if it has none. */
  public Id id(int i) {
    return idFrom(i) == idTo(i) ? Id.NULL : Id.received(UnsafeJson.copy(bytes, idFrom(i), idTo(i)));
  }

  /** Returns the method name, without JSON escape sequences. Allocates. */
  public String methodName(int i) {
    return Text.content(bytes, methodFrom(i), methodTo(i));
  }

  /**
   * Returns the error object of a response.
   *
   * @throws ProtocolException if it is not a valid error object (JSON-RPC 2.0 section 5.1)
   */
  RpcError error(int i) {
    return RpcError.received(UnsafeJson.copy(bytes, errorFrom(i), errorTo(i)));
  }

  private @Nullable Json json(int from, int to, boolean keeping) {
    if (from == to) {
      return null;
    }
    return keeping ? UnsafeJson.slice(bytes, from, to) : UnsafeJson.copy(bytes, from, to);
  }

  /**
   * Returns whether an {@link #INVALID} message has an id and a method, so that its sender waits
   * for an answer.
   */
  public boolean isInvalidRequest(int i) {
    return idTo(i) > idFrom(i) && methodFrom(i) > 0; // a method of the wrong kind has no length
  }

  /** Returns whether a codec marked the message as an {@linkplain #flawed invalid} response. */
  public boolean isFlawed(int i) {
    return (table[i * STRIDE + FLAGS] & FLAWED) != 0;
  }
}
