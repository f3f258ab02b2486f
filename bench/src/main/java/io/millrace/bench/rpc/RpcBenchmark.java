package io.millrace.bench.rpc;

import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.Id128;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Address;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import io.millrace.rpc.live.LiveEnv;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A call between two {@link Rpc} instances and its reply, through mailboxes, deadline and
 * transport, in one JVM. Request and reply are real messages of about 20 and 60 bytes.
 */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
public class RpcBenchmark {
  /** Number of concurrent calls in the throughput benchmark. */
  private static final int BATCH = 512;

  /** The transport between the two instances. */
  public enum Connection {
    /** Messages are passed by reference. */
    IN_PROCESS,
    /** Messages are encoded and sent through a socket. */
    LOOPBACK
  }

  @Param public Connection connection;

  private final LeaderDirectoryGateway.AwaitLeader request =
      new LeaderDirectoryGateway.AwaitLeader("resourcemanager", Optional.empty());
  private LiveEnv env;
  private Rpc caller;
  private Rpc called;
  private LeaderDirectoryGateway gateway;

  /** Answers at once. */
  private static final class Directory extends Endpoint implements LeaderDirectoryGateway {
    private final LeaderAnswer answer =
        new LeaderAnswer(
            Optional.of(
                new Leader(
                    new Address("127.0.0.1:6123", "resourcemanager"),
                    new LeaderToken(1_700_000_000_000L, new Id128(42, 4242)))));

    Directory(Rpc rpc) {
      super(rpc, "directory", Optional.empty());
    }

    @Override
    public CompletableFuture<LeaderAnswer> awaitLeader(AwaitLeader request) {
      return CompletableFuture.completedFuture(answer);
    }
  }

  @Setup
  public void start() {
    env = new LiveEnv("bench");
    InProcessNetwork network = new InProcessNetwork();
    RecordCodec codec = Messages.codec();
    caller = new Rpc(env, transport(network, codec, "caller"), Duration.ofSeconds(10));
    called = new Rpc(env, transport(network, codec, "called"), Duration.ofSeconds(10));
    Directory directory = new Directory(called);
    directory.start();
    gateway =
        caller.gateway(
            LeaderDirectoryGateway.class,
            directory.address(),
            Optional.empty(),
            env.mailbox("caller"));
  }

  private Transport transport(InProcessNetwork network, RecordCodec codec, String name) {
    return switch (connection) {
      case IN_PROCESS -> network.join(name);
      case LOOPBACK ->
          new GrpcTransport(
              GrpcSettings.loopback(GrpcSettings.Role.TASK_MANAGER, 0, Bytes.utf8("benchmark")),
              codec,
              message -> false);
    };
  }

  @TearDown
  public void stop() {
    caller.close();
    called.close();
    env.close();
  }

  /** Latency of one call at a time. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  @OutputTimeUnit(TimeUnit.MICROSECONDS)
  public Record roundTrip() {
    return gateway.awaitLeader(request).join();
  }

  /** Throughput of concurrent calls. */
  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OutputTimeUnit(TimeUnit.SECONDS)
  @OperationsPerInvocation(BATCH)
  public void calls() {
    CompletableFuture<?>[] answers = new CompletableFuture<?>[BATCH];
    for (int i = 0; i < BATCH; i++) {
      answers[i] = gateway.awaitLeader(request);
    }
    CompletableFuture.allOf(answers).join();
  }
}
