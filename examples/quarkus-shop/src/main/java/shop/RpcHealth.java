package shop;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Reports that this instance is not ready while it would refuse another request. */
@Readiness
@ApplicationScoped
public class RpcHealth implements HealthCheck {
  private final RpcRoute route;

  RpcHealth(RpcRoute route) {
    this.route = route;
  }

  @Override
  public HealthCheckResponse call() {
    int room = route.room();
    return HealthCheckResponse.named("rpc").status(room > 0).withData("room", room).build();
  }
}
