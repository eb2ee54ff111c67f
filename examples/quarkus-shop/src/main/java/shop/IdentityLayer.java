package shop;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.transport.Attribute;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.identity.SecurityIdentity;

/**
 * Gives each call its own request context of CDI with the user of the HTTP request, on the thread
 * of its handler. The context ends when the handler returns.
 */
final class IdentityLayer implements Layer {
  static final Attribute<SecurityIdentity> IDENTITY = Attribute.named("identity");

  private final CurrentIdentityAssociation identities;

  IdentityLayer(CurrentIdentityAssociation identities) {
    this.identities = identities;
  }

  @Override
  public Object handle(Call call, Handler next) throws Exception {
    ManagedContext request = Arc.container().requestContext();
    request.activate();
    try {
      SecurityIdentity identity = call.attributes().get(IDENTITY);
      if (identity != null) {
        identities.setIdentity(identity);
      }
      return next.handle(call);
    } finally {
      request.terminate();
    }
  }
}
