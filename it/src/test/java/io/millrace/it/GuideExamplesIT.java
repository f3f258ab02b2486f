package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands of docs/guide.md, "Examples", print what the page says. */
class GuideExamplesIT {
  /** A block with commands, and one with their output. */
  private static final Pattern RUN =
      Pattern.compile(
          "```\n((?:printf [^\n]*\n)?)\\./millrace ([^\n]*)\n```\n\n```\n(.*?)```", Pattern.DOTALL);

  private static final Pattern PRINTF = Pattern.compile("printf '(.*)' > (\\S+)\n");

  @RegisterExtension static final Shell SHELL = new Shell();

  record Example(String input, String command, List<String> output) {}

  static List<Example> examples() throws IOException {
    String page = Files.readString(Path.of("../docs/guide.md"));
    Matcher run = RUN.matcher(page.substring(page.indexOf("\n## Examples\n")));
    List<Example> all = new ArrayList<>();
    while (run.find()) {
      all.add(new Example(run.group(1), run.group(2), run.group(3).lines().toList()));
    }
    assertThat(all.stream().map(Example::command))
        .anyMatch(command -> command.contains("sessions.jar"))
        .anyMatch(command -> command.contains("top-k.jar"))
        .anyMatch(command -> command.contains("enrichment.jar"))
        .anyMatch(command -> command.contains("broadcast-rules.jar"))
        .anyMatch(command -> command.contains("orders-and-payments.jar"));
    return all;
  }

  @ParameterizedTest
  @MethodSource("examples")
  void printsTheLinesOfThePage(Example example) throws IOException {
    Path input = SHELL.directory().resolve("visits");
    Matcher printf = PRINTF.matcher(example.input());
    if (printf.matches()) {
      assertThat(printf.group(2)).isEqualTo("/tmp/visits");
      Files.writeString(input, printf.group(1).replace("\\t", "\t").replace("\\n", "\n"));
    }
    String[] command =
        Stream.of(example.command().split(" "))
            .map(word -> word.equals("/tmp/visits") ? input.toString() : word)
            .toArray(String[]::new);
    assertThat(SHELL.millrace(command).succeeded().out())
        .containsExactlyInAnyOrderElementsOf(example.output());
  }
}
