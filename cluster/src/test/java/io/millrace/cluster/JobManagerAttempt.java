package io.millrace.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A JobManager without workers on a store that outlives it. */
final class JobManagerAttempt implements AutoCloseable {
  final ApplicationClient client;
  private final LiveEnv env = new LiveEnv("attempt");
  private final Rpc rpc =
      new Rpc(
          env,
          new InProcessNetwork().join("jobmanager"),
          Configuration.EMPTY.get(RpcOptions.ASK_TIMEOUT));
  private final JobManager jobManager;

  JobManagerAttempt(BlobStore blobs, HaStore store, Consumer<Throwable> fatal) {
    jobManager =
        new JobManager(
            rpc,
            Configuration.EMPTY,
            new JobManager.Backing(
                blobs,
                store,
                new FileCheckpointStorage(FileSystems.withoutPlugins()),
                new StandaloneDriver()),
            new JobManager.Signals(() -> {}, fatal));
    jobManager.start();
    client = new ApplicationClient(rpc, jobManager.leaders(), blobs, Configuration.EMPTY);
    client.awaitRecovery();
  }

  @Override
  public void close() {
    client.close();
    jobManager.stop().orTimeout(60, TimeUnit.SECONDS).join();
    rpc.close();
    env.close();
  }
}
