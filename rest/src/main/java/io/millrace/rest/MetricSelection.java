package io.millrace.rest;

import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Which metrics a response has.
 *
 * @param ids the metrics whose values it has; empty for the names of all metrics, without values
 */
record MetricSelection(Optional<List<String>> ids) {
  static final MetricSelection NAMES_ONLY = new MetricSelection(Optional.empty());

  MetricSelection {
    Objects.requireNonNull(ids);
    ids = ids.map(OrderedCopies::list);
  }

  static MetricSelection valuesOf(List<String> ids) {
    return new MetricSelection(Optional.of(ids));
  }

  boolean isNamesOnly() {
    return ids.isEmpty();
  }

  boolean contains(String id) {
    return ids.isPresent() && ids.get().contains(id);
  }
}
