package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.agents.Consent;
import dev.repartee.cli.terminal.Lines;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user at the terminal for the answers that a server elicits. The time limit of the
 * command is paused meanwhile. {@link Consent} reads the answer to the question itself. Without a
 * terminal, each question is declined. Input that was typed before a prompt is discarded, because
 * the user had not seen the prompt. Thread-safe: one form at a time.
 */
public final class FormPrompt implements Function<Elicitation, Elicitation.Answer> {
  private static final Elicitation.Answer DECLINED = new Elicitation.Answer("decline", null);
  private static final Elicitation.Answer CANCELLED = new Elicitation.Answer("cancel", null);

  /**
   * The maximum number of times that a question is asked. Without a clear answer it is declined.
   */
  private static final int MOST_ANSWERS = 3;

  private final Stdio stdio;
  private final Runnable before;
  private final Runnable after;
  private @Nullable Lines lines; // guarded by this

  /**
   * Creates a prompt.
   *
   * @param before runs before the user is asked, for instance to stop a time limit
   * @param after runs when the user has answered
   */
  public FormPrompt(Stdio stdio, Runnable before, Runnable after) {
    this.stdio = stdio;
    this.before = before;
    this.after = after;
  }

  @Override
  public synchronized Elicitation.Answer apply(Elicitation question) {
    if (!stdio.isInteractive()) {
      stdio.say("the server asks '" + question.message()
          + "', and the command declines because its standard input is not a terminal; run it in a"
          + " terminal to answer");
      return DECLINED;
    }
    before.run();
    try {
      return answer(question);
    } catch (IOException e) {
      return CANCELLED;
    } finally {
      after.run();
    }
  }

  private Elicitation.Answer answer(Elicitation question) throws IOException {
    stdio.note("The server asks: " + question.message());
    String url = question.url();
    if (url != null) {
      stdio.note("Open this page only if you trust the server: " + url);
    }
    String verb = url != null ? "Have you opened it?" : "Answer?";
    for (int asked = 0; asked < MOST_ANSWERS; asked++) {
      String typed = line(verb + " (yes, no, or cancel):");
      if (typed == null || typed.strip().toLowerCase(Locale.ROOT).matches("c|cancel")) {
        return CANCELLED;
      }
      switch (Consent.of(typed)) {
        case YES -> {
          return url != null ? new Elicitation.Answer("accept", null) : filled(question.schema());
        }
        case NO -> {
          return DECLINED;
        }
        case UNCLEAR -> stdio.note("type yes, no, or cancel");
      }
    }
    stdio.note("no answer was clear; the question is declined");
    return DECLINED;
  }

  private Elicitation.Answer filled(@Nullable Json schema) throws IOException {
    Map<String, Json> values = new LinkedHashMap<>();
    if (schema != null) {
      Set<String> required = new LinkedHashSet<>(SchemaText.texts(schema.get("required")));
      for (Map.Entry<String, Json> property :
          SchemaText.members(schema.get("properties")).entrySet()) {
        String name = property.getKey();
        FormField field = new FormField(name, property.getValue(), required.contains(name));
        explain(field);
        if (!ask(field, values)) {
          return CANCELLED;
        }
      }
    }
    return new Elicitation.Answer("accept", Json.of(values));
  }

  private void explain(FormField field) {
    String description = field.description();
    if (description != null) {
      stdio.note(description);
    }
    List<String> titles = field.titles();
    for (int i = 0; i < titles.size(); i++) {
      stdio.note((i + 1) + ") " + titles.get(i));
    }
  }

  /** Asks until the value is valid. Returns false at the end of the input. */
  private boolean ask(FormField field, Map<String, Json> values) throws IOException {
    while (true) {
      String typed = line(field.question());
      if (typed == null) {
        return false;
      }
      try {
        Json value = field.value(typed);
        if (value != null) {
          values.put(field.name(), value);
        }
        return true;
      } catch (IllegalArgumentException e) {
        stdio.note(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Returns the line that the user types after a prompt, or null at the end of the input. */
  private @Nullable String line(String question) throws IOException {
    if (lines == null) {
      lines = new Lines(new BufferedInputStream(stdio.in()));
    }
    lines.discard();
    stdio.ask(question);
    byte[] line = lines.next();
    return line == null ? null : new String(line, UTF_8);
  }
}
