package dev.repartee.examples.script;

import dev.repartee.examples.script.Script.Fault;
import dev.repartee.examples.script.Script.Line;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A script that runs on a separate thread, and stops before lines. The lock of this object guards
 * everything; while the script is stopped, its thread waits.
 */
final class Execution {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_TEXT = 100_000;

  /** Receives the events of the thread that runs the script. */
  interface Observer {
    /** The script prints a line. */
    void printed(String text);

    /** The script is stopped before a line. */
    void stopped(Reason reason, String text);

    /** The script has ended. */
    void ended(int exitCode);
  }

  /** The reasons for a stop. */
  enum Reason {
    ENTRY,
    BREAKPOINT,
    STEP,
    PAUSE,
    FAULT
  }

  /** The ways to continue after a stop. */
  enum Step {
    CONTINUE,
    OVER,
    IN,
    OUT
  }

  /** A subroutine that runs, or the script itself. */
  static final class Frame {
    final String name;
    final Map<String, Object> locals = new LinkedHashMap<>();
    int line;

    Frame(String name, int line) {
      this.name = name;
      this.line = line;
    }
  }

  private final Script script;
  private final Observer observer;
  private final List<Frame> frames = new ArrayList<>();
  private Set<Integer> breakpoints = Set.of();
  private Step step;
  private int stepDepth;
  private boolean starts = true;
  private boolean pauses;
  private boolean stopped;
  private boolean ended;

  Execution(Script script, boolean stopOnEntry, Observer observer) {
    this.script = script;
    this.observer = observer;
    this.step = stopOnEntry ? Step.IN : Step.CONTINUE;
    frames.add(new Frame("main", 0));
  }

  /** Starts the script. */
  void start() {
    Thread thread = new Thread(this::run, "script");
    thread.setDaemon(true);
    thread.start();
  }

  synchronized void breakpoints(Set<Integer> lines) {
    breakpoints = Set.copyOf(lines);
  }

  /** Goes on after a stop; returns false if the script is not stopped. */
  synchronized boolean resume(Step how) {
    if (!stopped) {
      return false;
    }
    step = how;
    stepDepth = frames.size();
    stopped = false;
    notifyAll();
    return true;
  }

  /** Stops the script before its next line. */
  synchronized void pause() {
    pauses = true;
  }

  /** Ends the script. */
  synchronized void end() {
    ended = true;
    stopped = false;
    notifyAll();
  }

  /** Returns the frames of a stopped script, the innermost last; empty if it runs or has ended. */
  synchronized List<Frame> stack() {
    return stopped ? List.copyOf(frames) : List.of();
  }

  /**
   * Returns the value of an expression in a frame of a stopped script.
   *
   * @throws Fault if it has none
   */
  synchronized Object evaluate(String expression, Frame frame) {
    return Expression.parse(expression).value(name -> read(name, frame));
  }

  private Object read(String name, Frame frame) {
    Object local = frame.locals.get(name);
    Object value = local != null ? local : frames.get(0).locals.get(name);
    if (value == null) {
      throw new Fault("there is no variable '" + name + "'");
    }
    return value;
  }

  // ---------------------------------------------------------------- the thread of the script

  private void run() {
    int exitCode = 1;
    try {
      while (advance()) {
        Reason reason = reason();
        if (reason != null) {
          stop(reason, "");
        }
        execute();
      }
      exitCode = 0;
    } catch (Fault e) {
      fault(String.valueOf(e.getMessage()));
    } catch (StackOverflowError e) {
      fault("the expression is nested too deeply");
    } finally { // or the client would wait for ever
      end();
      observer.ended(exitCode);
    }
  }

  private void fault(String message) {
    observer.printed("line " + (current().line + 1) + ": " + message);
    stop(Reason.FAULT, message);
  }

  private synchronized Frame current() {
    return frames.get(frames.size() - 1);
  }

  /** Goes to the next line with a statement; returns false if there is none. */
  private synchronized boolean advance() {
    while (!ended && current().line < script.size()) {
      Frame frame = current();
      switch (script.line(frame.line).kind()) {
        case NOTHING -> frame.line++;
        case SUB -> frame.line = script.partner(frame.line) + 1;
        default -> {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the reason to stop before the current line; null if there is none. */
  private synchronized @Nullable Reason reason() {
    Reason reason = pauses
        ? Reason.PAUSE
        : breakpoints.contains(current().line)
            ? Reason.BREAKPOINT
            : isStepDone() ? (starts ? Reason.ENTRY : Reason.STEP) : null;
    starts = false;
    return reason;
  }

  private boolean isStepDone() {
    return switch (step) {
      case CONTINUE -> false;
      case IN -> true;
      case OVER -> frames.size() <= stepDepth;
      case OUT -> frames.size() < stepDepth;
    };
  }

  private void stop(Reason reason, String text) {
    synchronized (this) {
      if (ended) {
        return;
      }
      stopped = true;
      pauses = false;
    }
    observer.stopped(reason, text);
    synchronized (this) {
      while (stopped && !ended) {
        try {
          wait();
        } catch (InterruptedException e) {
          ended = true;
        }
      }
    }
  }

  /** Runs the current line. Only this thread changes the variables, except while it is stopped. */
  private void execute() {
    String printed = null;
    synchronized (this) {
      if (ended) {
        return;
      }
      Frame frame = current();
      Line line = script.line(frame.line);
      switch (line.kind()) {
        case ASSIGN -> {
          assign(line.name(), value(line, 0, frame), frame);
          frame.line++;
        }
        case PRINT -> {
          printed = String.valueOf(value(line, 0, frame));
          frame.line++;
        }
        case WHILE -> {
          boolean holds = !value(line, 0, frame).equals(0L);
          frame.line = holds ? frame.line + 1 : script.partner(frame.line) + 1;
        }
        case CALL -> call(line, frame);
        case END -> {
          int begin = script.partner(frame.line);
          if (script.line(begin).kind() == Script.Kind.WHILE) {
            frame.line = begin;
          } else {
            frames.remove(frames.size() - 1);
          }
        }
        default -> throw new IllegalStateException("no statement: " + line);
      }
    }
    if (printed != null) {
      observer.printed(printed);
    }
  }

  private Object value(Line line, int index, Frame frame) {
    return line.values().get(index).value(name -> read(name, frame));
  }

  /** Sets a variable of the frame, or the global one of that name if only that exists. */
  private void assign(String name, Object value, Frame frame) {
    if (value instanceof String text && text.length() > MAX_TEXT) {
      throw new Fault("the text is longer than " + MAX_TEXT + " characters");
    }
    Frame owner = frame.locals.containsKey(name) || !frames.get(0).locals.containsKey(name)
        ? frame
        : frames.get(0);
    owner.locals.put(name, value);
  }

  private void call(Line line, Frame caller) {
    int begin = script.sub(line.name());
    List<String> parameters = script.line(begin).names();
    if (parameters.size() != line.values().size()) {
      throw new Fault("'" + line.name() + "' has " + parameters.size() + " parameters, not "
          + line.values().size());
    } else if (frames.size() == MAX_DEPTH) {
      throw new Fault("more than " + MAX_DEPTH + " calls are open");
    }
    Frame frame = new Frame(line.name(), begin + 1);
    for (int i = 0; i < parameters.size(); i++) {
      frame.locals.put(parameters.get(i), value(line, i, caller));
    }
    caller.line++;
    frames.add(frame);
  }

  /**
   * Sets a variable of a stopped script to the value of an expression.
   *
   * @throws Fault if the expression has no value
   */
  synchronized Object set(Frame frame, String name, String expression) {
    Object value = evaluate(expression, current());
    frame.locals.put(name, value);
    return value;
  }
}
