package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which metrics a response has.
 *
 * @param ids the metrics whose values it has; empty for the names of all metrics, without values
 */
record MetricSelection(Optional<Set<String>> ids) {
  static final MetricSelection NAMES_ONLY = new MetricSelection(Optional.empty());

  MetricSelection {
    Objects.requireNonNull(ids);
    ids = ids.map(OrderedCopies::set);
  }

  /** The selection of the query parameter get. */
  static MetricSelection of(RestRequest call) {
    return list(call, "get").map(MetricSelection::valuesOf).orElse(NAMES_ONLY);
  }

  /** The aggregations of the query parameter agg; all if it is absent. */
  static List<String> aggregations(RestRequest call) {
    return list(call, "agg").orElse(MetricTable.AGGREGATIONS);
  }

  /** The parts of a query parameter with commas between them. */
  static Optional<List<String>> list(RestRequest call, String name) {
    return call.query(name).map(text -> List.of(text.split(",")));
  }

  static MetricSelection valuesOf(List<String> ids) {
    return new MetricSelection(Optional.of(new LinkedHashSet<>(ids)));
  }

  boolean isNamesOnly() {
    return ids.isEmpty();
  }

  boolean contains(String id) {
    return ids.isPresent() && ids.get().contains(id);
  }
}
