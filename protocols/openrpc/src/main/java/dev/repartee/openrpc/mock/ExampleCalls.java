package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.ExamplePairing;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.ParamStructure;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes example calls of the methods of a document: the first example of the method, otherwise a
 * call with generated values of the required params. The values fit their schemas; null stands for
 * one that was not found. The same document gives the same calls. Not thread-safe.
 */
public final class ExampleCalls {
  /** The characters of a generated value from which optional parts are left out. */
  private static final int LONG = 200;

  /** The characters of a generated value at which it shows nothing to a reader. */
  private static final int TOO_LONG = 10_000;

  private final Samples samples;

  /** Creates the examples of a document. */
  public ExampleCalls(OpenRpc document) {
    this.samples = new Samples(document, MockOptions.DEFAULT.seed());
  }

  /** Returns an example call of a method of the document. */
  public ExampleCall of(MethodDescriptor method) {
    return method.examples().isEmpty()
        ? new ExampleCall(method, generated(method), null)
        : given(method, method.examples().get(0));
  }

  private static ExampleCall given(MethodDescriptor method, ExamplePairing example) {
    List<ContentDescriptor> params = params(method);
    List<ExamplePairing.Argument> arguments = new ArrayList<>();
    for (int i = 0; i < example.params().size(); i++) {
      ExamplePairing.Argument given = example.params().get(i);
      if (i < params.size()) {
        // The name of an example is often, but not always, the name of the parameter.
        add(arguments, method, params.get(i), given.value());
      } else {
        arguments.add(given);
      }
    }
    return new ExampleCall(method, arguments, example.result());
  }

  private List<ExamplePairing.Argument> generated(MethodDescriptor method) {
    List<ExamplePairing.Argument> arguments = new ArrayList<>();
    for (ContentDescriptor param : params(method)) {
      if (param.required() || param.variadic()) {
        add(arguments, method, param, value(param));
      }
    }
    samples.forget();
    return arguments;
  }

  /** Adds the value of a parameter; by position, each element of a variadic one is a param. */
  private static void add(
      List<ExamplePairing.Argument> arguments,
      MethodDescriptor method,
      ContentDescriptor param,
      Json value) {
    boolean isSpread = param.variadic()
        && method.paramStructure() != ParamStructure.BY_NAME
        && value.kind() == Json.Kind.ARRAY;
    for (Json each : isSpread ? value.elements() : List.of(value)) {
      arguments.add(new ExamplePairing.Argument(param.name(), each));
    }
  }

  private static List<ContentDescriptor> params(MethodDescriptor method) {
    List<ContentDescriptor> params = method.params();
    return params == null ? List.of() : params;
  }

  private Json value(ContentDescriptor param) {
    try {
      Json value = samples.value(param, LONG);
      return value.length() < TOO_LONG ? value : Json.NULL;
    } catch (NoValueException | OpenRpcException e) {
      return Json.NULL;
    }
  }
}
