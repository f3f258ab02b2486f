package io.millrace.control.jobmaster;

import io.millrace.control.ha.DeploymentStore;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.protocol.StoredDeployment;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.AsyncSequence;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores which executions the next leader may adopt, before they are deployed: after that no
 * earlier execution of their subtasks is adopted. Lives in the mailbox of the JobMaster.
 */
final class DeploymentRecords {
  private static final Logger LOG = LoggerFactory.getLogger(DeploymentRecords.class);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  private final Env env;
  private final Mailbox mailbox;
  private final JobId job;
  private final long term;
  private final DeploymentStore store;
  private final AsyncSequence writes = new AsyncSequence();
  private boolean closed;

  /**
   * @param term of the leader
   */
  DeploymentRecords(Env env, Mailbox mailbox, JobId job, long term, DeploymentStore store) {
    this.env = env;
    this.mailbox = mailbox;
    this.job = job;
    this.term = term;
    this.store = store;
  }

  /**
   * Stores what is deployed and then sends it. A failed write is repeated: the store may have an
   * earlier deployment. Nothing is sent after {@link #close}, or if there is a later leader.
   *
   * @param current what is deployed when the write begins, also by later decisions: a repeated
   *     write must not undo a later one
   */
  void store(Supplier<StoredDeployment> current, Runnable send) {
    writes
        .run(
            () -> {
              StoredDeployment deployment = current.get();
              return env.io()
                  .call(
                      mailbox,
                      () -> {
                        store.put(job, deployment, term);
                        return Acknowledge.INSTANCE;
                      });
            })
        .whenComplete(
            (done, failure) -> {
              if (closed) {
                return;
              }
              if (failure == null) {
                send.run();
              } else if (Failure.unwrap(failure) instanceof StaleWriteException) {
                LOG.info(
                    "Job {}: nothing is deployed any more: {}",
                    job,
                    Failure.sentence(Failure.unwrap(failure)));
              } else {
                LOG.warn(
                    "Job {}: its deployment cannot be stored and waits: {}",
                    job,
                    Failure.sentence(Failure.unwrap(failure)));
                mailbox.after(RETRY_DELAY, () -> store(current, send));
              }
            });
  }

  void close() {
    closed = true;
  }
}
