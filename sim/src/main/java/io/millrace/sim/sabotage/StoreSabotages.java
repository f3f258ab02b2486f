package io.millrace.sim.sabotage;

import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredJob;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sabotages of the stores of a JobManager. */
final class StoreSabotages {
  private static final String JOBS = "jobs/";
  private static final String RESULTS = "results/";
  private static final String TERMS = "terms";

  private StoreSabotages() {}

  /** Acknowledges the write of a job before it is done, and loses it if the process ends before. */
  static final class AcknowledgedBeforeStored extends SimWiring {
    private static final Duration LATER = Duration.ofMillis(200);

    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        @Override
        public long write(String key, Bytes value, long expectedVersion, long term) {
          if (!key.startsWith(JOBS)) {
            return super.write(key, value, expectedVersion, term);
          }
          process.schedule(LATER, "late write", () -> late(key, value, expectedVersion, term));
          return expectedVersion + 1;
        }

        private void late(String key, Bytes value, long expectedVersion, long term) {
          try {
            super.write(key, value, expectedVersion, term);
          } catch (MillraceException e) {
            // The write was acknowledged before, on purpose.
            process
                .simulation()
                .trace()
                .fault(process.nanos(), process.name() + " loses " + key + ": " + e.getMessage());
          }
        }
      };
    }
  }

  static final class ResultNotStored extends SimWiring {
    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        @Override
        public long write(String key, Bytes value, long expectedVersion, long term) {
          return key.startsWith(RESULTS)
              ? expectedVersion + 1
              : super.write(key, value, expectedVersion, term);
        }
      };
    }
  }

  /** Never removes a stored job, and does not read results. */
  static final class EndedJobsRecovered extends SimWiring {
    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        @Override
        public Optional<Versioned> read(String key) {
          return key.startsWith(RESULTS) ? Optional.empty() : super.read(key);
        }

        @Override
        public List<String> list(String prefix) {
          return prefix.equals(RESULTS) ? new ArrayList<>() : super.list(prefix);
        }

        @Override
        public void delete(String key, long expectedVersion, long term) {
          if (!key.startsWith(JOBS)) {
            super.delete(key, expectedVersion, term);
          }
        }
      };
    }

    @Override
    public BlobStore blobs(SimProcess process, BlobStore real) {
      return new DelegatingBlobs(real) {
        @Override
        public void delete(BlobKey key) {
          // A recovered job needs its graph.
        }
      };
    }
  }

  /** Keeps only the first reservation of terms. */
  static final class TermsReservedOnce extends SimWiring {
    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        @Override
        public long write(String key, Bytes value, long expectedVersion, long term) {
          return key.equals(TERMS) && expectedVersion != ABSENT
              ? expectedVersion + 1
              : super.write(key, value, expectedVersion, term);
        }
      };
    }
  }

  /** Only the process that read a graph first can read it. */
  static final class GraphsNotShared extends SimWiring {
    private final Map<BlobKey, SimProcess> readers = new LinkedHashMap<>();

    @Override
    public BlobStore blobs(SimProcess process, BlobStore real) {
      return new DelegatingBlobs(real) {
        @Override
        public Bytes readAll(BlobKey key) throws IOException {
          if (readers.computeIfAbsent(key, x -> process) != process) {
            throw new MillraceException(ErrorKind.EXTERNAL, "There is no blob " + key);
          }
          return super.readAll(key);
        }
      };
    }
  }

  /** Archives no ended job. */
  static final class ArchiveNotWritten extends SimWiring {
    @Override
    public ArchiveStore archive(SimProcess process, ArchiveStore real) {
      return new ArchiveStore() {
        @Override
        public void put(JobId job, Bytes content) {
          // Not archived on purpose.
        }

        @Override
        public Optional<Bytes> find(JobId job, int most) throws IOException {
          return real.find(job, most);
        }

        @Override
        public void remove(JobId job) throws IOException {
          real.remove(job);
        }

        @Override
        public List<JobId> list() throws IOException {
          return real.list();
        }

        @Override
        public String place(JobId job) {
          return real.place(job);
        }
      };
    }
  }

  /** Changes graphs when they are read. */
  private abstract static class ChangedGraphs extends SimWiring {
    private static final RecordCodec CODEC = Messages.graphCodec();

    abstract JobGraph changed(JobGraph graph);

    @Override
    public final BlobStore blobs(SimProcess process, BlobStore real) {
      return new DelegatingBlobs(real) {
        @Override
        public Bytes readAll(BlobKey key) throws IOException {
          return Bytes.wrap(
              CODEC.encode(changed(CODEC.decode(JobGraph.class, super.readAll(key)))));
        }
      };
    }
  }

  /** Removes the restart strategy from graphs. */
  static final class RestartsDisabled extends ChangedGraphs {
    @Override
    JobGraph changed(JobGraph graph) {
      return graph.withConfiguration(
          graph
              .configuration()
              .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.NONE));
    }
  }

  /** Removes the limit of restarts from graphs. */
  static final class RestartsUnlimited extends ChangedGraphs {
    @Override
    JobGraph changed(JobGraph graph) {
      return graph.withConfiguration(
          graph
              .configuration()
              .with(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY)
              .with(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE));
    }
  }

  /** Lets jobs tolerate any number of failed checkpoints. */
  static final class FailedCheckpointsTolerated extends ChangedGraphs {
    @Override
    JobGraph changed(JobGraph graph) {
      return graph.withConfiguration(
          graph
              .configuration()
              .with(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS, Integer.MAX_VALUE));
    }
  }

  /** Removes the path of the state that a job starts with from graphs. */
  static final class SubmittedStateIgnored extends ChangedGraphs {
    @Override
    JobGraph changed(JobGraph graph) {
      return graph.withConfiguration(
          graph.configuration().without(List.of(StateRecoveryOptions.PATH.key())));
    }
  }

  /** Removes the client timeout from graphs. */
  static final class ClientTimeoutIgnored extends ChangedGraphs {
    @Override
    JobGraph changed(JobGraph graph) {
      return new JobGraph(
              graph.id(),
              graph.name(),
              graph.type(),
              graph.vertices(),
              graph.edges(),
              graph.jars(),
              graph.configuration())
          .withResources(graph.resources());
    }
  }

  /** Deletes the graph of a job a moment after the job is stored. */
  static final class GraphDeletedEarly extends SimWiring {
    private static final RecordCodec CODEC = Messages.codec();
    private static final Duration SOON = Duration.ofMillis(100);

    private final Map<String, BlobStore> blobs = new LinkedHashMap<>();

    @Override
    public BlobStore blobs(SimProcess process, BlobStore real) {
      blobs.put(process.name(), real);
      return real;
    }

    @Override
    public HaStore store(SimProcess process, HaStore real) {
      return new DelegatingStore(real) {
        @Override
        public long write(String key, Bytes value, long expectedVersion, long term) {
          if (key.startsWith(JOBS)) {
            BlobKey graph = CODEC.decode(StoredJob.class, value).submission().graph();
            process.schedule(SOON, "graph removed", () -> remove(process, graph));
          }
          return super.write(key, value, expectedVersion, term);
        }
      };
    }

    private void remove(SimProcess process, BlobKey graph) {
      try {
        blobs.get(process.name()).delete(graph);
      } catch (IOException | MillraceException e) {
        process
            .simulation()
            .trace()
            .fault(process.nanos(), process.name() + " keeps " + graph + ": " + e.getMessage());
      }
    }
  }

  /** Does not delete the graphs of ended jobs. */
  static final class GraphsKept extends SimWiring {
    @Override
    public BlobStore blobs(SimProcess process, BlobStore real) {
      return new DelegatingBlobs(real) {
        @Override
        public void delete(BlobKey key) {
          // The graph is kept on purpose.
        }
      };
    }
  }
}
