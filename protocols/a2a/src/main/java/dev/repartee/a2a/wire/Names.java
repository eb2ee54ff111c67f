package dev.repartee.a2a.wire;

import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.TaskState;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The names of states and roles. Names of later versions are read as unspecified. */
final class Names {
  private static final String STATE = "TASK_STATE_";
  private static final String ROLE = "ROLE_";

  private Names() {}

  static String of(TaskState state, ProtocolVersion version) {
    if (version == ProtocolVersion.V1_0) {
      return STATE + state.name();
    }
    return state == TaskState.UNSPECIFIED
        ? "unknown"
        : state.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static String of(Role role, ProtocolVersion version) {
    return version == ProtocolVersion.V1_0
        ? ROLE + role.name()
        : role == Role.AGENT ? "agent" : "user";
  }

  /** Returns the state with a name, or null. */
  static @Nullable TaskState state(String name, ProtocolVersion version) {
    for (TaskState state : TaskState.values()) {
      if (of(state, version).equals(name)) {
        return state;
      }
    }
    return null;
  }

  /** Returns the role with a name, or null. */
  static @Nullable Role role(String name, ProtocolVersion version) {
    for (Role role : Role.values()) {
      if (of(role, version).equals(name)
          && (role != Role.UNSPECIFIED || version == ProtocolVersion.V1_0)) {
        return role;
      }
    }
    return null;
  }
}
