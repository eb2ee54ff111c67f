package dev.repartee.acp;

import dev.repartee.acp.types.ClientCapabilities;
import dev.repartee.acp.types.ClientSessionCapabilities;
import dev.repartee.acp.types.SessionConfigBoolean;
import dev.repartee.acp.types.SessionConfigOption;
import dev.repartee.acp.types.SessionConfigOptionsCapabilities;
import dev.repartee.acp.types.SessionConfigSelect;
import dev.repartee.acp.types.SessionConfigSelectOption;
import dev.repartee.acp.types.SessionConfigSelectOptions;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;

/** Reads and changes the options of a session. */
final class ConfigOptions {
  private ConfigOptions() {}

  /**
   * Returns the options with a new value of one option.
   *
   * @throws dev.repartee.RpcException if the option or the value does not exist
   */
  static List<SessionConfigOption> with(List<SessionConfigOption> options, String id, Json value) {
    List<SessionConfigOption> changed = new ArrayList<>();
    boolean found = false;
    for (SessionConfigOption each : options) {
      if (each instanceof SessionConfigSelect select && select.id().equals(id)) {
        found = true;
        changed.add(select(select, value));
      } else if (each instanceof SessionConfigBoolean flag && flag.id().equals(id)) {
        found = true;
        changed.add(flag(flag, value));
      } else {
        changed.add(each);
      }
    }
    if (!found) {
      throw AcpErrors.invalid("there is no option '" + id + "'");
    }
    return List.copyOf(changed);
  }

  private static SessionConfigSelect select(SessionConfigSelect option, Json value) {
    String chosen = value.kind() == Json.Kind.STRING ? value.as(String.class) : "";
    if (values(option.options()).stream().noneMatch(each -> each.value().equals(chosen))) {
      throw AcpErrors.invalid("the option '" + option.id() + "' has no such value");
    }
    return new SessionConfigSelect(
        option.id(),
        option.name(),
        chosen,
        option.options(),
        option.description(),
        option.category(),
        option.meta());
  }

  private static SessionConfigBoolean flag(SessionConfigBoolean option, Json value) {
    if (value.kind() != Json.Kind.BOOLEAN) {
      throw AcpErrors.invalid("the value of '" + option.id() + "' has to be true or false");
    }
    return new SessionConfigBoolean(
        option.id(),
        option.name(),
        value.as(boolean.class),
        option.description(),
        option.category(),
        option.meta());
  }

  private static List<SessionConfigSelectOption> values(SessionConfigSelectOptions options) {
    if (options instanceof SessionConfigSelectOptions.OfSessionConfigSelectOptionList list) {
      return list.value();
    }
    return ((SessionConfigSelectOptions.OfSessionConfigSelectGroupList) options)
        .value().stream().flatMap(each -> each.options().stream()).toList();
  }

  /** Returns the options that a client supports: boolean options only if it has announced them. */
  static List<SessionConfigOption> shown(
      List<SessionConfigOption> options, ClientCapabilities client) {
    ClientSessionCapabilities session = client.session();
    SessionConfigOptionsCapabilities able = session == null ? null : session.configOptions();
    boolean flags = able != null && able.boolean_() != null;
    return options.stream()
        .filter(each -> flags || !(each instanceof SessionConfigBoolean))
        .toList();
  }
}
