package io.millrace.sim.sabotage;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.RegistrationTimeout;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Sabotages between a ResourceManager and its driver. */
final class DriverSabotages {
  private DriverSabotages() {}

  /** Delegates the events of a driver to a ResourceManager. */
  private static class DelegatingWorkerEvents implements WorkerEvents {
    private final WorkerEvents real;

    DelegatingWorkerEvents(WorkerEvents real) {
      this.real = real;
    }

    @Override
    public void started(long request, WorkerId worker) {
      real.started(request, worker);
    }

    @Override
    public void failed(long request, Reason reason) {
      real.failed(request, reason);
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {
      real.ended(worker, reason);
    }

    @Override
    public void waits(Optional<Reason> reason) {
      real.waits(reason);
    }

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {
      real.draining(worker, reason, within);
    }

    @Override
    public void unreliable(String node, Reason reason, Duration time) {
      real.unreliable(node, reason, time);
    }

    @Override
    public void broken(Throwable cause) {
      real.broken(cause);
    }
  }

  /** Reports a pending request as failed. */
  static final class PendingWorkersForgotten extends SimWiring {
    private static final Duration SOON = Duration.ofMillis(100);

    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        private Optional<WorkerEvents> news = Optional.empty();

        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          news = Optional.of(events);
          return super.start(events);
        }

        @Override
        public void request(long request, WorkerSpec spec) {
          super.request(request, spec);
          process.schedule(
              SOON,
              "request forgotten",
              () ->
                  news.ifPresent(
                      events -> events.failed(request, new ErrorReason("It is forgotten."))));
        }
      };
    }
  }

  /** Requests a second worker where one is enough and more are allowed. */
  static final class OneWorkerTooMany extends SimWiring {
    private static final long ANOTHER = -1;
    private static final Duration SOON = Duration.ofMillis(1);

    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        private int most;
        private int requests;

        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(events)
              .thenApply(
                  supply -> {
                    most = supply.startable().map(DriverCapabilities.Startable::most).orElse(0);
                    return supply;
                  });
        }

        @Override
        public void request(long request, WorkerSpec spec) {
          super.request(request, spec);
          if (++requests == 1) {
            process.schedule(SOON, "another request", () -> another(spec));
          }
        }

        private void another(WorkerSpec spec) {
          if (requests == 1 && most > 1) {
            super.request(ANOTHER, spec);
          }
        }
      };
    }
  }

  static final class LimitIgnored extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(events)
              .thenApply(
                  supply ->
                      new DriverCapabilities(
                          supply.startable().map(LimitIgnored::more), supply.previous()));
        }
      };
    }

    private static DriverCapabilities.Startable more(DriverCapabilities.Startable startable) {
      return new DriverCapabilities.Startable(
          startable.spec(), startable.most() + 2, startable.limit(), startable.larger());
    }
  }

  /**
   * Does not release some workers, and does not reject their registration either, which would end
   * them as well.
   */
  private abstract static class WorkersKept extends SimWiring {
    private final Set<WorkerId> kept = new LinkedHashSet<>();

    final void keep(WorkerId worker) {
      kept.add(worker);
    }

    final boolean keeps(WorkerId worker) {
      return kept.contains(worker);
    }

    @Override
    public final List<Envelope> sends(String from, String to, Envelope envelope) {
      boolean turnsAway =
          envelope instanceof Envelope.Reply reply
              && reply.message() instanceof TaskManagerReply answer
              && answer.success().isEmpty();
      return turnsAway && keeps(new WorkerId(to)) ? List.of() : List.of(envelope);
    }
  }

  /** Keeps workers that start after their request was cancelled. */
  static final class LateWorkerKept extends WorkersKept {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        private final Set<Long> cancelled = new LinkedHashSet<>();

        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(
              new DelegatingWorkerEvents(events) {
                @Override
                public void started(long request, WorkerId worker) {
                  if (cancelled.contains(request)) {
                    keep(worker);
                  }
                  super.started(request, worker);
                }
              });
        }

        @Override
        public void cancel(long request) {
          cancelled.add(request);
          super.cancel(request);
        }

        @Override
        public void release(WorkerId worker, Reason reason) {
          if (!keeps(worker)) {
            super.release(worker, reason);
          }
        }
      };
    }
  }

  /** Keeps idle workers and forgets them. */
  static final class IdleWorkersKept extends WorkersKept {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public void release(WorkerId worker, Reason reason) {
          if (reason instanceof WorkerIdle) {
            keep(worker);
          } else {
            super.release(worker, reason);
          }
        }
      };
    }
  }

  /** Does not release workers that never registered. */
  static final class UnregisteredWorkersKept extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public void release(WorkerId worker, Reason reason) {
          if (!(reason instanceof RegistrationTimeout)) {
            super.release(worker, reason);
          }
        }
      };
    }
  }

  /** Throws where the driver should report an event. */
  static final class DriverThrows extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public void release(WorkerId worker, Reason reason) {
          throw new IllegalStateException("Worker " + worker + " cannot be released");
        }
      };
    }
  }

  /** Treats the end of the application as the end of a process that is replaced. */
  static final class ApplicationEndNotReported extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public CompletableFuture<Void> stop(DriverTermination how) {
          return super.stop(new DriverTermination.Suspended());
        }
      };
    }
  }

  /** Drops the last of several worker requests. */
  static final class LastWorkerRequestLost extends SimWiring {
    private static final Duration SOON = Duration.ofMillis(1);

    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        private final Map<Long, WorkerSpec> asked = new LinkedHashMap<>();

        @Override
        public void request(long request, WorkerSpec spec) {
          if (asked.isEmpty()) {
            process.schedule(SOON, "requests passed on", this::pass);
          }
          asked.put(request, spec);
        }

        @Override
        public void cancel(long request) {
          asked.remove(request);
          super.cancel(request);
        }

        private void pass() {
          List<Long> all = new ArrayList<>(asked.keySet());
          List<Long> passed = all.size() > 1 ? all.subList(0, all.size() - 1) : all;
          passed.forEach(request -> super.request(request, asked.get(request)));
          asked.clear();
        }
      };
    }
  }

  /** Reports failed starts late. */
  static final class FailedStartReportedLate extends SimWiring {
    private static final Duration LATE = Duration.ofSeconds(20);

    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(
              new DelegatingWorkerEvents(events) {
                @Override
                public void failed(long request, Reason reason) {
                  process.schedule(LATE, "failure told", () -> super.failed(request, reason));
                }
              });
        }
      };
    }
  }

  /** Keeps neither spares nor the configured minimum. */
  static final class SparesNotKept extends SimWiring {
    @Override
    public Configuration configuration(SimProcess process, Configuration real) {
      return real.with(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM, 0)
          .with(ResourceManagerOptions.MIN_SLOT_NUM, 0);
    }
  }

  /** Does not report ends of workers to the ResourceManager. */
  static final class WorkerEndsLost extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(
              new DelegatingWorkerEvents(events) {
                @Override
                public void ended(WorkerId worker, Reason reason) {
                  // The event is dropped on purpose.
                }
              });
        }
      };
    }
  }

  /** Drops the announcements that workers will be taken away. */
  static final class AnnouncementsLost extends SimWiring {
    @Override
    public WorkerDriver driver(SimProcess process, WorkerDriver real) {
      return new DelegatingDriver(real) {
        @Override
        public CompletableFuture<DriverCapabilities> start(WorkerEvents events) {
          return super.start(
              new DelegatingWorkerEvents(events) {
                @Override
                public void draining(WorkerId worker, Reason reason, Duration within) {
                  // The event is dropped on purpose.
                }
              });
        }
      };
    }
  }
}
