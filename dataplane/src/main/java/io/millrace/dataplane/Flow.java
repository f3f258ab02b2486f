package io.millrace.dataplane;

import java.util.List;

/** The stages of a chain for which event time is what one operator says, in the chain's order. */
final class Flow {
  private final Stage[] stages;

  Flow(List<Stage> stages) {
    this.stages = stages.toArray(new Stage[0]);
  }

  void watermark(long watermark) {
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
