package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.EMPTY_REPORT;
import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.graph;

import io.millrace.sim.SimCheckpointStorage;
import org.junit.jupiter.api.Test;

/** Rules of what an earlier run of an application has left. */
class EarlierRunRulesTest {
  private static final String DIRECTORY = SimCheckpointStorage.ROOT + "/" + JOB;

  private final RuleTrace trace =
      new RuleTrace(new EarlierRunRules.EarlierRunsAreLeftAlone()).plan(graph(1, 1));
  private final SimCheckpointStorage.View storage =
      trace.checkpoints().of(trace.process(Samples.JOB_MANAGER));

  @Test
  void nothingOfAnEarlierRunIsDeleted() {
    trace.checkpoints().leaveEarlierRun(JOB);
    storage.createDirectory(DIRECTORY + "-2/chk-4");
    storage.delete(DIRECTORY + "-2/chk-4");
    trace.isOver(EMPTY_REPORT);
    trace.isBrokenBy(() -> storage.delete(DIRECTORY)).hasMessageContaining("is deleted");
  }

  @Test
  void nothingIsWrittenBesideAnEarlierRun() {
    storage.createDirectory(DIRECTORY + "/chk-1");
    trace.isOver(EMPTY_REPORT);
    trace.checkpoints().leaveEarlierRun(JOB);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("chk-1");
  }
}
