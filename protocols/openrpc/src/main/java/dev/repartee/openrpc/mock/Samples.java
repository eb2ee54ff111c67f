package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.schema.SchemaValidator.Fault;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Generated values of the results of a document. Each has been validated. Not thread-safe. */
final class Samples {
  /** Makes seeds that follow each other differ in all bits. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final OpenRpc document;
  private final long seed;
  private final Bounds bounds = new Bounds();
  private final Fit fit;

  /** The values, or the reasons that there is none, by JSON pointer: methods may share a result. */
  private final Map<String, Object> known = new HashMap<>();

  Samples(OpenRpc document, long seed) {
    this.document = document;
    this.seed = seed;
    this.fit = new Fit(document, bounds);
  }

  /**
   * Returns the first errors of a value; empty if it fits.
   *
   * @throws NoValueException if it cannot be validated
   */
  List<Fault> faults(ContentDescriptor content, Json value) {
    bounds.begin(content.pointer());
    return fit.faults(place(content), value);
  }

  /** Ends the checks of a method. */
  void forget() {
    fit.forget();
  }

  private static Place place(ContentDescriptor content) {
    return new Place(content.schema(), content.pointer());
  }

  /**
   * Returns a value that fits.
   *
   * @throws OpenRpcException if no value fits
   * @throws NoValueException if none was found
   */
  Json value(ContentDescriptor content) {
    Object outcome = known.get(content.pointer());
    if (outcome == null) {
      outcome = outcome(place(content), Sampler.Attempt.values());
      known.put(content.pointer(), outcome);
    }
    if (outcome instanceof NoValueException failure) {
      throw failure;
    }
    return (Json) outcome;
  }

  /**
   * Returns a value that fits, without its optional parts if it is longer than a number of
   * characters.
   *
   * @throws OpenRpcException if no value fits
   * @throws NoValueException if none was found
   */
  Json value(ContentDescriptor content, int most) {
    Json value = value(content);
    return value.length() > most
            && outcome(place(content), Sampler.Attempt.SMALL) instanceof Json small
        ? small
        : value;
  }

  private Object outcome(Place schema, Sampler.Attempt... attempts) {
    NoValueException failure =
        NoValueException.unknown(schema.pointer(), "no value was found that fits the schema");
    for (Sampler.Attempt attempt : attempts) {
      try {
        bounds.begin(schema.pointer());
        Random random = new Random((seed ^ schema.pointer().hashCode()) * MIX);
        Json value = new Sampler(document, fit, bounds, random, attempt).value(schema);
        if (fit.accepts(schema, value)) {
          return value;
        }
      } catch (NoValueException e) {
        if (e.isCertain()) {
          throw new OpenRpcException(e.pointer(), e.reason());
        }
        failure = e;
      }
    }
    return failure;
  }
}
