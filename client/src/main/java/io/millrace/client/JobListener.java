package io.millrace.client;

import io.millrace.core.id.JobId;
import io.millrace.protocol.JobOverview;
import java.time.Duration;

/** Hears of a program's jobs while it runs, so that a person can be told. */
public interface JobListener {
  /** Hears and says nothing. */
  JobListener NONE =
      new JobListener() {
        @Override
        public void submitted(JobId job, String name) {}

        @Override
        public void changed(JobOverview job) {}
      };

  /** The cluster has accepted a job. */
  void submitted(JobId job, String name);

  /** The cluster of a job that is waited for does not answer; it is asked again for a while. */
  default void unreachable(String address, Duration patience) {}

  /** The cluster answers again. */
  default void reachable(String address) {}

  /** A job that is waited for is in another state than before, or waits for something else. */
  void changed(JobOverview job);
}
