package dev.repartee.dap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.dap.handlers.AsyncDebugAdapter;
import dev.repartee.dap.handlers.AsyncDebugClient;
import dev.repartee.dap.handlers.DebugAdapter;
import dev.repartee.dap.handlers.DebugClient;
import dev.repartee.dap.types.*;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TypesTest {
  /** Returns all types of the protocol. */
  static List<Class<?>> types() throws Exception {
    String name = Capabilities.class.getPackageName();
    File folder = new File(Capabilities.class
        .getProtectionDomain()
        .getCodeSource()
        .getLocation()
        .toURI()
        .resolve(name.replace('.', '/')));
    List<Class<?>> types = new ArrayList<>();
    for (String file : folder.list()) {
      if (file.endsWith(".class")) {
        Class<?> type = Class.forName(name + "." + file.substring(0, file.length() - 6));
        if (type.isAnnotationPresent(GeneratedType.class) && type.isRecord()) {
          types.add(type);
        }
      }
    }
    return types;
  }

  @ParameterizedTest
  @MethodSource("types")
  void eachTypeIsReadAsItWasWritten(Class<?> type) throws Exception {
    for (boolean all : new boolean[] {false, true}) {
      Object value = value(type, all, 0);
      Class<?> declared = type.getDeclaringClass() == null ? type : type.getDeclaringClass();

      Json json = Json.of(value);

      Object read = json.as((Type) declared);
      assertThat(read).isEqualTo(value);
    }
  }

  @Test
  void allMessagesOfBothSidesHaveAMethod() throws Exception {
    assertThat(types()).hasSizeGreaterThan(140);
    assertThat(DebugAdapter.class.getMethods()).hasSize(45 - 3); // cancel is the engine's
    assertThat(AsyncDebugAdapter.class.getMethods()).hasSize(45 - 3);
    assertThat(DebugClient.class.getMethods()).hasSize(17 + 2);
    assertThat(AsyncDebugClient.class.getMethods()).hasSize(17 + 2);
  }

  @Test
  void unknownMembersAreIgnoredAndUnknownValuesKept() {
    StoppedEvent event =
        Json.parse("{\"reason\":\"function breakpoint\",\"more\":[{}]}").as(StoppedEvent.class);
    assertThat(event.reason()).isSameAs(StoppedEventReason.FUNCTION_BREAKPOINT);
    assertThat(Json.parse("{\"reason\":\"full moon\"}").as(StoppedEvent.class))
        .isEqualTo(new StoppedEvent(new StoppedEventReason("full moon")));
  }

  @Test
  void anAnswerOrEventMayLackRequiredMembers() {
    assertThat(Json.EMPTY_OBJECT.as(SetVariableResponse.class))
        .isEqualTo(new SetVariableResponse(""));
    assertThat(Json.parse("{\"threads\":null}").as(ThreadsResponse.class))
        .isEqualTo(new ThreadsResponse(List.of()));
    assertThat(Json.parse("{\"scopes\":[{\"name\":\"Locals\"}]}").as(ScopesResponse.class))
        .isEqualTo(new ScopesResponse(List.of(new Scope("Locals", 0, false))));
    assertThat(Json.EMPTY_OBJECT.as(StoppedEvent.class))
        .isEqualTo(new StoppedEvent(new StoppedEventReason("")));
    assertThat(Json.NULL.as(ContinueResponse.class)).isEqualTo(new ContinueResponse());
  }

  @Test
  void aMemberWithoutANeutralValueIsRequired() {
    for (Class<?> type : List.of(
        ExitedEvent.class,
        BreakpointEvent.class,
        NextArguments.class,
        StackFrame.class,
        dev.repartee.dap.types.Thread.class)) {
      assertThatThrownBy(() -> Json.EMPTY_OBJECT.as((Type) type))
          .isInstanceOf(JsonException.class)
          .hasMessageContaining("missing: ");
    }
  }

  @Test
  void aVariableOfTheEnvironmentMayBeNull() {
    Map<String, String> env = new HashMap<>();
    env.put("A", "1");
    env.put("B", null);
    RunInTerminalRequestArguments arguments =
        new RunInTerminalRequestArguments("/", List.of("sh")).withEnv(env);

    Json json = Json.of(arguments);

    assertThat(json.get("env").get("B")).isEqualTo(Json.NULL);
    assertThat(json.as(RunInTerminalRequestArguments.class)).isEqualTo(arguments);
  }

  @Test
  void aConfigurationHasAnyMembersAndIsReadAsATypeOfTheAdapter() {
    record Launch(String program, Optional<Boolean> stopOnEntry) {}

    Configuration configuration = Configuration.of(
        Map.of("program", "main", "type", "test", "noDebug", true, "__restart", 5));

    assertThat(configuration.as(Launch.class)).isEqualTo(new Launch("main", Optional.empty()));
    assertThat(configuration.noDebug()).isTrue();
    assertThat(configuration.restart()).hasToString("5");
    assertThat(
            Json.of(new StartDebuggingRequestArguments(configuration, StartDebuggingRequest.LAUNCH))
                .as(StartDebuggingRequestArguments.class)
                .configuration()
                .get("type"))
        .hasToString("\"test\"");
    assertThatThrownBy(() -> Configuration.of(List.of()))
        .hasMessage("a configuration has to be an object, but is an array");
  }

  @Test
  void aFaultIsNamedByItsPath() {
    assertThatThrownBy(() -> Json.parse("{\"source\":{},\"breakpoints\":[{\"line\":\"x\"}]}")
            .as(SetBreakpointsArguments.class))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("member 'breakpoints': element 0: member 'line': expected an");
  }

  @Test
  void errorsShowTheirVariables() {
    Message message = new Message(1, "{a} and {b} and {}").withVariables(Map.of("a", "$1"));

    assertThat(DapErrors.text(message)).isEqualTo("$1 and {b} and {}");
    assertThat(DapErrors.text(DapErrors.error(message))).isEqualTo("$1 and {b} and {}");
    assertThat(DapErrors.message(DapErrors.error(message))).isEqualTo(message);
    assertThat(DapErrors.message(DapErrors.error(5, "text"))).isNull();
    assertThat(DapErrors.text(
            new Message(1, "{a}".repeat(1000)).withVariables(Map.of("a", "x".repeat(1000)))))
        .hasSize(65_536 + 3)
        .endsWith("x...");
    assertThat(DapErrors.isNotStopped(DapErrors.notStopped())).isTrue();
  }

  private static Object value(Type type, boolean all, int depth) throws Exception {
    if (type instanceof ParameterizedType generic) {
      Type element = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      Object inner = value(element, all, depth + 1);
      return generic.getRawType() == List.class ? List.of(inner) : Map.of("key", inner);
    }
    Class<?> raw = (Class<?>) type;
    if (raw == String.class) {
      return "täxt \"" + depth + '"';
    } else if (raw == int.class || raw == Integer.class) {
      return 40 + depth;
    } else if (raw == long.class || raw == Long.class) {
      return 9007199254740991L - depth;
    } else if (raw == double.class || raw == Double.class) {
      return 0.5;
    } else if (raw == boolean.class || raw == Boolean.class) {
      return true;
    } else if (raw == Json.class) {
      return Json.parse("{\"any\":[1,null]}");
    } else if (raw == Configuration.class) {
      return Configuration.of(Map.of("a", 1));
    } else if (raw.isSealed()) {
      return value(raw.getPermittedSubclasses()[depth % 2], all, depth + 1);
    }
    RecordComponent[] components = raw.getRecordComponents();
    Constructor<?> constructor = raw.getDeclaredConstructor(
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      boolean optional = components[i].getAnnotatedType().isAnnotationPresent(Nullable.class);
      if (!optional || all && depth < 4) {
        values[i] = value(components[i].getGenericType(), all, depth + 1);
      }
    }
    return constructor.newInstance(values);
  }
}
