package dev.repartee.jackson;

import dev.repartee.json.Naming;
import java.io.Serial;
import tools.jackson.databind.PropertyNamingStrategies;

/** Names the members of beans as core names the members of records. */
final class EndpointNaming extends PropertyNamingStrategies.NamingBase {
  @Serial
  private static final long serialVersionUID = 1;

  private final transient Naming naming;

  EndpointNaming(Naming naming) {
    this.naming = naming;
  }

  @Override
  protected String translate(String property) {
    return naming.name(property);
  }
}
