package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobResult;
import java.util.Optional;

/**
 * How jobs ended. A job with a result here never runs again, whoever leads. Blocks like the store
 * under it.
 */
public final class JobResults {
  private static final String PREFIX = "results/";

  private final HaStore store;
  private final RecordCodec codec;

  public JobResults(HaStore store, RecordCodec codec) {
    this.store = store;
    this.codec = codec;
  }

  public Optional<JobResult> find(JobId job) {
    return store.read(PREFIX + job).map(found -> codec.decode(JobResult.class, found.value()));
  }

  /** Keeps the result. The first one counts: a job ends once. */
  public void put(JobResult result, long term) {
    String key = PREFIX + result.job();
    if (store.read(key).isEmpty()) {
      store.write(key, Bytes.wrap(codec.encode(result)), HaStore.ABSENT, term);
    }
  }
}
