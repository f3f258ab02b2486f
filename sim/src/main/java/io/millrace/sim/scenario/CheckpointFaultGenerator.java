package io.millrace.sim.scenario;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.scenario.Scenario.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Draws faults that matter to jobs with checkpoints. */
final class CheckpointFaultGenerator {
  private final ScenarioKind kind;
  private final Shape shape;

  CheckpointFaultGenerator(ScenarioKind kind, Shape shape) {
    this.kind = kind;
    this.shape = shape;
  }

  /** A leader is replaced at the moment in which a checkpoint is about to complete. */
  void staleCheckpoint(List<SimJob> jobs, List<Fault> faults, Random state) {
    boolean coordinated = shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
    if (coordinated
        && kind != ScenarioKind.CALM
        && state.nextBoolean()
        && jobs.stream().anyMatch(job -> SimDataflow.isCheckpointed(job.graph()))) {
      faults.add(
          new Fault.StaleWrite(
              FaultGenerator.millis(
                  5_000 + state.nextInt(ScenarioGenerator.WINDOW_MILLIS - 10_000)),
              Fault.StaleWrite.Moment.CHECKPOINT,
              FaultGenerator.millis(100 + state.nextInt(8_000)),
              FaultGenerator.millis(20 + state.nextInt(state.nextBoolean() ? 300 : 4_000))));
    }
  }

  /** A checkpoint is damaged while its job has an earlier one. */
  void damagedCheckpoint(List<SimJob> jobs, List<Fault> faults, Random state) {
    boolean several =
        jobs.stream()
            .anyMatch(
                job ->
                    SimDataflow.isCheckpointed(job.graph())
                        && job.graph().configuration().get(CheckpointingOptions.NUM_RETAINED) > 1);
    if (!several || kind == ScenarioKind.CALM || state.nextInt(3) != 0) {
      return;
    }
    String process =
        shape.workerNames().isEmpty() || state.nextBoolean()
            ? "jobmanager-" + (1 + state.nextInt(shape.jobManagers()))
            : shape.workerNames().get(state.nextInt(shape.workerNames().size()));
    faults.add(
        new Fault.DamagedCheckpoint(
            FaultGenerator.millis(5_000 + state.nextInt(ScenarioGenerator.WINDOW_MILLIS - 15_000)),
            state.nextInt(8),
            state.nextBoolean(),
            process,
            FaultGenerator.millis(100 + state.nextInt(4_000))));
  }

  /** Tasks restart while a checkpoint is stored: some time, or when a job has resumed. */
  void restartDuringCheckpoint(
      List<SimJob> jobs, List<ClientAction> acts, List<Fault> faults, Random draws) {
    if (kind == ScenarioKind.CALM) {
      return;
    }
    boolean mayDamage = faults.stream().noneMatch(Fault.DamagedCheckpoint.class::isInstance);
    for (int job = 0; job < jobs.size(); job++) {
      int number = job;
      Optional<ClientAction> resumed =
          acts.stream()
              .filter(act -> act instanceof ClientAction.Resume resume && resume.job() == number)
              .findFirst();
      Duration at =
          resumed
              .map(ClientAction::at)
              .orElse(
                  FaultGenerator.millis(
                      1_000 + draws.nextInt(ScenarioGenerator.WINDOW_MILLIS / 2)));
      if (SimDataflow.isCheckpointed(jobs.get(job).graph())
          && draws.nextInt(resumed.isPresent() ? 3 : 4) < (resumed.isPresent() ? 2 : 1)) {
        faults.add(
            new Fault.RestartDuringCheckpoint(
                at,
                job,
                mayDamage && draws.nextBoolean(),
                FaultGenerator.millis(100 + draws.nextInt(500))));
        mayDamage = false;
      }
    }
  }
}
