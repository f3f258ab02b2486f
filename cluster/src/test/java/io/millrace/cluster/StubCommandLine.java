package io.millrace.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A stub of the command line that runs a program. Its last argument selects what it does. */
public final class StubCommandLine {
  static final String PRINTED = "ffffffffffffffffffffffffffffffff";

  private static final String JOB = "0000000000000000000000000000002a";

  private StubCommandLine() {}

  public static void main(String[] arguments) throws Exception {
    ParentProcessWatcher.watchIfAsked();
    List<String> commandLine = List.of(arguments);
    String result = commandLine.contains("info") ? "--plan-file" : "--job-id-file";
    Path ids = Path.of(commandLine.get(commandLine.indexOf(result) + 1));
    switch (commandLine.get(commandLine.size() - 1)) {
      case "ids" -> {
        System.out.println(PRINTED);
        Files.writeString(ids, JOB + "\n");
        System.out.println(PRINTED);
      }
      case "plan" -> {
        System.out.println(PRINTED);
        Files.writeString(ids, "{\"nodes\": []}");
      }
      case "only-prints" -> System.out.println(PRINTED);
      case "floods" -> {
        print(2_000_000);
        System.out.println("millrace: The first word");
        print(10);
        System.out.println("millrace: The last word");
        System.exit(1);
      }
      case "prints-and-fails" -> {
        print(20_000);
        System.out.println("the end");
        System.exit(1);
      }
      case "submits-and-fails" -> {
        Files.writeString(ids, JOB + "\n");
        System.out.println("millrace: no more of that");
        System.exit(1);
      }
      case "hangs" -> new CountDownLatch(1).await();
      default -> throw new IllegalArgumentException(commandLine.toString());
    }
  }

  private static void print(int lines) {
    for (int i = 0; i < lines; i++) {
      System.out.println("line " + i);
    }
  }

  /** A JobManager that runs a program and is then killed. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      UploadedProgramRunner programs =
          new UploadedProgramRunner(
              Path.of(arguments[0]),
              new UploadedProgramRunner.Limits(1, Duration.ofHours(1)),
              StubCommandLine.class.getName());
      programs.run(UploadedProgramRunnerTest.stubbed("hangs"));
      long child = ProcessHandle.current().children().findFirst().orElseThrow().pid();
      Path pids = Path.of(arguments[1]);
      Path temporary = pids.resolveSibling("pids.new");
      Files.writeString(temporary, String.valueOf(child));
      Files.move(temporary, pids, StandardCopyOption.ATOMIC_MOVE);
      new CountDownLatch(1).await();
    }
  }
}
