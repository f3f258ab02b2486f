package io.millrace.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.scheduler.SchedulerAction;
import io.millrace.control.slotmanager.SlotAction;
import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.control.token.TokenAction;
import io.millrace.control.token.TokenEvent;
import io.millrace.control.workerpool.WorkerPoolAction;
import io.millrace.control.workerpool.WorkerPoolEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules for the sources of deciders: they return values instead of sentences, and the endpoints
 * handle every value.
 */
class PureCoreSourceTest {
  private static final Path SOURCES = Path.of("src/main/java/io/millrace/control");
  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

  /** Messages about violated invariants are for developers and may be sentences. */
  private static final Pattern INVARIANT =
      Pattern.compile("new Illegal(State|Argument)Exception\\(");

  @ParameterizedTest
  @ValueSource(strings = {"slotmanager", "workerpool", "scheduler", "slotpool", "token"})
  void hasNoSentences(String name) throws IOException {
    List<String> sentences = new ArrayList<>();
    try (Stream<Path> files = Files.list(SOURCES.resolve(name))) {
      for (Path file : files.sorted().toList()) {
        sentences(Files.readString(file)).forEach(text -> sentences.add(file + ": " + text));
      }
    }
    assertThat(sentences).isEmpty();
  }

  @Test
  void findsSentences() {
    assertThat(sentences("return \"a sentence\" + x; // \"a comment\""))
        .containsExactly("a sentence");
    assertThat(sentences("throw new IllegalStateException(a + \" is wrong\");")).isEmpty();
    assertThat(sentences("throw new IllegalStateException(a); f(\"after it\");"))
        .containsExactly("after it");
  }

  static Stream<Arguments> ladders() {
    return Stream.of(
        Arguments.of(SlotEvent.class, "slotmanager/SlotManager"),
        Arguments.of(SlotAction.class, "resourcemanager/ResourceManager"),
        Arguments.of(WorkerPoolEvent.class, "workerpool/WorkerPool"),
        Arguments.of(WorkerPoolAction.class, "resourcemanager/WorkerPoolRunner"),
        Arguments.of(TokenEvent.class, "token/TokenPlan"),
        Arguments.of(TokenAction.class, "resourcemanager/DelegationTokenManager"),
        Arguments.of(SchedulerAction.class, "jobmaster/JobMaster"));
  }

  @ParameterizedTest
  @MethodSource("ladders")
  void handlesEveryValueAndThrowsOnOthers(Class<?> sealed, String file) throws IOException {
    String source = Files.readString(SOURCES.resolve(file + ".java"));
    for (Class<?> value : sealed.getPermittedSubclasses()) {
      assertThat(source).containsPattern("instanceof (\\w+\\.)?" + value.getSimpleName() + "\\b");
    }
    assertThat(source)
        .containsPattern("throw new IllegalArgumentException\\(\"Unknown (event|action) \"");
  }

  private static List<String> sentences(String source) {
    String code = COMMENT.matcher(source).replaceAll(" ");
    List<String> found = new ArrayList<>();
    Matcher literal = LITERAL.matcher(code);
    while (literal.find()) {
      if (literal.group(1).contains(" ")) {
        int begin =
            Math.max(
                code.lastIndexOf(';', literal.start()),
                Math.max(
                    code.lastIndexOf('{', literal.start()),
                    code.lastIndexOf('}', literal.start())));
        if (!INVARIANT.matcher(code.substring(begin + 1, literal.start())).find()) {
          found.add(literal.group(1));
        }
      }
    }
    return found;
  }
}
