package dev.repartee.conformance;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The expected answer to the messages of a step. */
sealed interface Expectation {
  /**
   * The judgement on everything received so far.
   *
   * @param decided false if more must be received to decide
   * @param fault the deviation from the expectation, or null
   */
  record Judgement(boolean decided, @Nullable String fault) {
    static final Judgement RIGHT = new Judgement(true, null);
    static final Judgement MORE = new Judgement(false, null);

    static Judgement wrong(String fault) {
      return new Judgement(true, fault);
    }

    boolean isRight() {
      return decided && fault == null;
    }
  }

  /**
   * Judges everything received so far.
   *
   * @param over true if nothing more will be received
   */
  Judgement judge(List<Heard> heard, boolean over);

  /**
   * Reads an expectation in the notation of the corpus: {@code null} is silence, {@code "end"} the
   * end of the connection, {@code {"either":[...]}} one of several expectations, {@code
   * {"status":[...]}} an HTTP status with the rest of the expectation in {@code expect}, {@code
   * {"batch":[...]}} one array of responses, {@code {"inOrder":[...]}} several messages in this
   * order, an array several messages in any order, and any other value one {@link Answer}.
   */
  static Expectation of(Json json) {
    Json either = json.get("either");
    Json batch = json.get("batch");
    Json inOrder = json.get("inOrder");
    Json status = json.get("status");
    if (json.isNull()) {
      return new Silence();
    } else if (json.kind() == Json.Kind.STRING) {
      return new End();
    } else if (either != null) {
      return new Either(either.elements().stream().map(Expectation::of).toList());
    } else if (status != null) {
      Json body = json.get("expect");
      Json header = json.get("header");
      return new Status(
          status.elements().stream().map(code -> code.as(int.class)).toList(),
          header == null ? null : header.as(String.class),
          body == null ? null : of(body));
    } else if (batch != null) {
      return new Batch(answers(batch));
    } else if (inOrder != null) {
      return new Answers(answers(inOrder), true);
    }
    return new Answers(
        json.kind() == Json.Kind.ARRAY ? answers(json) : List.of(new Answer(json)), false);
  }

  private static List<Answer> answers(Json patterns) {
    return patterns.elements().stream().map(Answer::new).toList();
  }

  /** No message; over HTTP, replies with a status below 300 and no body. */
  record Silence() implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      for (Heard one : heard) {
        if (!(one instanceof Heard.Nothing nothing)) {
          return Judgement.wrong(one.toString());
        }
        if (nothing.reply().status() >= 300) {
          return Judgement.wrong(one.toString());
        }
      }
      return over || !heard.isEmpty() ? Judgement.RIGHT : Judgement.MORE;
    }

    @Override
    public String toString() {
      return "no answer";
    }
  }

  /** The end of the connection, without a message before it. */
  record End() implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      if (heard.isEmpty()) {
        return over ? Judgement.wrong("nothing") : Judgement.MORE;
      }
      return heard.get(0) instanceof Heard.End
          ? Judgement.RIGHT
          : Judgement.wrong(heard.get(0).toString());
    }

    @Override
    public String toString() {
      return "the end of the connection";
    }
  }

  /** One of several expectations. */
  record Either(List<Expectation> ways) implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      List<Judgement> all = ways.stream().map(way -> way.judge(heard, over)).toList();
      return all.stream()
          .filter(Judgement::isRight)
          .findFirst()
          .or(() -> all.stream().filter(j -> !j.decided()).findFirst())
          .orElse(all.get(0));
    }

    @Override
    public String toString() {
      return String.join(" or ", ways.stream().map(Object::toString).toList());
    }
  }

  /**
   * An HTTP reply.
   *
   * @param codes the allowed statuses
   * @param header a header that the reply must have, optionally with {@code :} and the start of its
   *     value; or null
   * @param body the expectation for the message in the reply, or null for any
   */
  record Status(
      List<Integer> codes,
      @Nullable String header,
      @Nullable Expectation body) implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      if (heard.isEmpty()) {
        return over ? Judgement.wrong("nothing") : Judgement.MORE;
      }
      Heard.Reply reply = reply(heard.get(0));
      if (reply == null) {
        return Judgement.wrong(heard.get(0).toString());
      }
      if (!codes.contains(reply.status())) {
        return Judgement.wrong("HTTP " + reply.status());
      }
      if (header != null && !has(reply, header)) {
        return Judgement.wrong("HTTP " + reply.status() + " without " + header);
      }
      return body == null ? Judgement.RIGHT : body.judge(heard, over);
    }

    private static Heard.@Nullable Reply reply(Heard heard) {
      if (heard instanceof Heard.Message message) {
        return message.reply();
      }
      return heard instanceof Heard.Nothing nothing ? nothing.reply() : null;
    }

    private static boolean has(Heard.Reply reply, String header) {
      int colon = header.indexOf(':');
      String name = colon < 0 ? header : header.substring(0, colon);
      String value = reply.headers().get(name);
      return value != null
          && (colon < 0 || value.startsWith(header.substring(colon + 1).strip()));
    }

    @Override
    public String toString() {
      String statuses = String.join(" or ", codes.stream().map(String::valueOf).toList());
      return "HTTP " + statuses
          + (header == null ? "" : " with " + header)
          + (body == null ? "" : ", " + body);
    }
  }

  /** One array of these responses, in any order. */
  record Batch(List<Answer> answers) implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      if (heard.isEmpty()) {
        return over ? Judgement.wrong("nothing") : Judgement.MORE;
      }
      if (!(heard.get(0) instanceof Heard.Message message)) {
        return Judgement.wrong(heard.get(0).toString());
      }
      Json batch = message.json();
      if (batch == null) {
        return Judgement.wrong("not JSON: " + message);
      }
      String fault = batch.kind() == Json.Kind.ARRAY
          ? Answer.fault(answers, batch.elements(), false)
          : "not an array";
      return fault == null ? Judgement.RIGHT : Judgement.wrong(fault + ": " + message);
    }

    @Override
    public String toString() {
      return answers.toString();
    }
  }

  /** Several messages with one response each. */
  record Answers(List<Answer> answers, boolean inOrder) implements Expectation {
    @Override
    public Judgement judge(List<Heard> heard, boolean over) {
      List<Json> responses = new ArrayList<>();
      for (Heard one : heard) {
        if (one instanceof Heard.Nothing nothing && nothing.reply().status() < 300 && !over) {
          continue; // may be the reply to a notification among the requests
        }
        if (!(one instanceof Heard.Message message)) {
          return Judgement.wrong(said(responses) + one);
        }
        Json response = message.json();
        if (response == null) {
          return Judgement.wrong("not JSON: " + message);
        }
        responses.add(response);
      }
      if (responses.size() < answers.size() && !over) {
        return Judgement.MORE;
      }
      if (responses.isEmpty()) {
        return Judgement.wrong("nothing");
      }
      String fault = Answer.fault(answers, responses, inOrder);
      return fault == null ? Judgement.RIGHT : Judgement.wrong(fault + ": " + shown(responses));
    }

    private static String said(List<Json> responses) {
      return switch (responses.size()) {
        case 0 -> "";
        case 1 -> "1 response, then ";
        default -> responses.size() + " responses, then ";
      };
    }

    private static String shown(List<Json> responses) {
      String all = String.join(" ", responses.stream().map(Json::toString).toList());
      return all.length() <= Heard.MAX_SHOWN ? all : all.substring(0, Heard.MAX_SHOWN) + "...";
    }

    @Override
    public String toString() {
      if (answers.size() > 4) {
        return answers.size() + " answers, such as " + answers.get(0);
      }
      return String.join(
          inOrder ? ", then " : " ", answers.stream().map(Object::toString).toList());
    }
  }
}
