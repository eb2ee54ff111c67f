package dev.repartee.agents.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of a plan. {@link Plan#parse} makes steps, and checks their names and references. */
public sealed interface Step {
  /** Returns the name, unique in the plan. */
  String name();

  /** Returns the rules of the step. */
  Policy policy();

  /** Returns the inner steps, in order. */
  default List<Step> steps() {
    return List.of();
  }

  /** Returns the name of the kind, such as {@code race}. */
  String kind();

  /**
   * Gives a task to an agent. The output is the output of the agent.
   *
   * @param agent the name of the agent; null to choose the first agent that declares the skill
   * @param skill the skill; null lets the agent choose
   * @param input the input of the task
   */
  record Call(
      String name,
      Policy policy,
      @Nullable String agent,
      @Nullable String skill,
      Template input,
      Policy.Attempts attempts)
      implements Step {
    @Override
    public String kind() {
      return "call";
    }
  }

  /** Runs steps one after another. The output is the output of the last step. */
  record Sequence(String name, Policy policy, List<Step> steps) implements Step {
    @Override
    public String kind() {
      return "sequence";
    }
  }

  /**
   * Runs steps at the same time. The output is an object with their outputs by name. A failure
   * cancels the other steps.
   */
  record Parallel(String name, Policy policy, List<Step> steps) implements Step {
    @Override
    public String kind() {
      return "parallel";
    }
  }

  /**
   * Runs steps at the same time. The output is the output of the first step that succeeds; the
   * other steps are cancelled.
   */
  record Race(String name, Policy policy, List<Step> steps) implements Step {
    @Override
    public String kind() {
      return "race";
    }
  }

  /**
   * Runs a step for each element of an array. The output is the array of the outputs. A failure
   * cancels the other elements.
   *
   * @param items the array
   * @param body the step; {@code ${item}} and {@code ${index}} have values inside it
   * @param concurrency the number of concurrent elements; 0 for the concurrency of the budget
   */
  record ForEach(String name, Policy policy, Template items, Step body, int concurrency)
      implements Step {
    @Override
    public List<Step> steps() {
      return List.of(body);
    }

    @Override
    public String kind() {
      return "map";
    }
  }

  /**
   * Asks a human for consent. The output is the content of the answer, or {@code {"granted":true}}.
   *
   * @param message the text of the question
   */
  record Approval(String name, Policy policy, Template message) implements Step {
    @Override
    public String kind() {
      return "approval";
    }
  }
}
