package dev.repartee.examples.traces;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.MemberNames;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import dev.repartee.lsp.types.DiagnosticSeverity;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Recording;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads single lines. The codec of JSON-RPC decides on the messages, and the reader of recordings
 * on the lines of a recording; this class adds the positions. Not thread-safe; made for one pass
 * over a document.
 */
final class LineReader {
  /** The maximum number of findings that a line keeps. */
  private static final int MOST_FINDINGS = 10;

  /** The length to which sentences are cut that contain text of the trace. */
  private static final int LONGEST = 300;

  /** The number of different sentences that a pass stores once. */
  private static final int MOST_SENTENCES = 1_000;

  private static final Limits LIMITS = Limits.builder().batch(10_000).build();

  private static final List<String> NAMES =
      List.of("jsonrpc", "id", "method", "params", "result", "error");
  private static final MemberNames MEMBERS =
      MemberNames.of(UnknownMembers.IGNORE, NAMES.toArray(new String[0]));
  private static final int ID = NAMES.indexOf("id");
  private static final int METHOD = NAMES.indexOf("method");
  private static final int PARAMS = NAMES.indexOf("params");
  private static final int ERROR = NAMES.indexOf("error");

  private static final MemberNames MESSAGE = MemberNames.of(UnknownMembers.IGNORE, "message");

  private final ParsedFrame frame = new ParsedFrame(LIMITS, Set.of());

  /** One string for each method, since a trace repeats its methods. */
  private final Map<String, String> methods = new HashMap<>();

  /** One string for each sentence: a hostile trace could have the same one in each line. */
  private final Map<String, String> sentences = new HashMap<>();

  /** The ranges of the members of the message that is read, in the order of {@link #NAMES}. */
  private final int[] places = new int[2 * NAMES.size()];

  private byte[] bytes = new byte[0];
  private Columns columns = new Columns(bytes, 0);
  private int length;
  private List<TraceMessage> messages = new ArrayList<>();
  private List<Finding> findings = new ArrayList<>();

  /** Reads a line of a file that has one message in each line. */
  TraceLine message(String line) {
    if (line.isBlank()) {
      return TraceLine.BLANK;
    }
    begin(line);
    frame(0, bytes.length);
    return end(null, null, false);
  }

  /** Reads the first line of a recording. */
  TraceLine header(String line) {
    begin(line);
    try {
      Recording.Header.read(Json.parse(bytes));
    } catch (JsonException e) {
      refuse("not the first line of a recording", e);
    }
    return end(null, null, false);
  }

  /** Reads a line of a recording after the first. */
  TraceLine entry(String line) {
    begin(line);
    Entry entry;
    try {
      entry = Entry.read(Json.parse(bytes));
    } catch (JsonException e) {
      refuse("not a line of a recording", e);
      return end(null, null, false);
    }
    if (entry instanceof Entry.Frame sent) {
      return sent(sent);
    }
    if (entry instanceof Entry.Fault fault) {
      add(0, length, DiagnosticSeverity.WARNING, "the peer broke the protocol: " + fault.reason());
    } else if (entry instanceof Entry.Closed closed && closed.reason() != null) {
      add(0, length, DiagnosticSeverity.INFORMATION, "the connection failed: " + closed.reason());
    } else if (entry instanceof Entry.Lost lost) {
      add(0, length, DiagnosticSeverity.INFORMATION, lost.entries() + " events are missing here");
    } else if (entry instanceof Entry.Full) {
      add(0, length, DiagnosticSeverity.INFORMATION, "the recording was full: the rest is missing");
    }
    return end(null, entry, false);
  }

  private TraceLine sent(Entry.Frame sent) {
    boolean isHidden = false;
    if (sent.message() != null) {
      JsonReader in =
          new JsonReader(bytes, JsonScanner.space(bytes, 0, bytes.length), bytes.length);
      int from = 0;
      int to = 0;
      for (int i = MESSAGE.first(in); i >= 0; i = MESSAGE.next(in, i)) {
        from = in.position();
        to = in.skip();
      }
      frame(from, to);
    } else if (sent.text() == null && sent.base64() == null || sent.cut()) {
      isHidden = true;
    } else {
      add(0, length, DiagnosticSeverity.ERROR, "the message is not JSON");
    }
    return end(Stamp.of(sent), null, isHidden);
  }

  private void begin(String line) {
    bytes = line.getBytes(UTF_8);
    columns = new Columns(bytes, line.length());
    length = line.length();
    messages = new ArrayList<>(1);
    findings = new ArrayList<>(0);
  }

  private TraceLine end(@Nullable Stamp stamp, @Nullable Entry event, boolean isHidden) {
    return new TraceLine(stamp, event, isHidden, List.copyOf(messages), List.copyOf(findings));
  }

  /** Reads the message or batch in {@code bytes[from, to)}. */
  private void frame(int from, int to) {
    try {
      JsonRpc.STRICT.decode(bytes, from, to, frame);
    } catch (JsonException e) {
      refuse("not JSON", e);
      return;
    }
    int start = JsonScanner.start(bytes, from, to);
    if (bytes[start] != '[') {
      element(0, start, JsonScanner.skip(bytes, start));
    } else if (!frame.isBatch()) { // refused as a whole
      violation(0, start, JsonScanner.skip(bytes, start));
    } else {
      JsonReader in = new JsonReader(bytes, start, to);
      in.enterArray();
      for (int i = 0; in.more(); i++) {
        int element = in.position();
        element(i, element, in.skip());
      }
      mixture(start);
    }
  }

  private void element(int i, int from, int to) {
    Arrays.fill(places, 0);
    if (bytes[from] == '{') {
      JsonReader in = new JsonReader(bytes, from, to);
      for (int k = MEMBERS.first(in); k >= 0; k = MEMBERS.next(in, k)) {
        places[2 * k] = in.position();
        places[2 * k + 1] = in.skip();
      }
    }
    if (frame.violation(i) != null) {
      violation(i, from, to);
      usable(i, from, to);
      return;
    }
    try {
      Message message = frame.message(i);
      if (message instanceof Request request) {
        unusual(request.id(), from, to);
        call(request.method(), request.id(), from, to);
      } else if (message instanceof Notification notification) {
        call(notification.method(), null, from, to);
      } else if (message instanceof Response response) {
        RpcError error = response.error();
        add(null, response.id(), error == null ? null : text(error), List.of(), null, from, to);
      }
    } catch (ProtocolException e) {
      add(ERROR, from, to, DiagnosticSeverity.ERROR, String.valueOf(e.getMessage()));
      usable(i, from, to);
    }
  }

  private void violation(int i, int from, int to) {
    String member = frame.violatedMember(i);
    int place = member == null ? -1 : NAMES.indexOf(member);
    add(place, from, to, DiagnosticSeverity.ERROR, String.valueOf(frame.violation(i)));
  }

  /**
   * Adds an invalid message with a readable id; it can then be paired with its request or response.
   */
  private void usable(int i, int from, int to) {
    Json id = value(ID);
    Json method = value(METHOD);
    if (id == null
        || id.kind() != Json.Kind.STRING && id.kind() != Json.Kind.NUMBER
        || "id".equals(frame.violatedMember(i))) {
      return;
    }
    if (frame.kind(i) == ParsedFrame.RESPONSE) {
      add(null, Id.of(id), "a malformed response", List.of(), null, from, to);
    } else {
      String name = method == null ? null : method.string();
      call(name == null ? "" : name, Id.of(id), from, to);
    }
  }

  private @Nullable Json value(int member) {
    int to = places[2 * member + 1];
    return to == 0 ? null : UnsafeJson.copy(bytes, places[2 * member], to);
  }

  private void call(String name, @Nullable Id id, int from, int to) {
    String method = methods.computeIfAbsent(name, first -> first);
    int params = places[2 * PARAMS];
    int end = places[2 * PARAMS + 1];
    List<Json> tokens = id == null ? List.of() : Reference.tokens(method, bytes, params, end);
    add(method, id, null, tokens, Reference.in(method, bytes, params, end), from, to);
  }

  private void add(
      @Nullable String method,
      @Nullable Id id,
      @Nullable String error,
      List<Json> tokens,
      @Nullable Reference reference,
      int from,
      int to) {
    messages.add(new TraceMessage(
        columns.of(from),
        columns.of(to),
        columns.of(place(ID, 0, from)),
        columns.of(place(ID, 1, to)),
        columns.of(place(METHOD, 0, from)),
        columns.of(place(METHOD, 1, to)),
        method,
        id,
        error,
        tokens,
        reference));
  }

  /** Reports ids that section 4 of JSON-RPC 2.0 advises against. */
  private void unusual(Id id, int from, int to) {
    if (id.isNull()) {
      add(
          ID,
          from,
          to,
          DiagnosticSeverity.WARNING,
          "the id of a request should not be null: the"
              + " response looks like one to an unreadable message");
    } else if (id.json().kind() == Json.Kind.NUMBER && id.toString().contains(".")) {
      add(ID, from, to, DiagnosticSeverity.WARNING, "a number as id should have no fraction");
    }
  }

  /** Reports a batch with requests and responses. */
  private void mixture(int from) {
    long responses = messages.stream().filter(TraceMessage::isResponse).count();
    if (responses > 0 && responses < messages.size()) {
      int bracket = columns.of(from);
      add(
          bracket,
          bracket + 1,
          DiagnosticSeverity.WARNING,
          "the batch has requests and responses; a batch should have messages of one kind");
    }
  }

  private static String text(RpcError error) {
    return cut("error " + error.code() + ": " + error.message());
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private int place(int member, int end, int otherwise) {
    return places[2 * member + 1] == 0 ? otherwise : places[2 * member + end];
  }

  private void add(int member, int from, int to, DiagnosticSeverity severity, String sentence) {
    boolean isPresent = member >= 0 && places[2 * member + 1] != 0;
    add(
        columns.of(isPresent ? places[2 * member] : from),
        columns.of(isPresent ? places[2 * member + 1] : to),
        severity,
        sentence);
  }

  private void add(int from, int to, DiagnosticSeverity severity, String sentence) {
    if (findings.size() < MOST_FINDINGS) {
      String shown = cut(sentence);
      String stored = sentences.size() < MOST_SENTENCES
          ? sentences.computeIfAbsent(shown, first -> first)
          : sentences.getOrDefault(shown, shown);
      findings.add(new Finding(from, to, severity, stored));
    }
  }

  /** Reports text that is not JSON, at its place, or JSON that does not fit. */
  private void refuse(String what, JsonException e) {
    String sentence = what + ": " + e.getMessage();
    if (e.offset() < 0 || length == 0) {
      add(0, length, DiagnosticSeverity.ERROR, sentence);
    } else {
      int at = Math.min(columns.of(Math.min(e.offset(), bytes.length)), length - 1);
      add(at, at + 1, DiagnosticSeverity.ERROR, sentence);
    }
  }
}
