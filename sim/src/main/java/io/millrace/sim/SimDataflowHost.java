package io.millrace.sim;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.rpc.Mailbox;
import io.millrace.sim.SimDataflow.Flaw;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The part of a {@link SimDataflow} in one process. */
final class SimDataflowHost {
  final SimProcess process;
  final Mailbox mailbox;
  final SimCheckpointStorage.View storage;
  final Flaw flaw;
  final RandomGenerator random;
  private final SimDataflow dataflow;
  private final Map<ExecutionId, SimDataflowTask> hosted = new LinkedHashMap<>();

  SimDataflowHost(
      SimDataflow dataflow,
      SimProcess process,
      Mailbox mailbox,
      SimCheckpointStorage.View storage,
      Flaw flaw) {
    this.dataflow = dataflow;
    this.process = process;
    this.mailbox = mailbox;
    this.storage = storage;
    this.flaw = flaw;
    this.random = process.random("dataflow");
  }

  /** Creates a task and restores its state. */
  SimDataflowTask deploy(
      JobGraph graph,
      long number,
      TaskSpec spec,
      Optional<TaskRestore> restore,
      SimTaskHost.Behaviour behaviour,
      TaskListener reports) {
    SimDataflowTask task =
        new SimDataflowTask(dataflow, this, graph, number, spec, behaviour.longestRun(), reports);
    dataflow.add(task);
    hosted.put(spec.execution(), task);
    try {
      task.start(restore);
      dataflow.listener().started(task);
      restore.ifPresent(state -> task.commit(Long.MAX_VALUE, state.checkpoint()));
    } catch (MillraceException e) {
      task.fail(Failure.briefly(e, ErrorKind.EXTERNAL));
      dataflow.listener().unreadable(task, e.getMessage());
    }
    return task;
  }

  void remove(SimDataflowTask task) {
    hosted.remove(task.spec().execution());
  }

  void trigger(CheckpointRequest request, List<ExecutionId> sources) {
    for (ExecutionId execution : sources) {
      SimDataflowTask task = hosted.get(execution);
      if (task != null) {
        task.barrierIn(request, Map.of());
      }
    }
  }

  void completed(JobId job, long checkpoint) {
    for (SimDataflowTask task : new ArrayList<>(hosted.values())) {
      if (task.graph().id().equals(job)) {
        task.completed(checkpoint);
      }
    }
  }

  void aborted(JobId job, long checkpoint) {
    for (SimDataflowTask task : new ArrayList<>(hosted.values())) {
      if (task.graph().id().equals(job)) {
        task.aborted(checkpoint);
      }
    }
  }

  void earlierAborted(JobId job, long checkpoint) {
    for (SimDataflowTask task : new ArrayList<>(hosted.values())) {
      if (task.graph().id().equals(job)) {
        task.earlierAborted(checkpoint);
      }
    }
  }
}
