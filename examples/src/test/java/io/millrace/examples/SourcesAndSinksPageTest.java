package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.Collector;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.config.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code of docs/sources-and-sinks.md, which is compiled here. */
class SourcesAndSinksPageTest {

  record Page(int number, int next) implements SourceSplit {
    @Override
    public String splitId() {
      return "page " + number;
    }
  }

  record Archive(int pages, int perPage) implements EnumeratedSource<Integer, Page, Integer> {
    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public SplitEnumerator<Page, Integer> createEnumerator(EnumeratorContext context) {
      return new Pages(pages, 0);
    }

    @Override
    public SplitEnumerator<Page, Integer> restoreEnumerator(
        EnumeratorContext context, List<Integer> state) {
      return new Pages(pages, state.get(0));
    }

    @Override
    public SourceReader<Integer, Page> createReader(SourceContext context) {
      return new PageReader(perPage);
    }
  }

  static final class Pages implements SplitEnumerator<Page, Integer> {
    private final int pages;
    private int found;

    Pages(int pages, int found) {
      this.pages = pages;
      this.found = found;
    }

    @Override
    public Status discover(Collector<Page> splits) {
      while (found < pages) {
        splits.emit(new Page(found++, 0));
      }
      return Status.END;
    }

    @Override
    public List<Integer> snapshot(long checkpoint) {
      return List.of(found);
    }
  }

  static final class PageReader implements SourceReader<Integer, Page> {
    private final int perPage;
    private final ArrayDeque<Page> unread = new ArrayDeque<>();

    PageReader(int perPage) {
      this.perPage = perPage;
    }

    @Override
    public void addSplits(List<Page> splits) {
      unread.addAll(splits);
    }

    @Override
    public Status poll(SourceOutput<Integer> out, int limit) {
      for (int i = 0; i < limit && !unread.isEmpty(); i++) {
        Page page = unread.remove();
        if (page.next() + 1 < perPage) {
          unread.addFirst(new Page(page.number(), page.next() + 1));
        }
        out.emit(page.number() * perPage + page.next());
      }
      return unread.isEmpty() ? Status.END : Status.MORE;
    }

    @Override
    public List<Page> snapshot(long checkpoint) {
      return List.copyOf(unread);
    }
  }

  record Upload(String id, List<String> rows) {}

  record Table(String name) implements GlobalCommittingSink<String, Upload> {
    @Override
    public CommittingSinkWriter<String, Upload> createWriter(SinkContext context) {
      return new Rows();
    }

    @Override
    public GlobalCommitter<Upload> createGlobalCommitter(SinkContext context) {
      return uploads -> uploads.forEach(upload -> TABLE.putIfAbsent(upload.id(), upload.rows()));
    }
  }

  static final class Rows implements CommittingSinkWriter<String, Upload> {
    private List<String> rows = new ArrayList<>();

    @Override
    public void write(String row) {
      rows.add(row);
    }

    @Override
    public List<Upload> prepareCommit() {
      if (rows.isEmpty()) {
        return List.of();
      }
      Upload upload = new Upload(UUID.randomUUID().toString(), List.copyOf(rows));
      rows = new ArrayList<>();
      return List.of(upload);
    }
  }

  /** Stands for a table of a database that knows the uploads it has got. */
  static final Map<String, List<String>> TABLE = new ConcurrentHashMap<>();

  private static Path file(String name) {
    Path here = Path.of(name);
    return Files.exists(here) ? here : Path.of("..").resolve(name);
  }

  @Test
  void thePageHasTheCodeThatIsCompiledHere() throws IOException {
    String page = Files.readString(file("docs/sources-and-sinks.md"));
    String code =
        compact(
            Files.readString(
                file("examples/src/test/java/io/millrace/examples/SourcesAndSinksPageTest.java")));
    Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(page);
    int found = 0;
    while (blocks.find()) {
      found++;
      assertThat(code).contains(compact(blocks.group(1)));
    }
    assertThat(found).isEqualTo(5);
  }

  private static String compact(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  @Test
  void theSourceHasAllRecords() throws Exception {
    List<Integer> records =
        new ProgramContext(new BatchRunner(), Configuration.EMPTY)
            .during(
                () ->
                    StreamEnvironment.current()
                        .fromSource(new Archive(3, 4), "archive")
                        .collect("all")
                        .toList());
    assertThat(records).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  }
}
