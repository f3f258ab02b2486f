package io.millrace.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ProcessGateway.ConfiguredValue;
import io.millrace.protocol.ProcessGateway.DescribeProcess;
import io.millrace.protocol.ProcessGateway.ListLogs;
import io.millrace.protocol.ProcessGateway.ProcessDescription;
import io.millrace.protocol.ProcessGateway.ReadLog;
import io.millrace.protocol.ProcessGateway.SampleStacks;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.rpc.live.LiveEnv;
import io.millrace.task.TaskStack;
import io.millrace.task.TaskStack.Activity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProcessInspectorTest {
  private static final ExecutionId TASK = new ExecutionId(new Id128(1, 2));

  private final LiveEnv env = new LiveEnv("inspector-test");

  @AfterEach
  void close() {
    env.close();
  }

  private ProcessInspector inspector(Map<String, String> options, ProcessInspector.TaskStacks of) {
    return new ProcessInspector(
        env, env.mailbox("process"), new Configuration(options), Optional.empty(), of);
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  @Behaviour("I4: the configuration is shown without secrets")
  void hidesSecretsOfTheConfiguration() {
    ProcessDescription process =
        await(
            inspector(
                    Map.of("rest.port", "8081", "security.ssl.key-password", "hunter2"),
                    ProcessInspector.TaskStacks.NONE)
                .describeProcess(new DescribeProcess()));
    assertThat(process.configuration())
        .containsExactly(
            new ConfiguredValue("rest.port", "8081"),
            new ConfiguredValue("security.ssl.key-password", "(hidden)"));
    assertThat(process.classPath()).isNotEmpty();
    assertThat(process.jvm()).contains(System.getProperty("java.vm.name"));
  }

  @Test
  void processWithoutLogHasNoFiles() {
    ProcessInspector inspector = inspector(Map.of(), ProcessInspector.TaskStacks.NONE);
    assertThat(await(inspector.listLogs(new ListLogs())).files()).isEmpty();
    assertThat(await(inspector.readLog(new ReadLog("server.log", 0, 10))).file()).isEmpty();
  }

  @Test
  void takesAsManySamplesAsAsked() {
    AtomicInteger taken = new AtomicInteger();
    ProcessInspector inspector =
        inspector(
            Map.of(),
            (tasks, depth) -> {
              taken.incrementAndGet();
              return List.of(new TaskStack(tasks.get(0), Activity.ON_CPU, List.of("step")));
            });
    StackSamples samples =
        await(inspector.sampleStacks(new SampleStacks(List.of(TASK), 7, Duration.ofMillis(1), 9)));
    assertThat(taken).hasValue(7);
    assertThat(samples.stacks().get(0).count()).isEqualTo(7);
  }

  @Test
  void refusesMoreSamplingsThanAreTakenAtTheSameTime() {
    CompletableFuture<List<TaskStack>> block = new CompletableFuture<>();
    ProcessInspector inspector = inspector(Map.of(), (tasks, depth) -> block.join());
    SampleStacks request = new SampleStacks(List.of(TASK), 1, Duration.ZERO, 9);
    List<CompletableFuture<StackSamples>> taken =
        java.util.stream.Stream.generate(() -> inspector.sampleStacks(request)).limit(4).toList();
    assertThatThrownBy(() -> await(inspector.sampleStacks(request)))
        .hasCauseInstanceOf(MillraceException.class)
        .hasMessageContaining("already takes 4");
    block.complete(List.of());
    taken.forEach(ProcessInspectorTest::await);
    assertThat(await(inspector.sampleStacks(request)).stacks()).isEmpty();
  }
}
