package io.millrace.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ProcessGateway.LogLevel;
import io.millrace.protocol.ProcessGateway.LoggerLevel;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLoggerFactory;

class LogLevelControlTest {
  private final LoggerContext loggers = new LoggerContext();
  private final LogLevelControl control = new LogLevelControl(loggers);

  LogLevelControlTest() {
    loggers.getLogger("ROOT").setLevel(Level.INFO);
    loggers.getLogger("io.netty").setLevel(Level.WARN);
  }

  @Test
  @Behaviour("I3: the level of a logger is changed at run time")
  void changesLevelsAndRestoresThem() {
    assertThat(control.set("com.example", Optional.of(LogLevel.DEBUG)).loggers())
        .containsExactly(
            new LoggerLevel("ROOT", LogLevel.INFO),
            new LoggerLevel("com.example", LogLevel.DEBUG),
            new LoggerLevel("io.netty", LogLevel.WARN));
    assertThat(loggers.getLogger("com.example.Orders").isDebugEnabled()).isTrue();
    control.set("io.netty", Optional.of(LogLevel.OFF));
    control.set("io.netty", Optional.of(LogLevel.TRACE));
    assertThat(loggers.getLogger("io.netty.x").isTraceEnabled()).isTrue();

    control.set("com.example", Optional.empty());
    assertThat(control.set("io.netty", Optional.empty()).loggers())
        .containsExactly(
            new LoggerLevel("ROOT", LogLevel.INFO), new LoggerLevel("io.netty", LogLevel.WARN));
    assertThat(loggers.getLogger("com.example.Orders").isDebugEnabled()).isFalse();
  }

  @Test
  void restoringALoggerThatWasNotChangedChangesNothing() {
    control.set("ROOT", Optional.empty());
    assertThat(loggers.getLogger("ROOT").getLevel()).isEqualTo(Level.INFO);
  }

  @Test
  void refusesNamesOfNoLogger() {
    for (String name : new String[] {"a b", "..", "a\nb", "${x}"}) {
      assertThatThrownBy(() -> control.set(name, Optional.of(LogLevel.DEBUG)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("is no name of a logger");
    }
  }

  @Test
  void refusesMoreChangesThanItRemembers() {
    for (int i = 0; i < 1000; i++) {
      control.set("logger" + i, Optional.of(LogLevel.DEBUG));
    }
    assertThatThrownBy(() -> control.set("another", Optional.of(LogLevel.DEBUG)))
        .hasMessageContaining("after a restart of the process");
    control.set("logger7", Optional.of(LogLevel.INFO));
  }

  @Test
  void saysThatOtherLibrariesCannotBeChanged() {
    assertThatThrownBy(() -> new LogLevelControl(new NOPLoggerFactory()).list())
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("does not log with Logback");
  }
}
