package dev.repartee.conformance;

import dev.repartee.json.Json;
import java.util.List;

/** The messages to send, and the expected answer to all of them in the notation of the corpus. */
record Step(List<Say> says, Json expected) {}
