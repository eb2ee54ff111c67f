package dev.repartee.conformance;

import dev.repartee.Json;
import java.util.List;

/** What is sent, and the answer that is owed for all of it, as the corpus writes it. */
record Step(List<Say> says, Json expected) {}
