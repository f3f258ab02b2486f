package io.millrace.dataplane;

import java.util.List;
import java.util.Optional;

/** The stages of a chain for which event time is what one operator says, in the chain's order. */
final class Flow {
  private final Stage[] stages;
  private final Optional<EventTimeGauge> gauge;

  /**
   * @param gauge told how far event time is, if this is what leaves the task
   */
  Flow(List<Stage> stages, Optional<EventTimeGauge> gauge) {
    this.stages = stages.toArray(new Stage[0]);
    this.gauge = gauge;
  }

  void watermark(long watermark) {
    if (gauge.isPresent()) {
      gauge.get().output(watermark);
    }
    for (Stage stage : stages) {
      stage.watermark(watermark);
    }
  }

  void idle(boolean idle) {
    for (Stage stage : stages) {
      stage.idle(idle);
    }
  }
}
