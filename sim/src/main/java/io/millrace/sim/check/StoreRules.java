package io.millrace.sim.check;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JarFile;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredJob;
import io.millrace.sim.scenario.SimJob;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Invariants of stored jobs and of their blobs. */
final class StoreRules {
  private static final RecordCodec CODEC = Messages.codec();
  private static final String JOBS = "jobs/";
  private static final String RESULTS = "results/";

  private StoreRules() {}

  /** Checks each change of the store or of the number of blobs. */
  static final class StoredJobsAreComplete extends Invariant {
    private final Map<String, BlobKey> stored = new LinkedHashMap<>();
    private int blobs;
    private boolean changed;

    StoredJobsAreComplete() {
      super("A stored job can be recovered: its graph and its jars are stored, too.");
    }

    @Override
    protected void stored(Fact.Stored change) {
      if (change.key().startsWith(JOBS)) {
        stored.remove(change.key());
        change.value().ifPresent(value -> stored.put(change.key(), graphOf(value)));
        changed = true;
      }
    }

    private static BlobKey graphOf(Bytes value) {
      return CODEC.decode(StoredJob.class, value).submission().graph();
    }

    @Override
    protected void afterEvent() {
      if (changed || world().blobs().keys().size() != blobs) {
        changed = false;
        blobs = world().blobs().keys().size();
        check();
      }
    }

    private void check() {
      stored.forEach(
          (key, graph) -> {
            check(key, "graph", graph);
            // An ended job waits for its removal, and a shared jar may be removed with another job.
            boolean ended = world().store().contains(RESULTS + key.substring(JOBS.length()));
            for (SimJob job : world().scenario().jobs()) {
              if (!ended && key.equals(JOBS + job.id())) {
                for (JarFile jar : job.graph().jars()) {
                  check(key, "jar", jar.blob());
                }
              }
            }
          });
    }

    private void check(String key, String what, BlobKey blob) {
      if (!world().blobs().keys().contains(blob)) {
        throw broken("Of " + key + " the " + what + " " + blob + " is not stored");
      }
    }
  }

  /**
   * A client stores the graph before it submits the job: if it submits an ended job again, the
   * graph of the refused submission stays.
   */
  static final class EndedJobsAreRemovedFromStorage extends Invariant {
    private final Map<JobId, BlobKey> graphs = new LinkedHashMap<>();
    private final Set<JobId> submittedAgain = new LinkedHashSet<>();

    EndedJobsAreRemovedFromStorage() {
      super("When all jobs have ended, neither they nor their graphs and jars are stored.");
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof SubmitJob submission
          && graphs.put(submission.job(), submission.graph()) != null) {
        submittedAgain.add(submission.job());
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      List<String> left = world().store().keys(JOBS);
      if (!left.isEmpty()) {
        throw broken(left + " are stored");
      }
      graphs.forEach(
          (job, graph) -> {
            if (!submittedAgain.contains(job) && world().blobs().keys().contains(graph)) {
              throw broken("The graph " + graph + " of job " + job + " is stored");
            }
          });
      for (SimJob job : world().scenario().jobs()) {
        for (JarFile jar : job.graph().jars()) {
          if (submittedAgain.isEmpty() && world().blobs().keys().contains(jar.blob())) {
            throw broken("The jar " + jar.blob() + " of job " + job.id() + " is stored");
          }
        }
      }
    }
  }
}
