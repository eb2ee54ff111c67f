package foreign;

import dev.repartee.Rpc;
import dev.repartee.spring.RpcService;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.stereotype.Component;

/** A bean with an aspect of Spring Security. */
@Component
@RpcService("/rpc")
public class Vault {
  @Rpc
  @PreAuthorize("hasRole('CLERK')")
  public String open(String box) {
    return box + " is open";
  }
}
