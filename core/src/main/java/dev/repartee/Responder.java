package dev.repartee;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Framing;
import dev.repartee.internal.Bytes;
import dev.repartee.internal.HttpGuard;
import dev.repartee.internal.TextChecks;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ReadingThread;
import dev.repartee.transport.http.HttpReply;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The serving half of the engine: it decodes frames, runs the methods of a service and sends the
 * replies. Inside a {@link Peer} it serves one connection, inside a {@link FrameResponder} one
 * frame. Thread-safe.
 */
final class Responder {
  // Implementation note.
  //
  // The path of a frame:
  //
  //   serve --> Codec.decode --> dispatch, for a single message
  //                         \--> serveBatch --> dispatch, for each element
  //   dispatch --> a request or notification --> run     a response --> Responses.accept
  //                                                      an invalid message --> error -32600
  //
  // All of them get the Element of the thread's Scratch, which points at one message.
  //
  // run() has three ways, from fast to slow:
  //   1. Inline, borrowed: the BorrowedExchange of the Element refers to the read buffer; nothing
  //      is copied. Only for methods that give user code nothing but arguments, without layers
  //      (ServerContext.isSeen) or if the checks of the only layer accept the params (TextChecks).
  //   2. Inline, owned: the handler gets a Call or may answer later. An OwnedExchange copies the
  //      bytes and is registered with the Scheduler, but runs on the reader.
  //   3. Queued: the Scheduler starts the OwnedExchange on a worker.
  //
  // A request must be answered once, or the connection must end; anything else leaves a caller
  // waiting:
  //   - A fault before the commit of a result is answered with an error.
  //   - Any other fault ends the connection (Connection.abort): an error that cannot be written; a
  //     fault in the commit, since it is unknown whether the frame will be sent; and a fault while
  //     a frame is decoded or dispatched, since it may contain requests that no code knows of.
  //   - A notification cannot be answered. If it exceeds a limit on a connection, the connection
  //     ends, because later messages may depend on it.
  //
  // Without a peer (FrameResponder) this side makes no calls, and a response is an invalid message.
  // Every fault is answered. A peer that is a client (Options.answersUnreadable) answers no input
  // but requests, and reports other input once, since a server that logs to its standard output
  // does so for every call.
  //
  // Threads. serve() runs on one thread at a time; answers come from any thread. closing is
  // volatile and is read after scheduler.beginFrame(): a request that was not refused keeps the
  // connection from becoming idle, and its answer is sent before the end.

  private final Connection connection;
  private final ServerContext context;
  private final Scheduler scheduler;
  private final @Nullable Peer peer;

  private volatile boolean closing;

  /** Whether an error with the id null waits for the answers to earlier requests. */
  private volatile boolean faultWaits;

  /** The first input that was reported but not answered; null if there is none. */
  private volatile @Nullable String unreadable;

  Responder(Connection connection) {
    this.connection = connection;
    this.context = connection.context();
    this.scheduler = connection.scheduler();
    this.peer = connection.peer();
  }

  // ---------------------------------------------------------------- one frame

  /**
   * Serves a frame that came without a connection. If it cannot be served, a reply is impossible,
   * and all its calls are abandoned. Throws nothing.
   */
  void serveAlone(byte[] b, int from, int to) {
    try {
      serve(b, from, to);
    } catch (Throwable e) {
      connection.abort(e);
      scheduler.abandon();
    }
  }

  /**
   * Serves a frame; returns whether it was JSON. If this throws, usually for lack of memory, the
   * frame may contain requests that will never be answered. Then the caller has to {@linkplain
   * Connection#abort end} the connection.
   */
  boolean serve(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    scheduler.beginFrame(); // before "closing" is read: a request that is not refused is answered
    scheduler.calls().received(to - from);
    try {
      Element element =
          scratch.element(context.options().limits(), context.options().lenience());
      element.from = from;
      element.to = to;
      try {
        connection.codec().decode(b, from, to, element.frame);
      } catch (JsonException e) {
        String what = e.inTextFrom(from) + framingHint(b, from, to);
        String near = near(b, Math.max(from, e.offset()), to);
        refuseText(
            Errors.notJson(what),
            !answersFaults() && HttpGuard.isResponse(b, from, to)
                ? "not JSON but an HTTP response" + near
                    + ": the other side speaks HTTP; connect with http: or ws:"
                : "not JSON, " + what + near,
            e.limit());
        return false;
      }
      if (element.frame.isBatch()) {
        serveBatch(element, to - from);
      } else {
        dispatch(element);
      }
      return true;
    } finally {
      scratch.release();
      scheduler.endFrame();
    }
  }

  /** Returns whether all valid messages of a frame are for methods declared idempotent. */
  boolean isIdempotent(byte[] b, int from, int to) {
    Scratch scratch = Scratch.take();
    try {
      Element element =
          scratch.element(context.options().limits(), context.options().lenience());
      connection.codec().decode(b, from, to, element.frame);
      for (int i = 0; i < Math.max(1, element.frame.count()); i++) {
        int kind = element.frame.kind(i);
        if (kind == ParsedFrame.REQUEST || kind == ParsedFrame.NOTIFICATION) {
          RpcMethod method = context.service().find(element.frame.methodName(i));
          if (method != null && !method.isIdempotent()
              || method == null && context.service().servesOthers()) {
            return false;
          }
        }
      }
      return true;
    } catch (JsonException e) {
      return true; // nothing of it can be run
    } finally {
      scratch.release();
    }
  }

  /**
   * Returns the remedy for a peer that uses another framing where each line is a message: for a
   * line with an opening bracket alone, the first one of a message on several lines, and for a
   * header line of {@link Framing#CONTENT_LENGTH}.
   */
  private String framingHint(byte[] b, int from, int to) {
    if (!connection.info().framing().equals(Framing.LINES.label())) {
      return "";
    }
    int start = JsonScanner.start(b, from, to);
    if (Bytes.isIgnoringCase(b, start, Bytes.find(b, start, to, ':'), "content-length")) {
      return "; under #framing=lines a message is one line; one after a Content-Length header needs"
          + " #framing=content-length";
    }
    boolean begun = start < to
        && (b[start] == '{' || b[start] == '[')
        && JsonScanner.space(b, start + 1, to) == to;
    return begun
        ? "; under #framing=lines a message is one line, and #framing=concatenated takes several"
        : "";
  }

  /** Returns an excerpt of the input at a fault, for a client: its server may explain it there. */
  private String near(byte[] b, int at, int to) {
    return answersFaults() || at >= to ? "" : ", near " + Bytes.excerpt(b, at, to);
  }

  private void serveBatch(Element element, int size) {
    LimitException refusal = scheduler.checkRoom(size);
    if (refusal != null) {
      RpcError busy = connection.busy(refusal);
      refusedMessage(refusal.limit(), busy);
      refuseMessage(busy, "a batch: " + refusal.getMessage());
      return;
    }
    ParsedFrame frame = element.frame;
    int due = 0;
    for (int i = 0; i < frame.count(); i++) {
      due += isResponseDue(frame, i) ? 1 : 0;
    }
    BatchReply reply = new BatchReply(connection, due);
    try {
      int slot = 0;
      for (int i = 0; i < frame.count(); i++) {
        element.moveTo(i, reply, slot);
        dispatch(element);
        slot += isResponseDue(frame, i) ? 1 : 0;
      }
    } finally {
      element.leaveBatch();
    }
    reply.allDispatched();
  }

  private boolean isResponseDue(ParsedFrame frame, int i) {
    return switch (frame.kind(i)) {
      case ParsedFrame.REQUEST -> true;
      case ParsedFrame.INVALID -> answersFaults() || frame.isInvalidRequest(i);
      case ParsedFrame.RESPONSE -> peer == null;
      default -> false;
    };
  }

  private void dispatch(Element element) {
    switch (element.kind()) {
      case ParsedFrame.REQUEST -> {
        scheduler.countAnswer(element.idTo() - element.idFrom());
        RpcMethod method = element.methodOf(context.service());
        RpcError denied = check(element, method);
        if (method == null && context.hasLayers()) {
          method = RpcMethod.unknown(element.methodName(), context.options().types());
        }
        if (denied != null) {
          refuse(element, method, reasonOfDenial(), denied);
        } else if (method == null) {
          RpcError unknown = context.noMethod(element.methodName());
          refuse(element, null, RefusedCall.METHOD, unknown);
        } else if (closing) {
          RpcError busy = context.options().dialect().busy(Ending.LIMIT, 0);
          refuse(element, method, RefusedCall.CLOSING, busy);
        } else {
          LimitException refusal = run(element, method);
          if (refusal != null) {
            refuse(element, method, refusal.limit(), connection.busy(refusal));
          }
        }
      }
      case ParsedFrame.NOTIFICATION -> {
        RpcMethod method = element.methodOf(context.service());
        if (mayBelongToStream(method) && push(element)) {
          break;
        }
        RpcError denied = check(element, method);
        if (denied != null) {
          scheduler.calls().failed();
          reportRefused(element, method, reasonOfDenial(), denied);
          break;
        }
        LimitException refusal = method == null ? null : run(element, method);
        if (refusal != null) {
          reportRefused(element, method, refusal.limit(), connection.busy(refusal));
          refuseNotification(refusal);
        }
      }
      case ParsedFrame.RESPONSE -> {
        if (peer != null) {
          peer.caller().responses().accept(element.frame, element.index());
          if (element.frame.isFlawed(element.index())) {
            endAfterInvalid();
          }
        } else {
          refuse(element, "the message is a response, but nothing was called here");
        }
      }
      default -> refuse(element, element.violation());
    }
    ReadingThread
        .clearInterrupt(); // an inline handler, or a callback of an answer, may have set it
  }

  /**
   * Decides about a call; returns the error if it is refused, else null. The error code of a single
   * message is the status of its HTTP response, too.
   */
  private @Nullable RpcError check(Element element, @Nullable RpcMethod method) {
    Permissions permissions = context.permissions();
    if (permissions == null) {
      return null;
    }
    String name = method == null ? element.methodName() : method.name();
    RpcError denied = permissions.check(connection, name, method);
    if (denied != null && denied.code() > 0 && element.batch == null) {
      responseStatus(connection.attributes(), denied.code());
    }
    return denied;
  }

  private String reasonOfDenial() {
    Permissions permissions = context.permissions();
    return permissions == null ? RefusedCall.ACCESS : permissions.reason();
  }

  /** Reports and answers a request that does not reach its layers. */
  private void refuse(Element element, @Nullable RpcMethod method, String reason, RpcError error) {
    reportRefused(element, method, reason, error);
    answer(element, error);
  }

  private void reportRefused(
      Element element, @Nullable RpcMethod method, String reason, RpcError error) {
    connection.refused(() -> {
      Id id = element.kind() == ParsedFrame.REQUEST
          ? Id.received(UnsafeJson.copy(element.bytes(), element.idFrom(), element.idTo()))
          : null;
      boolean known = method != null && method.isServed();
      String name = method == null ? element.methodName() : method.name();
      Attributes attributes = MessageMembers.of(connection, element);
      return connection.refusedCall(attributes, name, known, id, reason, error);
    });
  }

  /** Reports a message without a known method: a batch, or an invalid one. */
  private void refusedMessage(String reason, RpcError error) {
    connection.refused(
        () -> connection.refusedCall(connection.attributes(), null, false, null, reason, error));
  }

  /** Sets the status of the HTTP response, if there is one. */
  static void responseStatus(Attributes attributes, int status) {
    IntConsumer response = attributes.get(HttpReply.RESPONSE_STATUS);
    if (response != null) {
      response.accept(status);
    }
  }

  /**
   * Returns whether a notification may belong to a stream that this side receives: an unknown one,
   * or {@code $/progress} of LSP, which carries partial results and other progress.
   */
  private static boolean mayBelongToStream(@Nullable RpcMethod method) {
    return method == null || method.isOther() || method.name().equals(ReceivedStream.PROGRESS);
  }

  /**
   * Passes a notification on to a stream that this side receives; returns false if it belongs to
   * none.
   */
  private boolean push(Element element) {
    if (peer == null
        || element.paramsFrom() >= element.paramsTo()
        || !peer.caller().mayPush(element.methodName())) {
      return false;
    }
    Json params = UnsafeJson.copy(element.bytes(), element.paramsFrom(), element.paramsTo());
    return peer.caller().push(element.methodName(), params);
  }

  private void refuseNotification(LimitException refusal) {
    if (peer == null) {
      refuseMessage(connection.busy(refusal), "a notification: " + refusal.getMessage());
    } else {
      connection.abort(refusal); // later messages may depend on this one
    }
  }

  /**
   * Reports an invalid message. Answers it, unless this side is a client and the message is not a
   * request.
   */
  private void refuse(Element element, String reason) {
    boolean answered = answersFaults() || element.frame.isInvalidRequest(element.index());
    report(
        "not a valid message, " + reason + near(element.bytes(), element.from, element.to),
        null,
        answered);
    RpcError refusal = element.frame.refusal();
    RpcError error = refusal == null ? Errors.notARequest(reason) : refusal;
    int id = element.idTo() - element.idFrom();
    if (answered) {
      refusedMessage(RefusedCall.INVALID, error);
    }
    if (answered && (id > 0 || answersWithoutId())) {
      scheduler.countAnswer(id);
      if (id == 0 && element.batch == null && connection.answersInOrder()) {
        errorInOrder(error);
      } else {
        answer(element, error);
      }
    }
    if (refusal == null) {
      endAfterInvalid();
    }
  }

  /**
   * Sends an error with the id null after the answers to earlier requests. While it waits, further
   * ones are dropped: bad input must not occupy memory.
   */
  private void errorInOrder(RpcError error) {
    if (!faultWaits) {
      faultWaits = true;
      scheduler.whenIdle(() -> {
        // The reader may read more before the connection ends: one error is enough.
        faultWaits = context.options().dialect().endsAfterInvalid();
        connection.error(error);
      });
    }
  }

  private boolean answersWithoutId() {
    return context.options().dialect().answersWithoutId();
  }

  private void endAfterInvalid() {
    if (peer != null && context.options().dialect().endsAfterInvalid()) {
      peer.ending().closeWithin(context.options().limits().closeTimeout());
    }
  }

  /** Answers a message that no exchange serves. */
  private void answer(Element element, RpcError error) {
    boolean request = element.kind() == ParsedFrame.REQUEST;
    String method = request ? element.methodName() : null;
    if (!scheduler.isClear() && connection.answersInOrder()) {
      RpcMethod failing = RpcMethod.immediate(
          method == null ? "" : method, exchange -> exchange.fail(new RpcException(error)));
      if (scheduler.admit(new OwnedExchange(connection, element, failing)) == null) {
        return; // otherwise the queue is full: an answer out of order is better than none
      }
    }
    ResponseWriter response = new ResponseWriter();
    response.answerTo(connection, element, method);
    response.writeError(error);
  }

  /**
   * Runs the message inline if possible, otherwise queues it; returns the limit it exceeds, or
   * null.
   */
  private @Nullable LimitException run(Element element, RpcMethod method) {
    boolean notification = element.kind() == ParsedFrame.NOTIFICATION;
    boolean inline = method.isImmediate()
        || connection.lane(method, notification) == Lane.INLINE && mayRunNow(method);
    if (!inline) {
      LimitException refusal = checkRoomForLarge(element);
      return refusal != null
          ? refusal
          : scheduler.admit(new OwnedExchange(connection, element, method));
    }
    if (context.isSeen(method)) {
      TextChecks.OfMethod checks =
          context.accepted(method, element.bytes(), element.paramsFrom(), element.paramsTo());
      if (checks == null || context.hasDeadlines()) { // a borrowed exchange has none
        return runOwned(element, method, checks);
      }
      element.exchange.checks = checks; // for the result; released with the exchange
    }
    if (!method.isImmediate()) { // cancellation, credit and progress are not calls
      scheduler.servedInline();
    }
    element.exchange.serve(connection, element, method);
    return null;
  }

  /** Runs the message inline, with a copy of its bytes; returns the limit it exceeds, or null. */
  private @Nullable LimitException runOwned(
      Element element, RpcMethod method, TextChecks.@Nullable OfMethod checks) {
    OwnedExchange x = new OwnedExchange(connection, element, method);
    x.checks = checks;
    LimitException refusal = scheduler.admitInline(x);
    if (refusal == null) {
      x.serve();
      if (!x.isStaged()) {
        x.finish();
      }
    }
    return refusal;
  }

  /**
   * Returns whether the reader may run an inline method. A message that is passed on does not wait
   * for room for its answer: otherwise a response, which is delivered to its caller immediately,
   * would overtake the notifications that were sent before it. A control method does not wait for
   * earlier messages.
   */
  private boolean mayRunNow(RpcMethod method) {
    if (method.isControl()) {
      return scheduler.hasRoom();
    }
    return method.isOther() ? !scheduler.isHeldBack() : scheduler.isClear();
  }

  /**
   * Returns the memory limit that a large single message exceeds, or null, before the message is
   * copied.
   */
  private @Nullable LimitException checkRoomForLarge(Element element) {
    int params = element.paramsTo() - element.paramsFrom();
    return element.batch != null || params < Connection.FREE_ALONE
        ? null
        : scheduler.checkRoom(params);
  }

  // ---------------------------------------------------------------- input without a message

  /** Handles input that the framing cannot read. */
  void fault(FrameFault fault) {
    boolean explainsMore = fault.fatal() || fault.limit() != null; // the end, or a missing answer
    boolean answered = answersFaults();
    report(fault.reason(), fault.limit(), answered || explainsMore);
    if (answered) {
      answerFault(Errors.of(fault));
    }
    endAfterInvalid();
  }

  /** Reports a text that is not JSON, and answers it unless this is a client. */
  private void refuseText(RpcError error, String reason, @Nullable LimitException limit) {
    boolean answered = answersFaults();
    report(reason, limit, answered || limit != null);
    if (answered) {
      answerFault(error);
    }
    endAfterInvalid();
  }

  /** Reports and answers a message that exceeds a limit for now. */
  private void refuseMessage(RpcError error, String reason) {
    connection.violation(reason);
    answerFault(error);
    endAfterInvalid();
  }

  /** Reports input to the listener: each, or the first only. */
  private void report(String reason, @Nullable LimitException limit, boolean each) {
    if (!each && unreadable != null) {
      return;
    }
    if (!each) {
      unreadable = reason;
    }
    if (limit == null) {
      connection.violation(reason);
    } else {
      scheduler.calls().refused(limit.limit());
      UserCode.run(() -> context.options().listener().dropped(connection.info(), limit, reason));
    }
  }

  private void answerFault(RpcError error) {
    if (answersWithoutId()) {
      scheduler.countAnswer(0);
      if (connection.answersInOrder()) {
        errorInOrder(error);
      } else {
        connection.error(error);
      }
    }
  }

  private boolean answersFaults() {
    return peer == null || peer.answersFaults();
  }

  /**
   * Returns the description of the first input that was not a message, if this side does not answer
   * such input: the likely reason for calls without an answer. Null if there was none.
   */
  @Nullable String unreadable() {
    return unreadable;
  }

  /** Refuses new calls from now on. */
  void closing() {
    closing = true;
  }

  Connection connection() {
    return connection;
  }
}
