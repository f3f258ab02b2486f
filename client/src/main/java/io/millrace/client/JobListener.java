package io.millrace.client;

import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import java.time.Duration;

/** Receives the events of a program's jobs, to show them to the user. */
public interface JobListener {
  /** Ignores all events. */
  JobListener NONE =
      new JobListener() {
        @Override
        public void submitted(JobId job, String name) {}

        @Override
        public void changed(JobOverview job) {}
      };

  /** The cluster has accepted a job. */
  void submitted(JobId job, String name);

  /** The cluster does not answer while the client waits for a job. */
  default void unreachable(String address, Duration timeout) {}

  /** The cluster answers again. */
  default void reachable(String address) {}

  /** A job that the client waits for has another state than before, or another reason to wait. */
  void changed(JobOverview job);
}
