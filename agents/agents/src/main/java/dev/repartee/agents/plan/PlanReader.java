package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and checks a plan. Not thread-safe.
 *
 * <p>A reference may name a step only if that step has an output when the step of the reference
 * begins. These are the earlier steps of all enclosing sequences, and their inner steps. The
 * branches of a race and the body of a map are excluded: a branch may have been cancelled, and a
 * body has many outputs.
 */
final class PlanReader {
  private static final int MOST_STEPS = 1_000;
  private static final int MOST_AGENTS = 100;
  private static final int MOST_STEPS_OF_A_RUN = 1_000_000;
  private static final int DEEPEST = 20;
  private static final int MOST_RETRIES = 100;
  private static final int MOST_CONCURRENT = 10_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /** The members that determine the kind of a step. */
  private static final List<String> KINDS =
      List.of("agent", "skill", "sequence", "parallel", "race", "map", "approval");

  private final Set<String> agents;
  private int steps; // the number of steps read so far

  private PlanReader(Set<String> agents) {
    this.agents = agents;
  }

  /**
   * The values that a step may refer to.
   *
   * @param steps the names of the finished steps
   * @param taken the names of all steps read so far; one set for the whole plan, as names are
   *     unique
   * @param inMap whether {@code item} and {@code index} have values
   */
  private record Visible(Set<String> steps, Set<String> taken, boolean inMap) {
    /** Returns a copy for a branch: names that the branch adds stay invisible outside of it. */
    Visible branch() {
      return new Visible(new HashSet<>(steps), taken, inMap);
    }

    /** Returns a copy for the body of a map. */
    Visible body() {
      return new Visible(new HashSet<>(steps), taken, true);
    }
  }

  static Plan read(Json source) {
    PlanObject object = PlanObject.of(source, "");
    String name = object.text("name");
    if (name == null) {
      throw object.error("name", "missing; a plan needs a name");
    }
    requireName(name, object);
    String description = object.text("description");
    Map<String, String> agents = agents(object);
    Json inputSchema = object.schema("input");
    PlanReader reader = new PlanReader(agents.keySet());
    Visible visible = new Visible(new LinkedHashSet<>(), new HashSet<>(), false);
    List<Step> steps = reader.sequence(object, "steps", visible, "", 0);
    Template output = reader.template(object, "output", visible);
    Budget budget = budget(object.object("budget"));
    object.requireNoOthers();
    return new Plan(
        name,
        description == null ? "" : description,
        agents,
        inputSchema,
        budget,
        new Step.Sequence("", Policy.DEFAULT, steps),
        output,
        source);
  }

  private static void requireName(String name, PlanObject object) {
    if (!NAME.matcher(name).matches()) {
      throw object.error("name", "'" + name + "' has to be 1 to 64 letters, digits, '_' and '-'");
    }
  }

  private static Map<String, String> agents(PlanObject plan) {
    PlanObject given = plan.object("agents");
    Map<String, String> agents = new LinkedHashMap<>();
    if (given != null) {
      for (String name : given.members().keySet()) {
        if (!NAME.matcher(name).matches()) {
          throw given.error(
              name, "the name of an agent has to be 1 to 64 letters, digits, '_' and '-'");
        }
        agents.put(name, Objects.requireNonNull(given.text(name)));
      }
    }
    if (agents.size() > MOST_AGENTS) {
      throw plan.error("agents", "a plan has at most " + MOST_AGENTS + " agents; remove some");
    }
    return Collections.unmodifiableMap(agents);
  }

  private static Budget budget(@Nullable PlanObject given) {
    if (given == null) {
      return Budget.DEFAULT;
    }
    Budget budget = new Budget(
        given.count("calls", Budget.MOST_CALLS),
        given.duration("time"),
        given.count("concurrency", MOST_CONCURRENT),
        given.count("steps", MOST_STEPS_OF_A_RUN),
        given.count("bytes", Integer.MAX_VALUE));
    given.requireNoOthers();
    return budget;
  }

  // ---------------------------------------------------------------- steps

  /** Reads steps that run one after another. A step may refer to the earlier ones. */
  private List<Step> sequence(
      PlanObject parent, String member, Visible visible, String number, int depth) {
    List<Step> all = new ArrayList<>();
    for (Json element : parent.elements(member)) {
      String place = parent.path(member) + "[" + all.size() + "]";
      all.add(step(element, place, visible, number(number, all.size()), depth));
    }
    return List.copyOf(all);
  }

  /**
   * Reads steps that run at the same time. No step may refer to another one.
   *
   * @param finished receives the names of all branches and of their inner steps
   */
  private List<Step> branches(
      PlanObject parent,
      String member,
      Visible visible,
      String number,
      int depth,
      Set<String> finished) {
    List<Step> all = new ArrayList<>();
    for (Json element : parent.elements(member)) {
      String place = parent.path(member) + "[" + all.size() + "]";
      Visible branch = visible.branch();
      Step step = step(element, place, branch, number(number, all.size()), depth);
      finished.addAll(branch.steps());
      all.add(step);
    }
    return List.copyOf(all);
  }

  /** Returns the default name of a step: its position, such as {@code 2_1}. */
  private static String number(String parent, int index) {
    return (parent.isEmpty() ? "" : parent + "_") + (index + 1);
  }

  private Step step(Json json, String place, Visible visible, String number, int depth) {
    if (depth >= DEEPEST) {
      throw new PlanException(
          place, "steps are nested more than " + DEEPEST + " deep; use fewer levels");
    } else if (++steps > MOST_STEPS) {
      throw new PlanException(
          place, "a plan has at most " + MOST_STEPS + " steps; move some to a plan of their own");
    }
    PlanObject object = PlanObject.of(json, place);
    String given = object.text("name");
    String name = given == null ? number : given;
    requireName(name, object);
    if (!visible.taken().add(name)) {
      throw object.error("name", "another step has the name '" + name + "'; rename one");
    }
    Policy policy = new Policy(object.duration("deadline"), onFailure(object));
    Step step = step(object, name, policy, visible, number, depth);
    object.requireNoOthers();
    visible.steps().add(name);
    return step;
  }

  private Step step(
      PlanObject object, String name, Policy policy, Visible visible, String number, int depth) {
    String kind = kind(object);
    switch (kind) {
      case "sequence":
        return new Step.Sequence(name, policy, sequence(object, kind, visible, number, depth + 1));
      case "parallel":
        Set<String> finished = new LinkedHashSet<>();
        List<Step> all = branches(object, kind, visible, number, depth + 1, finished);
        visible.steps().addAll(finished);
        return new Step.Parallel(name, policy, all);
      case "race":
        return new Step.Race(
            name, policy, branches(object, kind, visible, number, depth + 1, new HashSet<>()));
      case "map":
        Json body = object.get("step");
        if (body == null) {
          throw object.error("step", "missing; it is the step to run for each element");
        }
        return new Step.ForEach(
            name,
            policy,
            Objects.requireNonNull(template(object, kind, visible)),
            step(body, object.path("step"), visible.body(), number(number, 0), depth + 1),
            object.count("concurrency", MOST_CONCURRENT));
      case "approval":
        object.text(kind);
        return new Step.Approval(
            name, policy, Objects.requireNonNull(template(object, kind, visible)));
      default:
        return call(object, name, policy, visible);
    }
  }

  private static String kind(PlanObject object) {
    List<String> given = KINDS.stream().filter(object::has).toList();
    if (given.isEmpty()) {
      throw new PlanException(
          object.path(), "a step needs one of the members " + String.join(", ", KINDS));
    }
    boolean call = given.contains("agent") || given.contains("skill");
    if (given.size() > 1 && !given.equals(List.of("agent", "skill"))) {
      throw new PlanException(
          object.path(),
          "a step is of one kind, but it has the members " + String.join(", ", given));
    }
    return call ? "call" : given.get(0);
  }

  private Step call(PlanObject object, String name, Policy policy, Visible visible) {
    String agent = object.text("agent");
    if (agent != null && !agents.isEmpty() && !agents.contains(agent)) {
      throw object.error(
          "agent", "the plan has no agent '" + agent + "'; it has " + String.join(", ", agents));
    }
    Template input = template(object, "input", visible);
    return new Step.Call(
        name,
        policy,
        agent,
        object.text("skill"),
        input == null ? Template.constant(Json.EMPTY_OBJECT) : input,
        attempts(object));
  }

  private static Policy.Attempts attempts(PlanObject object) {
    boolean idempotent = object.flag("idempotent");
    int retries = object.count("retries", MOST_RETRIES);
    Duration backoff = object.duration("backoff");
    if (retries > 0 && !idempotent) {
      throw object.error(
          "retries",
          "only a step with 'idempotent: true' is repeated, since its first attempt may have taken"
              + " effect");
    } else if (backoff != null && retries == 0) {
      throw object.error("backoff", "it is the pause before a retry, but there are no 'retries'");
    }
    return new Policy.Attempts(
        idempotent,
        object.duration("timeout"),
        retries,
        backoff == null ? Policy.Attempts.ONE.backoff() : backoff,
        object.schema("outputSchema"));
  }

  private static OnFailure onFailure(PlanObject object) {
    Json given = object.get("onFailure");
    if (given == null || given.equals(Json.of("fail"))) {
      return OnFailure.FAIL;
    } else if (given.equals(Json.of("continue"))) {
      return OnFailure.CONTINUE;
    } else if (given.kind() == Json.Kind.OBJECT) {
      PlanObject fallback = object.object("onFailure");
      Json value = Objects.requireNonNull(fallback).get("value");
      fallback.requireNoOthers();
      if (value != null) {
        return new OnFailure(value);
      }
    }
    throw object.error(
        "onFailure", "expected fail, continue, or {value: ...} with the output of the failed step");
  }

  private @Nullable Template template(PlanObject object, String member, Visible visible) {
    Json value = object.get(member);
    if (value == null) {
      return null;
    }
    String place = object.path(member);
    Template template = Template.parse(value, place);
    template.forEachReference(reference -> check(reference, place, visible));
    return template;
  }

  private static void check(Reference reference, String place, Visible visible) {
    String step = reference.step();
    if (step != null && !visible.steps().contains(step)) {
      String reason = visible.taken().contains(step)
          ? "the step '" + step + "' has not finished when this step begins"
          : "there is no earlier step '" + step + "'";
      throw new PlanException(
          place,
          "'${" + reference.text() + "}': " + reason
              + (visible.steps().isEmpty()
                  ? "; no step has finished"
                  : "; finished steps: " + String.join(", ", visible.steps())));
    }
    boolean ofMap = reference.root().equals("item") || reference.root().equals("index");
    if (ofMap && !visible.inMap()) {
      throw new PlanException(
          place, "'${" + reference.text() + "}' has a value only in the step of a map");
    }
  }
}
