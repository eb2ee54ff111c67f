package foreign;

import dev.repartee.Rpc;
import dev.repartee.spring.RpcService;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;

/** A bean with an aspect of Jakarta Validation. */
@Component
@RpcService("/rpc")
@Validated
public class Orders {
  @Rpc
  public String order(@NotBlank String item, @Positive int count) {
    return count + " " + item;
  }
}
