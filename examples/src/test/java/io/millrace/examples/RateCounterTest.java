package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class RateCounterTest {
  @Test
  void countsAnUnboundedStreamPerKey() {
    Program program = program("--rate", "10", "--keys", "3");
    List<OperatorSpec> specs =
        program.transformations().stream()
            .filter(Transformation.Operator.class::isInstance)
            .map(operator -> ((Transformation.Operator) operator).spec())
            .toList();
    assertThat(((OperatorSpec.Source) specs.get(0)).source().isBounded()).isFalse();
    assertThat(((OperatorSpec.Aggregate) specs.get(1)).finalOnly()).isFalse();
    assertThat(specs.get(2)).isInstanceOf(OperatorSpec.Sink.class);
    assertThat(specs).hasSize(3);
  }

  @Test
  void printsOnRequest() {
    assertThat(program("--print").transformations())
        .last()
        .extracting(last -> ((Transformation.Operator) last).name())
        .isEqualTo("print");
  }

  @Test
  void invalidArgumentsAreRejected() {
    assertThatThrownBy(() -> program("--rate", "fast"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("--rate")
        .hasMessageContaining("'fast'");
    assertThatThrownBy(() -> program("--keys", "0")).hasMessageContaining("'0'");
    assertThatThrownBy(() -> program("fast")).hasMessageContaining("Unknown argument 'fast'");
  }

  private static Program program(String... args) {
    List<Program> programs = new ArrayList<>();
    ProgramContext context =
        new ProgramContext(
            program -> {
              programs.add(program);
              throw new Caught();
            },
            Configuration.EMPTY);
    try {
      context.during(
          () -> {
            RateCounter.main(args);
            return true;
          });
    } catch (Caught e) {
      return programs.get(0);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("The program executed nothing");
  }

  private static final class Caught extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
