package io.millrace.yarn.master;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.security.RestToken;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Address;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.leader.LeaderDirectory;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one call between two RPC systems of its own in this process, as soon as the first container
 * was started. The JobManager is idle until the TaskManager in that container connects, and then
 * needs the same code for two connections, one in each direction, while the TaskManager waits.
 */
final class ConnectionWarmUp implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionWarmUp.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Configuration configuration;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * @param configuration of the JobManager, with its key
   */
  ConnectionWarmUp(Configuration configuration) {
    this.configuration =
        configuration
            .with(JobManagerOptions.ADDRESS, "localhost")
            .with(JobManagerOptions.BIND_HOST, "127.0.0.1")
            .with(JobManagerOptions.PORT, 0);
  }

  /** Returns at once. Only the first call has an effect. */
  @Override
  public void run() {
    if (begun.compareAndSet(false, true)) {
      Thread thread = new Thread(this::connect, "connection-warm-up");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /**
   * A failure has no effect, because real connections report it.
   *
   * @return whether an answer arrived
   */
  boolean connect() {
    LOG.info("Preparing connections over two RPC ports that are closed at once");
    LiveEnv env = new LiveEnv("connection-warm-up");
    // Not the one of the cluster: nothing else connects to these ports.
    Bytes secret = Bytes.utf8(RestToken.random());
    try (Rpc called = rpc(env, secret);
        Rpc caller = rpc(env, secret)) {
      return caller
          .gateway(
              LeaderDirectoryGateway.class,
              new Address(called.address(), LeaderDirectory.NAME),
              Optional.empty(),
              env.mailbox("connection-warm-up"),
              TIMEOUT)
          .awaitLeader(new LeaderDirectoryGateway.AwaitLeader("none", Optional.empty()))
          .handle((answer, failure) -> isAnswer(failure))
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (RuntimeException | ExecutionException | TimeoutException e) {
      LOG.debug("No connection could be made in advance: {}", Failure.sentence(e));
      return false;
    } finally {
      env.close();
    }
  }

  /** The process that was called has no endpoint, and says so. */
  private static boolean isAnswer(Throwable failure) {
    return Failure.unwrap(failure) instanceof RpcException error
        && error.code() == RpcError.Code.NO_ENDPOINT;
  }

  private Rpc rpc(LiveEnv env, Bytes secret) {
    return new Rpc(
        env,
        new GrpcTransport(
            GrpcSettings.from(configuration, GrpcSettings.Role.JOB_MANAGER, secret),
            Messages.codec(),
            Messages::isHeartbeat),
        TIMEOUT);
  }
}
