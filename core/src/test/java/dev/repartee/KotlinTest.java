package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.json.JsonTypes;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests classes that Kotlin's compiler has made; their source is beside them in the resources. */
class KotlinTest {
  private static Service service(String type) throws Exception {
    Class<?> kotlin = Class.forName("dev.repartee.kotlin." + type);
    return Service.of(kotlin.getConstructor().newInstance());
  }

  @ParameterizedTest
  @CsvSource({"Directory, find", "Describing, described"})
  void aFunctionWithDefaultValuesThatCallersCouldNotUseIsRefusedWithTheRemedy(
      String type, String function) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> service(type))
        .withMessage("dev.repartee.kotlin." + type + "." + function
            + ": the class file does not contain the default values of its Kotlin parameters;"
            + " callers could not leave these out. State them in JSON too, as in"
            + " @Param(defaultsTo = \"10\"), or remove them");
  }

  @ParameterizedTest
  @CsvSource({"Stated, limit false", "Plain, filter true"})
  void aFunctionThatStatesItsDefaultValuesInJsonOrHasNoneIsServed(String type, String last)
      throws Exception {
    RpcMethod find = Objects.requireNonNull(service(type).find("find"));
    List<RpcMethod.Parameter> parameters = Objects.requireNonNull(find.parameters());
    assertThat(parameters)
        .extracting(parameter -> parameter.name() + " " + parameter.required())
        .containsExactly("name true", last);
  }

  @Test
  void aProxyOfAnInterfaceWithDefaultValuesIsNotRefused() throws Exception {
    Class<?> described = Class.forName("dev.repartee.kotlin.Described");
    Method method = described.getMethod("described", String.class, int.class);
    assertThat(Signature.of(described, method, JsonTypes.standard()).arguments())
        .hasSize(2);
  }
}
