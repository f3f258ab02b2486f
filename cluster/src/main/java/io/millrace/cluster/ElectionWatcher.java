package io.millrace.cluster;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.ComponentNames;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.Leader;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a JobManager that is elected after its cluster has ended under another one, and one that
 * runs an application and is not the leader any more: the next leader runs the {@code main} of the
 * program again, and it must not run twice at a time. Confined to its mailbox.
 */
final class ElectionWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(ElectionWatcher.class);

  private final ServerProcess process;
  private final JobManagerProcess.Services services;
  private final boolean runsProgram;
  private boolean led;

  ElectionWatcher(ServerProcess process, JobManagerProcess.Services services, boolean runsProgram) {
    this.process = process;
    this.services = services;
    this.runsProgram = runsProgram;
  }

  void start(Env env, Mailbox mailbox) {
    services
        .leaders()
        .follow(ComponentNames.DISPATCHER, mailbox, leader -> changed(env, mailbox, leader));
  }

  private void changed(Env env, Mailbox mailbox, Optional<Leader> leader) {
    if (leader.isPresent()) {
      led = true;
      env.io()
          .call(mailbox, services.ended()::get)
          .whenComplete(
              (ended, failure) -> {
                if (failure == null) {
                  ended.ifPresent(outcome -> outcome.end(process));
                } else {
                  LOG.warn("Whether the cluster has ended before is not known", failure);
                }
              });
    } else if (led && runsProgram && process.applicationStatus().isEmpty()) {
      process.fatal(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "This JobManager no longer leads the cluster of its application. It ends, so that"
                  + " the program does not run twice; another JobManager continues its jobs. Start"
                  + " it again as a standby."));
    }
  }
}
