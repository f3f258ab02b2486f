package io.millrace.dataplane;

import java.util.List;
import java.util.Optional;

/** The stages of a chain for which event time is what one operator says, in the chain's order. */
final class WatermarkTargets {
  private final StreamOperator[] operators;
  private final Optional<EventTimeMetrics> eventTimeMetrics;

  /**
   * @param eventTimeMetrics told how far event time is, if this is what leaves the task
   */
  WatermarkTargets(List<StreamOperator> operators, Optional<EventTimeMetrics> eventTimeMetrics) {
    this.operators = operators.toArray(new StreamOperator[0]);
    this.eventTimeMetrics = eventTimeMetrics;
  }

  void watermark(long watermark) {
    if (eventTimeMetrics.isPresent()) {
      eventTimeMetrics.get().output(watermark);
    }
    for (StreamOperator operator : operators) {
      operator.watermark(watermark);
    }
  }

  void idle(boolean idle) {
    for (StreamOperator operator : operators) {
      operator.idle(idle);
    }
  }
}
