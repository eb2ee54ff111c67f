package dev.repartee;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one frame holds, as places in its bytes: a single message or the elements of a batch. Reused
 * from frame to frame, by one thread.
 */
public final class Inbound {
  /** A message that must be answered. */
  public static final int REQUEST = 0;

  /** A message that is never answered. */
  public static final int NOTIFICATION = 1;

  /** An answer to a call of ours. */
  public static final int RESPONSE = 2;

  /** JSON that is no message: answered -32600. */
  public static final int INVALID = 3;

  /** The number of {@link #elements} where they were not noted. */
  static final int UNKNOWN = -1;

  /** The most elements that are noted. */
  static final int SPANS = 8;

  /** A power of two. */
  private static final int SHAPES = 8;

  /** Where a message that begins as most do has the start of its method's name. */
  private static final int NAME = 27;

  private static final int STRIDE = 12;
  private static final int KIND = 0;
  private static final int ID = 1;
  private static final int METHOD = 3;
  private static final int PARAMS = 5;
  private static final int RESULT = 7;
  private static final int ERROR = 9;
  private static final int FLAGS = 11;
  private static final int ESCAPED = 1;
  private static final int FLAWED = 2;

  /** What was {@linkplain #note noted} stands above the flags. */
  private static final int NOTED = 8;

  final Options options;
  final Scanner scanner;
  final Limits limits;
  final boolean nullParams;
  final boolean missingVersion;

  private byte[] bytes = new byte[0];
  private int[] table = new int[STRIDE];
  private int count;
  private boolean batch;

  // Of a single message.
  private int elements = UNKNOWN;
  private final int[] spans = new int[2 * SPANS];

  /** How messages looked that began alike. */
  private final @Nullable MessageShape[] shapes = new MessageShape[SHAPES];

  /** A place to decode into under these options. */
  public Inbound(Options options) {
    this.options = options;
    this.limits = options.limits();
    this.scanner = new Scanner(limits.depth());
    this.nullParams = options.lenience().contains(Options.Lenience.NULL_PARAMS);
    this.missingVersion = options.lenience().contains(Options.Lenience.MISSING_VERSION);
  }

  /** Starts over with the frame that all places are in. */
  public void reset(byte[] frame, boolean batch) {
    this.bytes = frame;
    this.batch = batch;
    this.count = 0;
    this.elements = UNKNOWN;
  }

  /** The shape that the message at {@code from} may have: that of one like it, if there was one. */
  MessageShape shape(int from, int to) {
    long name = from + NAME + 8 <= to ? Bytes.word(bytes, from + NAME) : 0;
    int at = (int) (name * Service.MIX >>> 32) & SHAPES - 1;
    MessageShape shape = shapes[at];
    if (shape == null) {
      shape = new MessageShape();
      shapes[at] = shape;
    }
    return shape;
  }

  /** The params of the last message are an array, whose elements follow. */
  void positional() {
    elements = batch ? UNKNOWN : 0;
  }

  /** Sets the place of the next element of the params. */
  void element(int from, int to) {
    if (elements >= 0 && elements < SPANS) {
      spans[2 * elements] = from;
      spans[2 * elements + 1] = to;
      elements++;
    } else {
      elements = UNKNOWN;
    }
  }

  /** How many elements the params of the one message have, if that is known. */
  int elements() {
    return elements;
  }

  /** Copies the places of the elements, less {@code shift}. */
  void spans(int[] into, int shift) {
    for (int k = 0; k < 2 * elements; k++) {
      into[k] = spans[k] - shift;
    }
  }

  /** Adds a message of that kind, with nothing in it yet. */
  public void add(int kind) {
    int at = count++ * STRIDE;
    if (at == table.length) {
      table = Arrays.copyOf(table, table.length * 2);
    }
    Arrays.fill(table, at, at + STRIDE, 0);
    table[at + KIND] = kind;
  }

  /** Forgets what was noted of the last message. */
  void clear() {
    count--;
    add(INVALID);
    elements = UNKNOWN;
  }

  /** Settles the kind of the last message. */
  public void become(int kind) {
    table[(count - 1) * STRIDE + KIND] = kind;
  }

  /** Sets the place of the last message's id literal. */
  public void id(int from, int to) {
    place(ID, from, to);
  }

  /** Sets the place of the last message's method name, without quotes. */
  public void method(int from, int to, boolean escaped) {
    place(METHOD, from, to);
    if (escaped) {
      flag(ESCAPED);
    }
  }

  /** Sets the place of the last message's params. */
  public void params(int from, int to) {
    place(PARAMS, from, to);
  }

  /** Sets the place of the last message's result. */
  public void result(int from, int to) {
    place(RESULT, from, to);
  }

  /** Sets the place of the last message's error object. */
  public void error(int from, int to) {
    place(ERROR, from, to);
  }

  /** Marks the last message as a response that breaks the rules: it can fail its call, not end it. */
  public void flawed() {
    flag(FLAWED);
  }

  /** Notes of the last message, which breaks the rules, what {@link Flaw} tells of it. */
  void note(int flaws) {
    flag(flaws << NOTED);
  }

  private void place(int field, int from, int to) {
    int at = (count - 1) * STRIDE + field;
    table[at] = from;
    table[at + 1] = to;
  }

  private void flag(int flag) {
    table[(count - 1) * STRIDE + FLAGS] |= flag;
  }

  int noted(int i) {
    return table[i * STRIDE + FLAGS] >>> NOTED;
  }

  /** The frame. */
  byte[] bytes() {
    return bytes;
  }

  /** Whether the frame holds a batch. */
  public boolean isBatch() {
    return batch;
  }

  int count() {
    return count;
  }

  int kind(int i) {
    return table[i * STRIDE + KIND];
  }

  int idFrom(int i) {
    return table[i * STRIDE + ID];
  }

  int idTo(int i) {
    return table[i * STRIDE + ID + 1];
  }

  int methodFrom(int i) {
    return table[i * STRIDE + METHOD];
  }

  int methodTo(int i) {
    return table[i * STRIDE + METHOD + 1];
  }

  boolean methodEscaped(int i) {
    return (table[i * STRIDE + FLAGS] & ESCAPED) != 0;
  }

  int paramsFrom(int i) {
    return table[i * STRIDE + PARAMS];
  }

  int paramsTo(int i) {
    return table[i * STRIDE + PARAMS + 1];
  }

  int resultFrom(int i) {
    return table[i * STRIDE + RESULT];
  }

  int resultTo(int i) {
    return table[i * STRIDE + RESULT + 1];
  }

  int errorFrom(int i) {
    return table[i * STRIDE + ERROR];
  }

  int errorTo(int i) {
    return table[i * STRIDE + ERROR + 1];
  }

  /**
   * The message as a value of its own, or null for what is none.
   *
   * @param keeping whether it may keep the array, which nobody changes then
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
        Json result = json(resultFrom(i), resultTo(i), keeping);
        return new Response(id(i), result, result == null ? error(i) : null);
      default:
        return null;
    }
  }

  /** The id, {@link Id#NULL} where there is none. */
  Id id(int i) {
    return idFrom(i) == idTo(i) ? Id.NULL : Id.of(Json.copy(bytes, idFrom(i), idTo(i)));
  }

  String methodName(int i) {
    return Text.content(bytes, methodFrom(i), methodTo(i));
  }

  /**
   * The error object of a response.
   *
   * @throws ProtocolException if it is not one (JSON-RPC 2.0 section 5.1)
   */
  RpcError error(int i) {
    Json error = Json.copy(bytes, errorFrom(i), errorTo(i));
    Json code = required(error, "code", Json.Kind.NUMBER);
    Json message = required(error, "message", Json.Kind.STRING);
    try {
      return new RpcError(code.as(int.class), message.as(String.class), error.get("data"));
    } catch (JsonException e) {
      throw new ProtocolException("the member 'code' of the error: " + e.getMessage());
    }
  }

  private static Json required(Json error, String name, Json.Kind kind) {
    Json value = error.get(name);
    if (value == null || value.kind() != kind) {
      throw new ProtocolException("the member '" + name + "' of the error is "
          + (value == null ? "missing" : value.kind().phrase) + ", but has to be " + kind.phrase);
    }
    return value;
  }

  private @Nullable Json json(int from, int to, boolean keeping) {
    if (from == to) {
      return null;
    }
    return keeping ? Json.slice(bytes, from, to) : Json.copy(bytes, from, to);
  }

  boolean isFlawed(int i) {
    return (table[i * STRIDE + FLAGS] & FLAWED) != 0;
  }
}
