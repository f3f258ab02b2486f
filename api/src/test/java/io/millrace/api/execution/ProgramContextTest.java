package io.millrace.api.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.program.Program;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.testing.Behaviour;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class ProgramContextTest {
  @TempDir Path directory;

  @Test
  @Behaviour("A5: inside run the program is bound to the target")
  void theBoundContextIsFoundAndGoneAfterwards() throws Exception {
    ProgramContext context =
        new ProgramContext(
            new Modest(), Configuration.EMPTY.with(CoreOptions.DEFAULT_PARALLELISM, 5));
    assertThat(context.during(ProgramContext::current)).isSameAs(context);
    assertThatThrownBy(ProgramContext::current).hasMessageContaining("Nothing on the class path");
  }

  @Test
  @Behaviour("A5: inside run the program is bound to the target")
  void aMainThatThrowsLeavesNothingBound() {
    ProgramContext context = new ProgramContext(new Modest(), Configuration.EMPTY);
    assertThatThrownBy(
            () ->
                context.during(
                    () -> {
                      throw new IllegalStateException("main");
                    }))
        .hasMessage("main");
    assertThatThrownBy(ProgramContext::current).hasMessageContaining("Nothing on the class path");
  }

  @Test
  void aSecondProgramInTheSameProcessIsRefused() throws Exception {
    ProgramContext outer = new ProgramContext(new Modest(), Configuration.EMPTY);
    ProgramContext inner = new ProgramContext(new Eager(), Configuration.EMPTY);
    outer.during(
        () -> {
          assertThatThrownBy(() -> inner.during(() -> 1)).hasMessageContaining("already running");
          assertThat(ProgramContext.current()).isSameAs(outer);
          return 0;
        });
  }

  @Test
  void ofSeveralProvidersTheHighestPriorityWins() throws Exception {
    ProgramContext found = withProviders(ProgramContext::current, Modest.class, Eager.class);
    assertThat(found.executor()).isInstanceOf(Eager.class);
  }

  @Test
  void providersOfEqualPriorityAreRefused() {
    assertThatThrownBy(() -> withProviders(ProgramContext::current, Modest.class, AlsoModest.class))
        .hasMessageContaining("AlsoModest")
        .hasMessageContaining("Modest")
        .hasMessageContaining("equal priority");
  }

  private <T> T withProviders(Callable<T> body, Class<?>... providers) throws Exception {
    Path file = directory.resolve("META-INF/services/" + JobExecutor.class.getName());
    Files.createDirectories(file.getParent());
    StringBuilder names = new StringBuilder();
    for (Class<?> provider : providers) {
      names.append(provider.getName()).append('\n');
    }
    Files.writeString(file, names);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      return body.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Runs nothing. */
  public static class Modest implements JobExecutor {
    @Override
    public JobClient execute(Program program) {
      throw new UnsupportedOperationException();
    }
  }

  /** Another one of the same priority. */
  public static final class AlsoModest extends Modest {}

  /** One that goes before the others. */
  public static final class Eager extends Modest {
    @Override
    public int priority() {
      return 10;
    }
  }
}
