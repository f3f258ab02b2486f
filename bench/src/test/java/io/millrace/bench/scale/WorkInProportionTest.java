package io.millrace.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The work of the JobManager grows in proportion to the number of workers, measured in events,
 * messages and allocations per slot, because times depend on the machine.
 */
class WorkInProportionTest {
  private static final int FEW = 100;
  private static final int MANY = 400;

  /** Tolerance of exact counts. */
  private static final double SLACK = 1.1;

  /** Tolerance of allocations: tables grow by doubling. */
  private static final double ALLOCATION_SLACK = 1.15;

  /** Copies of each sent byte, by the growing buffer of the encoder and the final array. */
  private static final int COPIES = 4;

  private static final String UNSENT = ".allocatedUnsentMb";

  /** Figures per slot below this are not compared. */
  private static final double NEGLIGIBLE = 0.05;

  @ParameterizedTest
  @EnumSource
  @Behaviour(
      "Scale: the work, messages and allocation of a JobManager per slot do not grow with the"
          + " cluster")
  void costPerSlotDoesNotGrowWithTheCluster(ScaleScenario scenario) {
    // Loads classes and links call sites, also of texts that take more than one worker.
    ClusterScaleRun.runPhases(scenario, MANY);
    Map<String, Double> few = ClusterScaleRun.runPhases(scenario, FEW);
    Map<String, Double> many = ClusterScaleRun.runPhases(scenario, MANY);
    List<String> outOfProportion = new ArrayList<>();
    for (String phase : Phases.NAMES) {
      compare(outOfProportion, few, many, phase + ".events", SLACK);
      compare(outOfProportion, few, many, phase + ".sent", SLACK);
      compare(outOfProportion, few, many, phase + ".received", SLACK);
      compare(outOfProportion, few, many, phase + ".receivedMb", SLACK);
      // A region across all workers sends the addresses of all workers to each of them.
      compare(outOfProportion, unsent(few), unsent(many), phase + UNSENT, ALLOCATION_SLACK);
      if (scenario != ScaleScenario.HASH) {
        compare(outOfProportion, few, many, phase + ".sentMb", SLACK);
      }
    }
    assertThat(outOfProportion).isEmpty();
  }

  /** Adds the allocations that are not due to sent messages. */
  private static Map<String, Double> unsent(Map<String, Double> figures) {
    Map<String, Double> unsent = new LinkedHashMap<>();
    for (String phase : Phases.NAMES) {
      if (figures.containsKey(phase + ".allocatedMb")) {
        unsent.put(
            phase + UNSENT,
            figures.get(phase + ".allocatedMb") - COPIES * figures.get(phase + ".sentMb"));
      }
    }
    return unsent;
  }

  private static void compare(
      List<String> found,
      Map<String, Double> few,
      Map<String, Double> many,
      String figure,
      double slack) {
    if (!few.containsKey(figure)) {
      return;
    }
    double kilo = figure.endsWith("Mb") ? 1000 : 1;
    double before = few.get(figure) * kilo / (FEW * ScaleCluster.SLOTS);
    double after = many.get(figure) * kilo / (MANY * ScaleCluster.SLOTS);
    if (after > NEGLIGIBLE && after > before * slack) {
      found.add(figure + " a slot: " + before + " with few workers, " + after + " with many");
    }
  }
}
