package dev.repartee.mcp.dap;

import dev.repartee.mcp.types.ToolException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name for a frame or for the children of a variable, such as {@code f3.1000}. It has the number
 * of the stop, since the ids of an adapter are valid only until the program resumes.
 *
 * @param kind f for a frame, v for a variable or a scope
 * @param stop the number of the stop
 * @param id the id of the adapter
 */
record Reference(char kind, int stop, int id) {
  private static final Pattern FORM = Pattern.compile("([fv])([0-9]{1,9})\\.([0-9]{1,10})");

  /**
   * Returns the id in a reference from the model.
   *
   * @param stop the number of the current stop
   * @throws ToolException if the reference is malformed, or belongs to an earlier stop
   */
  static int id(String named, char kind, int stop) {
    Matcher parts = FORM.matcher(named);
    if (!parts.matches() || parts.group(1).charAt(0) != kind) {
      throw new ToolException("'" + named + "' is no reference of a "
          + (kind == 'f' ? "frame, such as f1.2 from stack_trace" : "variable, such as v1.2")
          + ".");
    } else if (Integer.parseInt(parts.group(2)) != stop) {
      throw new ToolException("'" + named + "' has expired: the program has run since that stop."
          + " Call " + (kind == 'f' ? "stack_trace" : "variables") + " again.");
    }
    long id = Long.parseLong(parts.group(3));
    if (id > Integer.MAX_VALUE) {
      throw new ToolException("'" + named + "' is too large for a reference.");
    }
    return (int) id;
  }

  @Override
  public String toString() {
    return kind + "" + stop + "." + id;
  }
}
