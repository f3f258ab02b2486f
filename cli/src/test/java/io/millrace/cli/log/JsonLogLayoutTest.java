package io.millrace.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.log.LogContext;
import io.millrace.core.testing.Behaviour;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("LogContext.worker")
class JsonLogLayoutTest {
  private final LoggingEvent event =
      new LoggingEvent(
          JsonLogLayoutTest.class.getName(),
          new LoggerContext().getLogger("io.millrace.Test"),
          Level.WARN,
          "It said \"{}\"\nand ended",
          null,
          new Object[] {"no"});

  JsonLogLayoutTest() {
    event.setThreadName("main");
    event.setInstant(Instant.parse("2026-01-02T03:04:05.006Z"));
  }

  @AfterEach
  void forget() {
    LogContext.setWorker("");
  }

  private JsonNode line() throws Exception {
    String text = new JsonLogLayout().doLayout(event);
    assertThat(text).endsWith("}\n");
    assertThat(text.indexOf('\n')).isEqualTo(text.length() - 1);
    return new ObjectMapper().readTree(text);
  }

  @Test
  @Behaviour("I3: logs are text or JSON, with the ids of worker, job and task")
  void lineIsOneObjectWithIds() throws Exception {
    LogContext.setWorker("taskmanager-1");
    event.setMDCPropertyMap(Map.of("job", "7", "task", "'map' (1/2, attempt 0)", "order", "17"));
    assertThat(line())
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    "{\"time\":\"2026-01-02T03:04:05.006Z\",\"level\":\"WARN\",\"thread\":\"main\","
                        + "\"logger\":\"io.millrace.Test\","
                        + "\"message\":\"It said \\\"no\\\"\\nand ended\","
                        + "\"worker\":\"taskmanager-1\",\"job\":\"7\","
                        + "\"task\":\"'map' (1/2, attempt 0)\",\"order\":\"17\"}"));
  }

  @Test
  void exceptionIsOneField() throws Exception {
    event.setMDCPropertyMap(Map.of());
    event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("no state")));
    assertThat(line().path("exception").asText())
        .startsWith("java.lang.IllegalStateException: no state")
        .contains("\tat ");
  }

  @Test
  void entryOfTheProgramDoesNotReplaceAField() throws Exception {
    event.setMDCPropertyMap(Map.of("level", "mine"));
    assertThat(line().path("level").asText()).isEqualTo("WARN");
  }

  @Test
  void textLinesNameTheWorker() {
    LogContext.setWorker("taskmanager-1");
    event.setMDCPropertyMap(Map.of("job", "7"));
    assertThat(new LogLayout().doLayout(event))
        .contains("io.millrace.Test {worker=taskmanager-1, job=7} - It said");
  }
}
