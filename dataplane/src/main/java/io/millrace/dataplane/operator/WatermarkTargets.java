package io.millrace.dataplane.operator;

import io.millrace.dataplane.metrics.EventTimeMetrics;
import java.util.List;
import java.util.Optional;

/** The operators of a chain that follow the watermarks of one operator, in the chain's order. */
public final class WatermarkTargets {
  private final StreamOperator[] operators;
  private final Optional<EventTimeMetrics> outputMetrics;

  /**
   * @param outputMetrics present if these watermarks leave the task
   */
  public WatermarkTargets(
      List<StreamOperator> operators, Optional<EventTimeMetrics> outputMetrics) {
    this.operators = operators.toArray(new StreamOperator[0]);
    this.outputMetrics = outputMetrics;
  }

  public void watermark(long watermark) {
    if (outputMetrics.isPresent()) {
      outputMetrics.get().output(watermark);
    }
    for (StreamOperator operator : operators) {
      operator.watermark(watermark);
    }
  }

  public void idle(boolean idle) {
    for (StreamOperator operator : operators) {
      operator.idle(idle);
    }
  }
}
